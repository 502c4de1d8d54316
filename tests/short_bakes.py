# SPDX-License-Identifier: GPL-3.0-or-later
"""Short bakes that tests share."""

import bpy  # noqa: TID251
import numpy as np
from blender_scenes import frames

from vbd.addon.baking.bake_steps import bake_steps, run_to_end


def short_scene(scene):
    """Give an empty scene few, short frames on the CPU; returns it."""
    frames(scene, 1, 6)
    scene.frame_end = 6
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    scene.gravity = (0.0, 0.0, -9.81)
    return scene


def baked(context=None):
    """Bake and return the outcome."""
    return run_to_end(bake_steps(context or bpy.context), show=lambda _: None)


def close(a, b, tolerance=1e-6):
    np.testing.assert_allclose(a, b, atol=tolerance)
