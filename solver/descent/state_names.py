# SPDX-License-Identifier: GPL-3.0-or-later
"""Names under which states are stored: those of `state_name`, and those of earlier versions.

An array of "model" is "model.x" or "model/order". Files outlive classes: whoever renames a class
leaves its `state_name` alone.
"""

import re

# Raise the number when arrays of contact change what they mean. Of states with another one contact
# is left out: bodies go on as if they had just met.
FIRST_LAYOUT = "layout/1"
LAYOUT = "layout/2"
# The first states had the names of classes, and no layout.
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
        arrays = {FIRST_LAYOUT: None} | {_now(name): array for name, array in arrays.items()}
    if LAYOUT not in arrays:
        arrays = {name: array for name, array in arrays.items() if not name.startswith("contact")}
    return {name: array for name, array in arrays.items() if not name.startswith("layout/")}


def _now(name):
    owner = re.match(r"[^./]*", name)[0]
    return BEFORE.get(owner, owner) + name[len(owner) :]
