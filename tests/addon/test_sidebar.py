# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tells what to do next, how far a bake is, and what it reports."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import running_bake
from panel_layout import drawn, layout_of, visible

from vbd.addon.baking import report
from vbd.addon.panels import advice
from vbd.addon.panels import sidebar as panels
from vbd.addon.playing import playback
from vbd.solver.messages import message


def test_a_report_is_shown_with_the_bake_it_is_about(cube):
    line = report.Line(text="Baked 6 frames in 1 s")
    bpy.context.scene.vbd.report = report.dumps([line], ["Pairs: 3"])
    assert not visible(panels.VBD_PT_report)
    cube.vbd.baked = True
    assert drawn(panels.VBD_PT_report) == ["Baked 6 frames in 1 s"]
    bpy.context.scene.vbd.report = ""
    assert not visible(panels.VBD_PT_report)


def test_numbers_of_a_bake_are_in_a_closed_panel_below_its_report(cube):
    line = report.Line(text="Baked 6 frames in 1 s")
    bpy.context.scene.vbd.report = report.dumps([line], ["Pairs: 3"])
    assert drawn(panels.VBD_PT_statistics) == ["Pairs: 3", "vbd.save_statistics"]
    assert panels.VBD_PT_statistics.bl_options == {"DEFAULT_CLOSED"}
    assert panels.VBD_PT_statistics.bl_parent_id == "VBD_PT_report"


def labels(panel):
    return [text for text in drawn(panel) if " " in text]


def test_the_panel_of_the_progress_bar_has_no_label_more_after_the_bake(cube):
    """Blender 4.3 draws a new label as the progress bar that was under the mouse."""
    bpy.ops.vbd.add(role="SOFT")
    with running_bake():
        during = labels(panels.VBD_PT_sidebar)
        assert not visible(panels.VBD_PT_report)
    without = labels(panels.VBD_PT_sidebar)  # the bake was cancelled in its first frame
    cube.vbd.baked = True
    assert len(labels(panels.VBD_PT_sidebar)) <= len(without) <= len(during)


def hints():
    """Texts of the sidebar other than the names of fields and operators."""
    return labels(panels.VBD_PT_sidebar)


def test_text_is_offered_to_become_a_mesh(scene):
    bpy.ops.object.text_add()
    assert "object.convert" in drawn(panels.VBD_PT_sidebar) and hints() == []
    bpy.ops.object.convert(target="MESH")
    assert "object.convert" not in drawn(panels.VBD_PT_sidebar)
    assert hints() == ["Choose a role above"]


def test_the_next_step_is_told_until_something_is_baked(scene):
    assert hints() == ["Select a mesh or a curve"]
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    assert hints() == ["Choose a role above"]
    bpy.ops.vbd.add(role="COLLIDER")
    assert hints() == ["Add an object that moves"]
    bpy.ops.vbd.add(role="SOFT")
    assert hints() == [message("bake.no_floor")]
    assert "use_ground" in drawn(panels.VBD_PT_sidebar)
    scene.vbd.use_ground = True
    assert hints() == ["Ready: press Bake"]
    cube.vbd.attachments.add()
    assert hints() == ["Cube: choose a Target"]
    cube.vbd.attachments[0].enabled = False
    assert hints() == ["Ready: press Bake"]
    bpy.ops.object.duplicate_move_linked()
    assert hints() == ["Cube needs a mesh of its own"]
    assert "vbd.make_mesh_local" in drawn(panels.VBD_PT_sidebar)
    bpy.ops.vbd.make_mesh_local()
    assert hints() == ["Ready: press Bake"]
    cube.vbd.baked = True
    assert hints() == []


@pytest.mark.parametrize("held", ["pins", "collider", "weightless"])
def test_what_does_not_fall_forever_needs_no_floor(cube, held):
    bpy.ops.vbd.add(role="SOFT")
    if held == "pins":
        cube.vbd.pin_group = "Group"
    elif held == "collider":
        bpy.ops.mesh.primitive_plane_add()
        bpy.ops.vbd.add(role="COLLIDER")
    else:
        bpy.context.scene.use_gravity = False
    assert hints() == ["Ready: press Bake"]


