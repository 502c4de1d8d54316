# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and pieces of rigid bodies, from the panel to the solver."""

import bpy
import numpy as np
import pytest
from blender_scenes import empty_object, gathered, mesh_object

from vbd.addon.objects.blender_constraints import read_constraint
from vbd.addon.objects.mesh_pieces import volume_of
from vbd.solver.messages import message
from vbd.solver.scene.joints import Joint
from vbd.solver.topology.graphs import connected_components

QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]


def rigid_cube(name="Crate", location=(0.0, 0.0, 0.0), parts=(0.0,)):
    """A rigid cube of 2 m, or several at places along x in one object."""
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
    points = np.concatenate([corners + [shift, 0.0, 0.0] for shift in parts])
    faces = [[corner + 8 * n for corner in quad] for n in range(len(parts)) for quad in QUADS]
    ob = mesh_object(name, points, faces=faces, role="RIGID")
    ob.location = location
    return ob


def join(ob, **values):
    """A joint of a rigid object."""
    item = ob.vbd.attachments.add()
    for name, value in values.items():
        setattr(item, name, value)
    return item


def joints():
    return [one for one in gathered().holding if isinstance(one, Joint)]


def test_a_joint_is_where_its_empty_is_along_the_chosen_axis(scene):
    crate, lid = rigid_cube(), rigid_cube("Lid", (0.0, 0.0, 2.5))
    hinge = empty_object("Hinge", (1.0, 0.0, 1.2))
    hinge.rotation_euler = (0.0, 0.0, 0.3)
    limits = {"use_limits": True, "low_angle": -0.2, "high_angle": 1.5}
    join(lid, kind="HINGE", target=crate, axis_object=hinge, axis="Y", **limits)
    (joint,) = joints()
    assert joint.body.name == "Lid" and joint.other.name == "Crate"
    assert joint.point == pytest.approx([1.0, 0.0, 1.2], abs=1e-6)
    assert joint.axis == pytest.approx([-np.sin(0.3), np.cos(0.3), 0.0], abs=1e-6)
    assert joint.limits == pytest.approx((-0.2, 1.5))
    assert joint.strength == np.inf and not joint.collides


@pytest.mark.parametrize(
    ("role", "kind"),
    [("RIGID", "HINGE"), ("COLLIDER", "HINGE"), ("NONE", "HINGE")]
    + [(role, "ATTACHMENT") for role in ("SOFT", "CLOTH", "ROD", "GRAINS")],
)
def test_the_button_joins_a_rigid_body_only_to_what_keeps_its_shape(scene, role, kind):
    other, crate = rigid_cube("Other"), rigid_cube(location=(0.0, 0.0, 2.5))
    other.vbd.role = role
    axis = empty_object("Axis")
    for each in (other, axis, crate):
        each.select_set(True)
    bpy.context.view_layer.objects.active = crate
    bpy.ops.vbd.add_attachment()
    (item,) = crate.vbd.attachments
    assert (item.kind, item.target) == (kind, other)
    assert item.axis_object == (axis if kind == "HINGE" else None)


def test_a_joint_without_an_empty_is_between_the_nearest_points(scene):
    rigid_cube()
    lid = rigid_cube("Lid", (0.0, 0.0, 2.5))
    join(lid, kind="FIXED", target=bpy.data.objects["Crate"], breaking_force=40.0)
    (joint,) = joints()
    assert joint.point[2] == pytest.approx(1.25) and joint.strength == 40.0


def test_a_motor_of_a_keyed_angle_follows_its_keyframes(scene):
    door, post = rigid_cube("Door", (1.5, 0.0, 0.0)), empty_object("Post")
    item = join(door, kind="HINGE", axis_object=post, motor="POSITION", motor_torque=9.0)
    for frame, angle in ((1, 0.0), (11, 1.0)):
        item.motor_angle = angle
        item.keyframe_insert("motor_angle", frame=frame)
    scene.vbd.frame_start, scene.vbd.frame_end = 1, 11
    (joint,) = joints()
    assert joint.other is None and callable(joint.motor.position)
    assert joint.motor.position(0.0) == pytest.approx(0.0)
    assert joint.motor.maximum == 9.0


def test_a_joint_to_a_soft_body_is_refused_in_words(scene):
    soft, crate = rigid_cube("Pillow", (0.0, 0.0, 3.0)), rigid_cube()
    soft.vbd.role = "SOFT"
    join(crate, kind="BALL", target=soft, name="Ball")
    with pytest.raises(ValueError) as error:
        gathered()
    text = message("joint.soft_target", name="Crate: Ball", target="Pillow")
    assert str(error.value) == text


def test_an_attachment_of_a_rigid_body_holds_points_of_it(scene):
    """Weights of the four control points give the tied vertex."""
    crate, hook = rigid_cube(), empty_object(location=(1.0, 1.0, 1.5))
    join(crate, kind="ATTACHMENT", target=hook)
    (tie,) = gathered().holding
    place = tie.own_weights[0] @ tie.body.points[tie.vertices[0]]
    assert place == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)


