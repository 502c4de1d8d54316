# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of the overlays of the viewport; that they show is checked in a window."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, pin, sheet, shown

from vbd.addon.baking.bake_steps import bake_steps
from vbd.addon.baking.frame_numbers import frames_of
from vbd.addon.files.saving_statistics import played_cache
from vbd.addon.panels import sidebar as panels
from vbd.addon.playing.preview import shown_frame
from vbd.addon.viewport import curves_overlay, overlays
from vbd.addon.viewport.overlay_shapes import (
    drawn_elements,
    measured_elements,
    pin_weights,
    rest_points,
    shown_points,
    stretched,
)

# Blender stores float32.
FLOAT32 = 1e-5


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def stretch_now(ob):
    return stretched(ob, measured_elements(ob), depsgraph())[1]


def hung():
    """A sheet of quads that hangs on two corners for a few frames, baked."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4, size=1.0)
    ob = bpy.context.object
    ob.name, ob.vbd.role = "Sheet", "CLOTH"
    ob.vbd.youngs_modulus = 1e4
    pin(ob, [0, 4])
    frames(bpy.context.scene, 1, 6)
    bpy.context.scene.vbd.device = "CPU"
    baked()
    return ob


def test_pins_have_their_weights(scene):
    ob = sheet(cells=2)
    assert pin_weights(ob) is None
    pin(ob, [0, 2])
    pin(ob, [5], weight=0.5)
    assert np.flatnonzero(pin_weights(ob)).tolist() == [0, 2, 5]
    soft = overlays.pin_colors(np.array([1.0, 0.5]), True)
    np.testing.assert_allclose(soft[0, :3], overlays.WEAK_TO_HARD[-1], rtol=FLOAT32)
    assert (soft[1] != soft[0]).any()
    hard = overlays.pin_colors(np.array([1.0, 0.5]), False)
    assert (hard[1] == hard[0]).all()


def test_the_stretch_that_is_shown_is_that_of_the_statistics(scene):
    ob = hung()
    for told in frames_of(played_cache(scene))[1:]:
        scene.frame_set(told["frame"])
        assert stretch_now(ob).max() == pytest.approx(
            told["objects"]["Sheet"]["stretch"], rel=FLOAT32
        )


@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_points_are_those_that_are_seen_also_below_a_subdivision(scene, kind):
    ob = hung()
    if kind == "relative":
        bpy.ops.vbd.convert_to_relative()
    expected = shown(ob, 4)
    between = shown(ob, 4, subframe=0.5)
    modifier = ob.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = 1
    scene.frame_set(4)
    assert len(ob.evaluated_get(depsgraph()).data.vertices) > len(expected)
    np.testing.assert_allclose(shown_points(ob, depsgraph()), expected, atol=FLOAT32)
    scene.frame_set(4, subframe=0.5)
    np.testing.assert_allclose(shown_points(ob, depsgraph()), between, atol=FLOAT32)
    assert len(stretch_now(ob)) == len(drawn_elements(ob, depsgraph())) == 2 * 4 * 4


def test_what_is_not_baked_is_stretched_against_its_mesh(scene):
    ob = sheet(cells=2)
    np.testing.assert_allclose(stretch_now(ob), 1.0, rtol=FLOAT32)
    np.testing.assert_allclose(rest_points(ob), shown(ob))
    ob.scale = 3.0, 3.0, 3.0
    bpy.context.view_layer.update()
    np.testing.assert_allclose(stretch_now(ob), 1.0, rtol=FLOAT32)


def test_colors_are_full_at_both_ends_of_the_range():
    colors = overlays.stretch_colors(np.array([0.5, 0.9, 1.0, 1.1, 2.0]), 0.1)
    blue, white, red = overlays.BLUE_TO_RED
    expected = [blue, blue, white, red, red]
    np.testing.assert_allclose(colors[:, :3], expected, rtol=FLOAT32)


def test_curves_lie_in_their_box_and_leave_out_what_is_not_known(scene):
    hung()
    told = frames_of(played_cache(scene))
    columns = curves_overlay.columns_of(told)
    assert np.isnan(columns["seconds"][0])
    for plot in curves_overlay.plots_for(columns):
        for name, _, _ in plot.curves:
            limits = curves_overlay.span(columns[name], plot.is_logarithmic)
            found = (columns["frame"], columns[name], limits, plot.is_logarithmic)
            points = curves_overlay.placed(*found)
            assert ((points >= 0.0) & (points <= 1.0)).all()
            assert len(points) == len(told) - 1
    assert np.nanmin(columns["gravitational_energy"]) == 0.0


@pytest.fixture
def drawn(monkeypatch):
    """Points that are drawn, by their kind, in place of a batch."""
    monkeypatch.setattr(
        overlays, "_batch", lambda _shader, kind, points, colors, indices=None: (kind, points)
    )
    return lambda make: dict(batch for _, batch in make(bpy.context, None))


def test_contacts_are_drawn_where_they_are_in_the_frame_that_is_shown(scene, drawn):
    ob = sheet(cells=2)
    ob.location.z = 0.001
    scene.vbd.use_ground = True
    scene.unit_settings.system, scene.unit_settings.scale_length = "METRIC", 0.5
    frames(scene, 5, 9)
    outcome = baked()
    scene.frame_set(5)
    assert drawn(overlays._contacts) == {}  # no frame has been solved there
    scene.frame_set(9)
    found = drawn(overlays._contacts)
    assert len(found["POINTS"]) == outcome.last.stats.contacts == 9
    corners = np.unique(found["POINTS"].round(3), axis=0)
    np.testing.assert_allclose(corners, np.unique(shown(ob, 9).round(3), axis=0), atol=1e-3)
    lines = np.diff(found["LINES"].reshape(-1, 2, 3), axis=1)[:, 0]
    length = overlays.NORMAL * max(ob.dimensions)
    np.testing.assert_allclose(lines, np.tile([0.0, 0.0, length], (9, 1)), atol=FLOAT32)


def test_what_is_stuck_is_marked(scene, drawn):
    lower, upper = sheet(cells=4), sheet(cells=4)
    upper.location, upper.rotation_euler = (0.1, 0.2, 0.03), (1.2, 0.3, 0.0)
    frames(scene, 1, 2)
    baked()
    scene.frame_set(2)
    places = drawn(overlays._stuck)["POINTS"]
    points = np.concatenate([shown(lower, 2), shown(upper, 2)])
    assert (places >= points.min(axis=0)).all() and (places <= points.max(axis=0)).all()


def test_while_a_bake_runs_its_preview_says_which_frame_is_shown(scene):
    sheet(cells=2)
    frames(scene, 5, 8)
    scene.frame_set(1)
    seen = {shown_frame(bpy.context) for _ in bake_steps(bpy.context, visible=True)}
    assert 5 in seen and seen <= {1, 5, 6, 7, 8}
    assert shown_frame(bpy.context) == 1


def test_nothing_that_stands_still_moves_for_the_overlays(scene):
    assert not bpy.app.handlers.frame_change_pre
    assert not bpy.app.handlers.frame_change_post


def bake_and_draw():
    for _ in bake_steps(bpy.context, visible=True):
        overlays.kept.of("pins", 3, lambda: ["old"])


def convert():
    overlays.kept.of("pins", 3, lambda: ["old"])
    bpy.ops.vbd.convert_to_relative()


@pytest.mark.parametrize("change", [bake_and_draw, convert])
def test_what_is_drawn_is_made_anew_when_the_frame_shows_something_else(scene, change):
    hung()
    scene.frame_set(3)
    change()
    bpy.context.view_layer.update()  # like a window before it draws
    assert overlays.kept.of("pins", 3, lambda: ["new"]) == ["new"]


def test_every_switch_is_in_the_panel_and_off_but_that_of_attachments(scene):
    names = {name for name in scene.vbd.bl_rna.properties.keys() if name.startswith("show_")}
    assert names == set(overlays.SWITCHES)
    assert panels.VBD_PT_overlays.bl_options == {"DEFAULT_CLOSED"}
    assert [name for name in overlays.SWITCHES if getattr(scene.vbd, name)] == ["show_attachments"]