def test_hints_fit_beside_an_icon_at_the_default_width(scene):
    width = advice.measured(bpy.context)
    for text in (*map(message, ("progress.esc_short", "bake.add_body", "bake.no_floor")),):
        assert 0 < width(text) <= advice.text_width(bpy.context)


def test_frames_beside_the_timeline_are_asked_about_before_the_bake(cube, scene):
    bpy.ops.vbd.add(role="SOFT")
    scene.vbd.use_ground = True
    scene.frame_start, scene.frame_end = 1001, 1100
    assert hints() == ["Bake frames 1001 to 1100 instead?"]
    scene.vbd.frame_end = 1001
    assert hints() == ["Ready: press Bake"]
    scene.frame_start, scene.frame_end = 0, 10
    scene.vbd.frame_start = 11
    assert hints() == ["Bake frames 0 to 10 instead?"]


AFTER_A_BAKE = {"vbd.resume_bake", "vbd.bake_from_here", "vbd.free_bake"}


def test_before_the_first_bake_no_grey_button_stands_below_bake(cube, monkeypatch):
    bpy.ops.vbd.add(role="SOFT")
    layout = layout_of(panels.VBD_PT_sidebar)
    assert "vbd.bake" in layout.shown
    assert not AFTER_A_BAKE & set(layout.shown) and not layout.dead
    assert not visible(panels.VBD_PT_export)
    kept = SimpleNamespace(frame=5, scene_frame=6, cache=None)  # frames are missing
    monkeypatch.setattr(panels, "saved_frames", lambda _: kept)
    assert AFTER_A_BAKE <= set(drawn(panels.VBD_PT_sidebar))


def test_what_is_baked_can_be_exported_from_a_closed_panel(cube):
    cube.vbd.role = "SOFT"
    playback.write(cube, [np.zeros((8, 3), np.float32)] * 2, 1, [])
    assert "vbd.free_bake" in drawn(panels.VBD_PT_sidebar)
    assert visible(panels.VBD_PT_export)
    assert panels.VBD_PT_export.bl_options == {"DEFAULT_CLOSED"}
    assert layout_of(panels.VBD_PT_export).buttons == ["For glTF and FBX", "Point Cache"]
    with running_bake():
        assert not visible(panels.VBD_PT_export)


def test_a_bake_that_runs_shows_progress_and_cancel_instead_of_bake(scene):
    assert "vbd.bake" in drawn(panels.VBD_PT_sidebar)
    with running_bake():
        shown = drawn(panels.VBD_PT_sidebar)
    assert {"progress", "vbd.cancel_bake"} <= set(shown)
    assert "vbd.bake" not in shown


def test_a_baked_mesh_in_edit_mode_is_warned_of(cube):
    playback.write(cube, [np.zeros((8, 3), np.float32)] * 2, 1, [])
    assert not visible(panels.VBD_PT_report)
    bpy.ops.object.mode_set(mode="EDIT")
    assert visible(panels.VBD_PT_report)
    assert "Cube is baked and is in Edit Mode" in drawn(panels.VBD_PT_report)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_resume_names_its_frame_and_is_there_where_one_is_missing(cube, monkeypatch):
    bpy.ops.vbd.add(role="SOFT")
    bpy.context.scene.vbd.use_ground = True
    kept = SimpleNamespace(frame=5, scene_frame=6, cache=None)
    monkeypatch.setattr(panels, "saved_frames", lambda _: kept)
    for last, frame in ((6, None), (7, 7)):
        bpy.context.scene.vbd.frame_end = last
        buttons = layout_of(panels.VBD_PT_sidebar).buttons
        assert [b for b in buttons if "Resume" in b] == [f"Resume from Frame {frame}"] * bool(frame)
        assert hints() == [] if frame else hints() == ["Ready: press Bake"]
