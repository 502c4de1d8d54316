# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes a beginner builds look right with default settings."""

import bpy
import numpy as np
import pytest
from building import bake
from folds import creased, crumpled
from scenes import SCENES

# Tolerance that anybody would call a tenth.
TENTH = 0.1
# A resting vertex moves less than this fraction of its object's size in two frames.
STILL = 0.01
# A floor may be entered by this fraction of the object's size: float32 and the key's rounding.
ROUNDING = 1e-4


@pytest.mark.parametrize("name", SCENES)
def test_looks_right(name):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    expected = SCENES[name]()
    baked = bake(expected.frames)
    level, text = baked.outcome.report()
    assert expected.says in text
    assert level == "INFO" or expected.says or (expected.warns and "set iterations" in text), text
    assert baked.outcome.frames == expected.frames
    assert baked.outcome.last.stats.inverted == 0
    assert not baked.outcome.last.stats.tangles
    for ob in bpy.context.scene.objects:
        if ob.vbd.role in {"NONE", "COLLIDER"}:
            continue
        motion = baked.motion[ob.name]
        size = np.ptp(motion[0], axis=0).max()
        assert all(np.isfinite(points).all() for points in motion)
        if expected.floor is not None:
            lowest = min(points[:, 2].min() for points in motion)
            assert lowest > expected.floor - ROUNDING * size, ob.name
        if expected.rests:
            assert np.abs(motion[-1] - motion[-2]).max() < STILL * size, ob.name
        if ob.vbd.role == "CLOTH" and expected.drapes is not None:
            assert creased(ob.data, motion[-1]) <= expected.creases, ob.name
            assert crumpled(ob.data, motion[-1]) < expected.drapes, ob.name
        if ob.vbd.role == "SOFT" and expected.keeps_volume:
            before, after = baked.volume(ob.name, 0), baked.volume(ob.name)
            assert after == pytest.approx(before, rel=TENTH), ob.name
    for ob, height in (expected.heights or {}).items():
        assert baked.height(ob) == pytest.approx(height, rel=TENTH), ob
    if expected.also:
        expected.also(baked)


def test_a_throw_whose_faces_resist_like_plates_does_not_look_right():
    """The checks of draped cloth detect crumpled cloth."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    expected = SCENES["throw_on_a_block"]()
    sheet = bpy.data.objects["Grid"]
    sheet.vbd.adapt_folds = False
    baked = bake(expected.frames)
    assert crumpled(sheet.data, baked.end("Grid")) > 2.0 * expected.drapes
    with pytest.raises(AssertionError):
        expected.also(baked)
