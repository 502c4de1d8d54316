# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of colliders by collections and nodes push like real objects."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, instanced, mesh_object, sheet, shown, slab

from vbd.solver.bodies import Collider
from vbd.solver.bodies.points import points_at


def colliders():
    return [body for body in gathered().bodies if isinstance(body, Collider)]


@pytest.fixture
def cloth(scene):
    """A sheet one unit above the ground, to be baked for some frames."""
    ob = sheet(cells=2)
    ob.location.z = 0.1
    frames(scene, 1, 10)
    scene.vbd.device = "CPU"
    return ob


def test_a_cloth_lies_on_an_instanced_table_as_on_a_real_one(cloth):
    table = slab("Table")
    baked()
    real = shown(cloth, 10)
    bpy.ops.vbd.free_bake()
    empty = instanced(table)
    table.location.z, empty.location.z = 0.5, -0.5
    baked()
    assert np.allclose(shown(cloth, 10), real, rtol=0, atol=1e-6)
    assert real[:, 2].min() > -0.01


def test_two_instances_are_one_collider_and_mirrored_ones_look_out(cloth):
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    empty = instanced(mesh_object("Stone", corners, faces=faces, role="COLLIDER"))
    other = empty.copy()
    bpy.context.scene.collection.objects.link(other)
    other.location.x, other.scale.y = 5.0, -1.0
    (body,) = colliders()
    assert body.name == "Stone (instances)" and body.vertex_count == 8
    for part, center in (
        (body.triangles[:4], (0.1, 0.1, 0.1)),
        (body.triangles[4:], (5.1, -0.1, 0.1)),
    ):
        a, b, c = (body.start[part[:, k]] for k in range(3))
        assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a - center) > 0.0).all()


def test_instances_follow_the_animation_of_what_places_them(cloth):
    empty = instanced(slab("Table"))
    empty.location.z = -1.0
    empty.keyframe_insert("location", frame=1)
    empty.location.z = 0.5
    empty.keyframe_insert("location", frame=10)
    baked()
    assert shown(cloth, 10)[:, 2].min() > 0.49


def test_a_collision_collection_reaches_instances(cloth):
    table = slab("Table")
    instanced(table)
    friends = bpy.data.collections.new("Friends")
    cloth.vbd.collision_collection = friends
    bodies = {body.name: body for body in gathered().bodies}
    assert bodies["Sheet"].collides_with == ()
    friends.objects.link(table)
    bodies = {body.name: body for body in gathered().bodies}
    assert bodies["Sheet"].collides_with == ("Table (instances)",)


def test_instances_that_become_more_are_refused_in_a_sentence(cloth):
    stone = slab("Stone", size=0.1)
    owner = mesh_object("Ground", [(0, 0, -1), (1, 0, -1), (0, 1, -1)], faces=[(0, 1, 2)])
    stone.parent, owner.instance_type = owner, "FACES"
    modifier = owner.modifiers.new("Array", "ARRAY")
    modifier.count = 1
    modifier.keyframe_insert("count", frame=1)
    modifier.count = 3
    modifier.keyframe_insert("count", frame=5)
    # Refused before any work, like other objects that gain vertices.
    with pytest.raises(RuntimeError, match=r"^Error: Stone: its instances have .* 4 at"):
        bpy.ops.vbd.bake()


def test_instances_by_geometry_nodes(cloth):
    table = slab("Table", height=-0.3)
    tree = bpy.data.node_groups.new("Put", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    info = tree.nodes.new("GeometryNodeObjectInfo")
    info.inputs["Object"].default_value = table
    info.inputs["As Instance"].default_value = True
    info.transform_space = "RELATIVE"
    out = tree.nodes.new("NodeGroupOutput")
    tree.links.new(info.outputs["Geometry"], out.inputs[0])
    owner = mesh_object("Owner", [(0, 0, 0)])
    owner.location.z = 0.2
    owner.modifiers.new("Put", "NODES").node_group = tree
    bpy.context.view_layer.update()
    real, copies = colliders()
    assert copies.name == "Table (instances)"
    assert np.allclose(points_at("x", copies.points, 0, 0.0), real.start, rtol=0, atol=1e-6)