def test_blenders_own_hinge_is_read_as_a_joint(scene):
    crate, lid = rigid_cube(), rigid_cube("Lid", (0.0, 0.0, 2.5))
    empty = empty_object("Constraint", (1.0, 0.0, 1.2))
    bpy.ops.rigidbody.world_add()
    bpy.context.view_layer.objects.active = empty
    bpy.ops.rigidbody.constraint_add(type="HINGE")
    own = empty.rigid_body_constraint
    own.object1, own.object2 = crate, lid
    own.use_limit_ang_z, own.limit_ang_z_lower, own.limit_ang_z_upper = True, -0.2, 1.0
    own.use_breaking, own.breaking_threshold = True, 2.0
    assert read_constraint(scene, empty) is None
    assert read_constraint(scene, empty) is None  # only once
    (item,) = crate.vbd.attachments
    assert (item.kind, item.axis, item.target, item.axis_object) == ("HINGE", "Z", lid, empty)
    # The crate against the lid turns the other way.
    assert (item.low_angle, item.high_angle) == pytest.approx((-1.0, 0.2))
    assert item.breaking_force == pytest.approx(2.0 * 10 * 24)


def broken(ob, **values):
    """The pieces of an object."""
    bpy.context.view_layer.objects.active = ob
    assert bpy.ops.vbd.break_into_pieces(**values) == {"FINISHED"}
    return list(bpy.data.collections[f"{ob.name} Pieces"].objects)


def test_pieces_fill_the_mesh_and_hang_together(scene):
    """Each is closed; their volume is that of the cube less the cracks: 12 pieces of an area of
    about 40 m² between them with a gap of 2 mm are 1 % of 8 m³.
    """
    ob = rigid_cube(location=(0.0, 0.0, 1.0))
    pieces = broken(ob, count=12)
    assert len(pieces) == 12 and ob.vbd.role == "NONE"
    volume = sum(volume_of(piece.data) for piece in pieces)
    assert 0.98 * 8.0 < volume < 8.0
    number = {piece: n for n, piece in enumerate(pieces)}
    pairs = [(number[p], number[item.target]) for p in pieces for item in p.vbd.attachments]
    assert len(set(connected_components(np.array(pairs), len(pieces)))) == 1
    bodies = [one for one in gathered().bodies if hasattr(one, "mesh_points")]
    assert len(bodies) == 12
    low, high = (
        np.array([getattr(b.mesh_points, f)(axis=0) for b in bodies]) for f in ("min", "max")
    )
    assert low.min(axis=0) == pytest.approx([-1.0, -1.0, 0.0], abs=1e-5)
    assert high.max(axis=0) == pytest.approx([1.0, 1.0, 2.0], abs=1e-5)


def test_loose_parts_become_pieces_joined_to_their_neighbors(scene):
    ob = rigid_cube(parts=(0.0, 2.001, 6.0))
    pieces = broken(ob, gap=0.002, strength=10.0)
    assert len(pieces) == 3
    (item,) = [item for piece in pieces for item in piece.vbd.attachments]
    assert item.breaking_force == pytest.approx(10e3 * 4.0)  # a face of the cube


def test_pieces_share_the_mass_and_have_the_materials(scene):
    ob = rigid_cube()
    ob.vbd.use_mass, ob.vbd.mass = True, 10.0
    ob.data.materials.append(bpy.data.materials.new("Clay"))
    pieces = broken(ob, count=4)
    assert sum(piece.vbd.mass for piece in pieces) == pytest.approx(10.0, rel=1e-5)
    assert all(piece.data.materials[0].name == "Clay" for piece in pieces)


def test_the_strength_of_cracks_follows_the_unit_of_the_scene(scene):
    """Cracks of a cube of 2 cm have a ten thousandth of the area of those of 2 m."""
    forces = []
    for unit in (1.0, 0.01):
        scene.unit_settings.scale_length = unit
        pieces = broken(rigid_cube(f"Cube {unit}"), count=2, gap=0.002)
        forces.append(sum(item.breaking_force for p in pieces for item in p.vbd.attachments))
    assert forces[1] == pytest.approx(1e-4 * forces[0], rel=1e-4)


def test_pieces_without_strength_are_not_joined(scene):
    pieces = broken(rigid_cube(), count=3, strength=0.0)
    assert len(pieces) == 3 and not any(len(piece.vbd.attachments) for piece in pieces)


def test_an_open_mesh_is_not_broken(scene):
    ob = mesh_object("Sheet", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)], role="RIGID")
    bpy.context.view_layer.objects.active = ob
    with pytest.raises(RuntimeError, match="Sheet is not closed"):
        bpy.ops.vbd.break_into_pieces()
