# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow motion: a frame of the scene is a fraction of its time in the simulation."""

import numpy as np
import pytest
from blender_scenes import baked, fall, frames, shown, slide, tet_block


@pytest.mark.parametrize("scale", [0.1, 2.0])
def test_what_falls_falls_by_the_square_of_the_time_scale(scene, scale):
    ob = tet_block()
    before = shown(ob)
    frames(scene, 1, 4)
    scene.vbd.device, scene.vbd.time_scale = "CPU", scale
    baked()
    expected = [0, 0, -(scale**2) * fall(scene, 3)]
    assert np.allclose(shown(ob, 4) - before, expected, rtol=0, atol=1e-5)


def test_what_the_animation_set_going_is_as_fast_on_the_screen(scene):
    ob = tet_block()
    slide(ob, 0, 0, 2, 0.2)
    frames(scene, 2, 6)
    scene.use_gravity = False
    scene.vbd.device, scene.vbd.time_scale = "CPU", 0.25
    baked()
    path = shown(ob, 6) - shown(ob, 2)
    assert np.allclose(path, [0.4, 0, 0], rtol=0, atol=1e-4)
