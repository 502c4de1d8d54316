# SPDX-License-Identifier: GPL-3.0-or-later
"""The notice that soft bodies of version 0.1 are softer now."""

import bpy
import pytest
from blender_scenes import mesh_object, reopened, sheet, tet_block
from shapes import block
from version_0_1.contents import BLEND

from vbd.addon.headless import command
from vbd.addon.panels.sidebar import VBD_PT_softness
from vbd.addon.panels.softness import softer
from vbd.solver.messages import message

needs_the_file = pytest.mark.skipif(
    bpy.app.version < (4, 5, 0), reason="the file was saved with Blender 4.5"
)


def is_shown():
    return VBD_PT_softness.poll(bpy.context)


@pytest.fixture
def old():
    """The file of version 0.1."""
    bpy.ops.wm.open_mainfile(filepath=str(BLEND))


@needs_the_file
def test_a_file_of_version_0_1_shows_it_until_it_is_dismissed(old, tmp_path):
    assert [ob.name for ob in softer(bpy.data.objects)] == ["Ball"]  # Block has its own tets
    reopened(tmp_path / "saved.blend")
    assert is_shown()
    bpy.ops.vbd.dismiss_softness()
    assert not is_shown()
    reopened(tmp_path / "saved.blend")
    assert not is_shown()


@needs_the_file
def test_the_command_line_says_it_once(tmp_path, capsys):
    first, second = tmp_path / "first.blend", tmp_path / "second.blend"
    command.run(["bake", str(BLEND), "--output", str(first)], "vbd")
    assert capsys.readouterr().out.count(message("bake.softness")) == 1
    bpy.ops.vbd.dismiss_softness()
    bpy.ops.wm.save_mainfile()
    command.run(["bake", str(first), "--output", str(second)], "vbd")
    assert message("bake.softness") not in capsys.readouterr().out


@needs_the_file
def test_dismissing_counts_for_all_scenes_and_for_copies(old):
    bpy.ops.scene.new(type="FULL_COPY")
    assert is_shown()
    bpy.ops.vbd.dismiss_softness()
    bpy.context.window.scene = bpy.data.scenes["Scene"]
    assert not is_shown()


@needs_the_file
def test_a_role_that_is_given_anew_ends_it(old):
    ball = bpy.data.objects["Ball"]
    ball.vbd.role = "CLOTH"
    ball.vbd.role = "SOFT"
    assert not is_shown()


@needs_the_file
def test_it_comes_with_what_is_appended_from_an_old_file_and_not_with_what_is_linked(scene):
    for link in (True, False):
        with bpy.data.libraries.load(str(BLEND), link=link) as (_, taken):
            taken.objects = ["Ball"]
        scene.collection.objects.link(taken.objects[0])
        assert is_shown() == (not link)


@needs_the_file
def test_of_an_override_the_notice_can_be_dismissed(scene, tmp_path):
    with bpy.data.libraries.load(str(BLEND), link=True) as (_, linked):
        linked.objects = ["Ball"]
    ball = linked.objects[0].override_create()
    scene.collection.objects.link(ball)
    assert is_shown()
    bpy.ops.vbd.dismiss_softness()
    reopened(tmp_path / "saved.blend")
    assert bpy.data.objects["Ball"].vbd.role == "SOFT"
    assert not is_shown()


def test_a_new_file_never_shows_it(scene, tmp_path):
    points, triangles = block((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    ob = mesh_object("Box", points, faces=triangles)
    assert not is_shown()
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.vbd.add(role="SOFT")
    tet_block()
    sheet()
    assert not is_shown()
    copy = ob.copy()
    scene.collection.objects.link(copy)
    reopened(tmp_path / "new.blend")
    assert not is_shown()
