# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that cannot be simulated are refused in words, and nothing changes."""

import bpy
import pytest
from blender_scenes import (
    empty_object,
    frames,
    gathered,
    linked,
    mesh_object,
    sheet,
    slab,
    tet_block,
)

from vbd.addon.gathering import gather
from vbd.addon.objects.tetmesh import store_tets


def snapshot():
    """State that must not change when a scene is refused."""
    scene = bpy.context.scene
    return (
        scene.frame_current,
        len(bpy.data.meshes),
        len(bpy.data.actions),
        len(bpy.data.shape_keys),
        [
            (ob.name, ob.vbd.bake_record, [(m.show_viewport, m.show_render) for m in ob.modifiers])
            for ob in bpy.data.objects
        ],
        bpy.context.window_manager.vbd.baking,
    )


def nothing(scene):
    mesh_object("Prop", [(0, 0, 0)])


def only_colliders(scene):
    slab()


def not_a_mesh(scene):
    sheet()
    bpy.ops.object.text_add()
    bpy.context.object.name = "Words"
    bpy.context.object.vbd.role = "COLLIDER"


def empty_mesh(scene):
    mesh_object("Void", [], role="SOFT")


def empty_collider(scene):
    sheet()
    mesh_object("Void", [], role="COLLIDER")


def no_such_group(scene):
    sheet().vbd.pin_group = "Handle"


def empty_pin_group(scene):
    ob = sheet()
    ob.vertex_groups.new(name="Handle")
    ob.vbd.pin_group = "Handle"


def flat_triangle(scene):
    mesh_object("Rag", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], faces=[(0, 1, 2)], role="CLOTH")


def flat_tet(scene):
    ob = mesh_object("Block", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], role="SOFT")
    store_tets(ob.data, [[0, 1, 2, 3]])


def inverted_tet(scene):
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)]
    ob = mesh_object("Block", points, role="SOFT")
    store_tets(ob.data, [[0, 1, 2, 3], [0, 1, 2, 4]])


def stale_tets(scene):
    tet_block().data.vertices.add(1)


def not_a_number(scene):
    ob = sheet()
    ob.data.vertices[3].co.x = float("nan")


def not_a_number_in_a_collider(scene):
    sheet()
    slab().data.vertices[2].co.x = float("nan")


def shared_mesh(scene):
    ob = sheet()
    other = bpy.data.objects.new("Twin", ob.data)
    scene.collection.objects.link(other)


def hidden(scene):
    sheet().hide_viewport = True


def excluded(scene):
    collection = bpy.data.collections.new("Off")
    scene.collection.children.link(collection)
    ob = sheet()
    scene.collection.objects.unlink(ob)
    collection.objects.link(ob)
    bpy.context.view_layer.layer_collection.children["Off"].exclude = True


def zero_scale(scene):
    sheet().scale.z = 0.0


def end_before_start(scene):
    sheet()
    frames(scene, 10, 3)


def no_cuda(scene):
    sheet()
    scene.vbd.device = "CUDA"


def crate_with(ob, until=None):
    """Make an object the child of a rigid body, which its animation may lead until a frame."""
    bpy.ops.mesh.primitive_cube_add()
    crate = ob.parent = bpy.context.object
    crate.name, crate.vbd.role = "Crate", "RIGID"
    crate.vbd.use_animation, crate.vbd.animated_until = until is not None, until or 0
    return crate


def child_of_a_rigid_body(scene):
    crate_with(sheet(), 3)


def grandchild_of_a_rigid_body(scene):
    between = empty_object("Between")
    crate_with(between)
    sheet().parent = between


def child_of_vertices(scene):
    ob, owner = sheet(), tet_block()
    ob.parent, ob.parent_type, ob.parent_vertices = owner, "VERTEX", (0, 0, 0)


