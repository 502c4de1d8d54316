# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that shrinks, painted too, and cloth whose rest shape is a shape key."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, gathered, sheet, shown


@pytest.fixture
def cloth(scene):
    """A weightless sheet of 1 m in a fresh file."""
    scene.use_gravity = False
    frames(scene, 1, 49)
    ob = sheet()
    ob.vbd.drag, ob.vbd.density, ob.vbd.damping = 0.0, 0.2, 0.02
    bpy.context.view_layer.objects.active = ob
    return ob


def widths(ob):
    """Widths of the sheet at its sides x = 0 and x = 1 after the bake [m]."""
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    points = shown(ob, 49).reshape(5, 5, 3)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=2).sum(axis=0)
    return lengths[0], lengths[-1]


def test_a_cloth_shrinks_by_the_factor_and_by_what_is_painted(cloth):
    cloth.vbd.shrink = 0.2
    assert widths(cloth) == pytest.approx((0.8, 0.8), abs=0.01)
    group = cloth.vertex_groups.new(name="Shrink")
    group.add([v.index for v in cloth.data.vertices if v.co.x > 0.6], 1.0, "REPLACE")
    painted = cloth.vbd.painted.add()
    painted.what, painted.vertex_group, painted.value = "shrink", "Shrink", 0.0
    bpy.ops.vbd.free_bake("EXEC_DEFAULT")
    wide, narrow = widths(cloth)
    assert narrow < 0.85
    assert wide > 0.95


def test_a_cloth_tends_to_the_shape_key_that_is_at_rest(cloth):
    # A sheet that folds like fabric would keep its width, in folds.
    cloth.vbd.adapt_folds = False
    cloth.shape_key_add(name="Basis")
    key = cloth.shape_key_add(name="Wide")
    key.value = 0.0  # 1 in Blender 5.0
    for point in key.points:
        point.co.y *= 1.3
    cloth.scale = (2.0, 2.0, 2.0)
    cloth.vbd.rest_shape_key = "Wide"
    (body,) = gathered().bodies
    assert np.ptp(body.rest_points[:, 1]) == pytest.approx(2.6)
    assert np.ptp(body.points[:, 1]) == pytest.approx(2.0)
    assert widths(cloth) == pytest.approx((2.6, 2.6), abs=0.03)
    assert {"Basis", "Wide"} <= set(cloth.data.shape_keys.key_blocks.keys())
    cloth.vbd.rest_shape_key = "Flat"
    with pytest.raises(RuntimeError, match='Sheet: there is no shape key "Flat"'):
        bpy.ops.vbd.bake()
