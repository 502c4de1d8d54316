# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies that are too soft for their own weight: a sentence about each, with a remedy."""

import numpy as np

from ...solver.bodies import Volume
from ...solver.bodies.own_weight import MUCH, own_load
from ...solver.messages import message

# Load over the stiffness that the remedy leaves.
LITTLE = 0.3


def firm_enough(modulus, load):
    """A Young's modulus [Pa] with one digit that leaves a small load, for a load at `modulus`."""
    wanted = modulus * load / LITTLE
    digit = 10.0 ** np.floor(np.log10(wanted))
    return np.ceil(wanted / digit) * digit


def _held(body, holding):
    """Vertices of a body that pins or attachments hold."""
    held = [] if body.pins is None else [body.pins.indices]
    for tie in holding:
        if tie.body is body:
            held.append(np.ravel(tie.vertices))
        elif tie.other is body:
            held.append(np.ravel(tie.corners))
    return np.concatenate(held).astype(int) if held else np.zeros(0, int)


def notes(gathered):
    """Sentences about bodies that their weight would deform by more than `MUCH`."""
    for body in gathered.simulated():
        if not isinstance(body, Volume):
            continue
        held = _held(body, gathered.holding)
        if body.keeps_shape and len(held):
            continue  # the search for its rest shape tells
        load = own_load(body, gathered.settings.gravity, held)
        if load > MUCH:
            modulus = float(1.0 / np.mean(1.0 / np.asarray(body.material.youngs_modulus)))
            firm = firm_enough(modulus, load) / 1e3
            key = "note.too_soft_held" if len(held) else "note.too_soft"
            yield message(key, name=body.name, load=load, firm=firm)
