# SPDX-License-Identifier: GPL-3.0-or-later
"""Give Each Its Own Mesh: linked, overridden and shared meshes become ones that a bake can use."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, mesh_object, reopened, sheet, shown

from vbd.addon.gathering import gather


@pytest.fixture
def library(scene, tmp_path):
    """A file with a cloth in a collection."""
    ob, rig = sheet("Cape", cells=2), bpy.data.collections.new("Rig")
    scene.collection.objects.unlink(ob)
    rig.objects.link(ob)
    scene.collection.children.link(rig)
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    frames(bpy.context.scene, 1, 3)
    bpy.context.scene.vbd.device = "CPU"
    return path


def link(path, what):
    with bpy.data.libraries.load(path, link=True) as (there, here):
        setattr(here, what, getattr(there, what))
    return getattr(here, what)[0]


def linked_object(path):
    bpy.context.scene.collection.objects.link(link(path, "objects"))


def overridden_rig(path):
    scene, rig = bpy.context.scene, link(path, "collections")
    scene.collection.children.link(rig)
    rig.override_hierarchy_create(scene, bpy.context.view_layer)
    scene.collection.children.unlink(rig)


def overridden_mesh(path):
    overridden_rig(path)
    ob = bpy.context.scene.objects["Cape"]
    ob.data = ob.data.override_create(remap_local_usages=False)


@pytest.mark.parametrize("bring", [linked_object, overridden_rig, overridden_mesh])
def test_a_bake_of_an_override_survives_loading_the_file_again(library, tmp_path, bring):
    bring(library)
    with pytest.raises(RuntimeError, match=r"linked from another file .* Give Each Its Own Mesh"):
        bpy.ops.vbd.bake()
    assert bpy.ops.vbd.make_mesh_local() == {"FINISHED"}
    assert not bpy.ops.vbd.make_mesh_local.poll()
    scene = bpy.context.scene
    assert scene.objects["Cape"].override_library
    assert baked().frames == 2
    before = shown(scene.objects["Cape"], 3)
    reopened(tmp_path / "shot.blend")
    (ob,) = bpy.context.scene.objects
    assert np.allclose(shown(ob, 3), before) and before[:, 2].max() < -0.01
    bpy.ops.vbd.free_bake()
    assert ob.data.shape_keys is None


def test_what_is_in_a_linked_collection_needs_an_override_of_that(library):
    bpy.context.scene.collection.children.link(link(library, "collections"))
    with pytest.raises(RuntimeError, match="Cape is in a linked collection"):
        bpy.ops.vbd.make_mesh_local()


def test_of_two_that_share_a_mesh_one_gets_another(scene):
    one, other = sheet("One"), mesh_object("Other", [], role="CLOTH")
    other.data = one.data
    assert bpy.ops.vbd.make_mesh_local() == {"FINISHED"}
    assert one.data != other.data
    gather.participants(scene)
    assert not bpy.ops.vbd.make_mesh_local.poll()


def test_the_refusal_says_how_many_share_a_mesh(scene):
    one = sheet("One")
    for number in range(9):
        mesh_object(f"Twin {number}", [], role="CLOTH").data = one.data
    with pytest.raises(RuntimeError, match="One shares its mesh with Twin 0 and 8 more; press"):
        bpy.ops.vbd.bake()
    assert bpy.ops.vbd.make_mesh_local() == {"FINISHED"}
    assert len({ob.data for ob in scene.objects}) == 10