REFUSED = {
    nothing: "Give an object a role first",
    only_colliders: "All objects are colliders",
    not_a_mesh: "Words is a text: convert it to a mesh",
    empty_mesh: "Void: the mesh is empty",
    empty_collider: "Void: the collider has no faces",
    no_such_group: 'Sheet: there is no vertex group "Handle"',
    empty_pin_group: 'Sheet: no vertex has a weight in the vertex group "Handle"; assign some',
    flat_triangle: "Rag: none of its faces has an area",
    flat_tet: "Block: 1 of 1 tets are flat",
    inverted_tet: "Block: 1 of 2 tets are inverted",
    stale_tets: "Block: its tets were made for 27 vertices",
    not_a_number: "Sheet: 1 of 25 vertices have no valid position in frame 5",
    not_a_number_in_a_collider: "Slab: 1 of 4 vertices have no valid position in frame 5",
    shared_mesh: "Sheet shares its mesh with Twin",
    hidden: "Sheet is hidden",
    excluded: "Sheet is hidden in the viewport or excluded",
    zero_scale: "Sheet: its scale is 0",
    end_before_start: r"End \(3\) must be after Frame Start \(10\)",
    no_cuda: "CUDA",
    child_of_a_rigid_body: "Sheet is a child of Crate",
    grandchild_of_a_rigid_body: "Sheet is a child of Crate",
    child_of_vertices: "Sheet is a child of Block",
}


@pytest.mark.parametrize("build", REFUSED, ids=lambda build: build.__name__)
def test_bad_input_gets_a_sentence_and_changes_nothing(scene, build):
    scene.vbd.device = "CPU"
    if build is no_cuda:
        import warp as wp

        if wp.is_cuda_available():
            pytest.skip("there is a CUDA device here")
    build(scene)
    scene.frame_set(5)
    before = snapshot()
    with pytest.raises(RuntimeError, match=REFUSED[build]) as error:
        bpy.ops.vbd.bake()
    assert len(str(error.value).strip().splitlines()) == 1
    assert snapshot() == before


def test_a_linked_mesh_is_refused(scene, tmp_path):
    sheet()
    linked("Sheet", tmp_path)
    with pytest.raises(RuntimeError, match="Sheet: its mesh is linked"):
        bpy.ops.vbd.bake()


def test_a_linked_collider_is_used(scene, tmp_path):
    slab()
    linked("Slab", tmp_path)
    sheet()
    assert {body.name for body in gathered().bodies} == {"Slab", "Sheet"}


def test_an_object_in_edit_mode_is_refused(scene):
    ob = sheet()
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        with pytest.raises(ValueError, match="Sheet is in Edit Mode"):
            gather.participants(scene)
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def test_a_mesh_shared_with_a_deleted_object_is_no_obstacle(scene):
    ob = sheet()
    bpy.data.objects.new("Gone", ob.data)
    assert gather.participants(scene) == [ob]


def test_an_object_hidden_by_its_eye_is_refused_or_read_with_its_modifiers(scene):
    """Blender evaluates no modifiers of hidden objects, so a wrong mesh must never be read."""
    sheet()
    ob = slab()
    ob.modifiers.new("Subdivision", "SUBSURF").levels = 2
    ob.hide_set(True)
    try:
        count = len(gathered().bodies[1].points)
    except ValueError as error:
        assert "Slab is hidden" in str(error)
    else:
        assert count > 4


def test_children_of_what_the_simulation_does_not_move_take_part(scene):
    ob, other = sheet(), sheet("Other")
    crate_with(ob, scene.vbd.frame_end)
    other.parent = tet_block()
    other.location.z = 5.0
    assert gather.participants(scene)


def test_a_parent_counts_in_the_scene_that_is_baked(scene):
    """Another scene has its own bodies, and its own end."""
    ob, other = sheet(), bpy.data.scenes.new("Elsewhere")
    other.vbd.frame_end = scene.vbd.frame_end + 50
    crate = crate_with(ob, scene.vbd.frame_end)
    other.collection.objects.link(crate)
    assert gather.participants(scene)
    crate.vbd.use_animation = False
    with pytest.raises(ValueError, match="Sheet is a child of Crate"):
        gather.participants(scene)
    scene.collection.objects.unlink(crate)
    assert gather.participants(scene)


def test_a_collider_below_a_rigid_body_is_told_to_stay_behind(scene):
    crate_with(slab())
    assert [note for note in gathered().notes if "Slab is a child of Crate" in note] == []
    objects = gather.participants(scene)
    with gather.prepared(scene, objects) as notes:
        assert [note for note in notes if "Slab is a child of Crate" in note]
