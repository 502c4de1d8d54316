# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of stored states: those of `state_name`, and those of earlier versions.

An array of "model" is "model.x" or "model/order". Files outlive classes: a renamed class keeps its
`state_name`.
"""

import re

# Raise the number when the meaning of contact arrays changes. States with another number, or with
# none, are read without contact: bodies resume as if they had just met.
LAYOUT = "layout/2"
# Class names of states without a layout, and their present names.
PRESENT_NAMES = {
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
    """Return the arrays of a state that this version can resume from, under present names."""
    if not any(name.startswith("layout/") for name in arrays):
        arrays = {_present_name(name): array for name, array in arrays.items()}
    left_out = ("layout/",) if LAYOUT in arrays else ("layout/", "contact")
    return {name: array for name, array in arrays.items() if not name.startswith(left_out)}


def _present_name(name):
    owner = re.match(r"[^./]*", name)[0]
    return PRESENT_NAMES.get(owner, owner) + name[len(owner) :]
