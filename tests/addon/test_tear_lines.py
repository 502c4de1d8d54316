# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that is cut and sewn tears along its lines."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, pin, sheet, shown, slab


def cut(ob, is_on_line):
    """Press Cut and Sew with the edges selected whose ends are on a line."""
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="EDGE")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for edge in ob.data.edges:
        edge.select = all(is_on_line(ob.data.vertices[v].co) for v in edge.vertices)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        assert bpy.ops.vbd.cut_and_sew() == {"FINISHED"}
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def across(co):
    return abs(co.x - 0.5) < 1e-6


def gap(ob, frame):
    """The longest seam [m]."""
    points = shown(ob, frame)
    loose = [e.vertices for e in ob.data.edges if e.is_loose]
    return max(np.linalg.norm(points[a] - points[b]) for a, b in loose)


@pytest.fixture
def torn(scene):
    """A sheet that is held at its left and right borders and cut in the middle, above a floor that
    its halves would hang through.
    """
    ob = sheet()
    points = shown(ob)
    held = [v for v, p in enumerate(points) if p[0] in (0.0, 1.0)]
    pin(ob, held)
    ob.vbd.density, ob.vbd.youngs_modulus, ob.vbd.drag = 2.0, 3e4, 0.0
    cut(ob, across)
    slab(height=-0.3).location.x = 0.5
    frames(scene, 1, 25)
    return ob


def test_a_cut_keeps_the_surface_and_all_that_is_on_it(scene):
    ob = sheet()
    ob.data.uv_layers.new(name="UV")
    uv = np.random.default_rng(1).random((len(ob.data.loops), 2)).astype(np.float32)
    ob.data.uv_layers[0].data.foreach_set("uv", uv.ravel())
    pin(ob, [v.index for v in ob.data.vertices if v.co.y == 0.0], 0.7)
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name="High").points[12].co.z = 0.25
    points, faces = shown(ob), len(ob.data.polygons)
    corners = points[[v for p in ob.data.polygons for v in p.vertices]]
    cut(ob, across)
    assert len(ob.data.vertices) == 25 + 5 and len(ob.data.polygons) == faces
    assert sum(edge.is_loose for edge in ob.data.edges) == 5
    assert ob.vbd.use_sewing and ob.vbd.sewing_tears and ob.vbd.sewing_force == 1.0
    after = shown(ob)[[v for p in ob.data.polygons for v in p.vertices]]
    np.testing.assert_array_equal(after, corners)
    kept = np.empty_like(uv)
    ob.data.uv_layers[0].data.foreach_get("uv", kept.ravel())
    np.testing.assert_array_equal(kept, uv)
    weights = [v.groups[0].weight for v in ob.data.vertices if v.co.y == 0.0]
    np.testing.assert_allclose(weights, 0.7, rtol=1e-6)
    high = ob.data.shape_keys.key_blocks["High"]
    assert sum(point.co.z == 0.25 for point in high.points) == 2  # the middle, on both sides
    assert not ob.data.validate()


def test_a_cloth_pulled_apart_tears_along_its_line_or_holds(torn):
    for force, tears, opens in ((0.5, True, True), (0.5, False, True), (500.0, True, False)):
        torn.vbd.sewing_force, torn.vbd.sewing_tears = force, tears
        outcome = baked()
        assert (gap(torn, 25) > 0.1) == opens
        said = "Sheet: seams tore in 5 of 5 places"
        assert (said in outcome.report()[1]) == (opens and tears)
    assert gap(torn, 25) < 0.01


def test_what_has_torn_lies_on_the_floor_and_is_given_back(torn):
    before = shown(torn)
    torn.vbd.sewing_force = 0.5
    torn.vbd.pin_group = ""
    baked()
    assert shown(torn, 25)[:, 2].min() > -0.3
    torn.vbd.pin_group = "Pins"
    baked()
    assert shown(torn, 25)[:, 2].min() > -0.3 and gap(torn, 25) > 0.2
    assert bpy.ops.vbd.free_bake() == {"FINISHED"}
    np.testing.assert_array_equal(shown(torn), before)


def test_a_line_that_lets_nothing_come_apart_is_refused(scene):
    ob = sheet()
    with pytest.raises(RuntimeError, match="Sheet: nothing comes apart along the selected edges"):
        cut(ob, lambda co: across(co) and 0.2 < co.y < 0.6)
    assert len(ob.data.vertices) == 25 and not ob.vbd.use_sewing
    with pytest.raises(RuntimeError, match="Go to Edit Mode and select the edges that may tear"):
        bpy.ops.vbd.cut_and_sew()
