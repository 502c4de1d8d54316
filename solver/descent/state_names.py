# SPDX-License-Identifier: GPL-3.0-or-later
"""Names under which states are stored: those of `state_name`, and those of earlier versions.

An array of "model" is "model.x" or "model/order". Files outlive classes: whoever renames a class
leaves its `state_name` alone.
"""

import re

# Raise the number when arrays of contact change what they mean. Of states with another one, or with
# none, contact is left out: bodies go on as if they had just met.
LAYOUT = "layout/2"
# Names in states without a layout: those of classes.
BEFORE = {
    "Model": "model",
    "Tearing": "tearing",
    "Gravity": "gravity",
    "KinematicPins": "pins",
    "KinematicColliders": "colliders",
    "AttachedPoints": "attached_points",
    "Clock": "clock",
    "Prediction": "prediction",
    "Plasticity": "plasticity",
    "AttachmentLaws": "attachment_laws",
    "EnclosedAir": "enclosed_air",
    "CyclicCoarseSteps": "coarse_cycles",
    "FewCoarseSteps": "coarse_steps",
    "Convergence": "accuracy",
}


def readable(arrays):
    """The part of a state that this version can go on from, under the names of now."""
    if not any(name.startswith("layout/") for name in arrays):
        arrays = {_now(name): array for name, array in arrays.items()}
    left_out = ("layout/",) if LAYOUT in arrays else ("layout/", "contact")
    return {name: array for name, array in arrays.items() if not name.startswith(left_out)}


def _now(name):
    owner = re.match(r"[^./]*", name)[0]
    return BEFORE.get(owner, owner) + name[len(owner) :]
