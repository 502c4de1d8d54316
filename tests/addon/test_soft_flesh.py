# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft Flesh on Rig, from the button to the bake, on a small figure: a block with a stiff head."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, mesh_object, shown, tet_block
from shapes import block, rotation

from vbd.addon.gathering.target import Target
from vbd.addon.objects.flesh import flesh_of
from vbd.addon.objects.stiff_bones import is_stiff

# Bones of the figure: head and tail [m].
BONES = {
    "spine": ((0.0, 0.0, 0.1), (0.0, 0.0, 0.8)),
    "head": ((0.0, 0.0, 0.8), (0.0, 0.0, 1.2)),
}
SIZE, WIDTH = 1.2, 0.2


@pytest.fixture
def rig(scene):
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, ends in BONES.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = ends
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


@pytest.fixture
def figure(rig):
    """A block of 0.2 m by 0.2 m by 1.2 m, with its bones in the middle."""
    points, triangles = block((WIDTH, WIDTH, SIZE), (0.0, 0.0, SIZE / 2))
    ob = mesh_object("Figure", points, faces=triangles)
    select(ob)
    ob.modifiers.new("Remesh", "REMESH").voxel_size = 0.04
    bpy.ops.object.modifier_apply(modifier="Remesh")
    height = np.array([vertex.co.z for vertex in ob.data.vertices])
    for name, chosen in {"spine": height <= 0.8, "head": height > 0.8}.items():
        ob.vertex_groups.new(name=name).add(np.flatnonzero(chosen).tolist(), 1.0, "REPLACE")
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    return ob


def select(ob):
    for other in bpy.context.view_layer.objects:
        other.select_set(other == ob)
    bpy.context.view_layer.objects.active = ob


def press(ob, **options):
    select(ob)
    return bpy.ops.vbd.soft_flesh(**options)


def all_of(ob):
    """Everything that the button may change, as plain values."""
    groups = [
        (g.name, [(v.index, e.weight) for v in ob.data.vertices for e in v.groups if e.group == n])
        for n, g in enumerate(ob.vertex_groups)
    ]
    values = {}
    for group in (ob.vbd, bpy.context.scene.vbd):
        for prop in group.bl_rna.properties:
            if prop.type not in ("POINTER", "COLLECTION"):
                value = getattr(group, prop.identifier)
                values[group.bl_rna.identifier, prop.identifier] = (
                    tuple(value) if getattr(prop, "is_array", False) else value,
                    group.is_property_set(prop.identifier),
                )
    points = [tuple(vertex.co) for vertex in ob.data.vertices]
    stack = [(m.name, m.type, m.show_viewport) for m in ob.modifiers]
    return {**values, "groups": groups, "active": ob.vertex_groups.active_index} | {
        "points": points,
        "stack": stack,
    }


def changes(before, now):
    return {key: (before[key], now[key]) for key in before if before[key] != now[key]}


def test_the_button_makes_the_body_soft(figure):
    assert press(figure) == {"FINISHED"}
    vbd = figure.vbd
    assert vbd.role == "SOFT"
    assert vbd.self_contact and vbd.keeps_shape and vbd.soft_pins
    assert vbd.pin_group in figure.vertex_groups
    assert 0.0 < vbd.pin_depth < WIDTH
    cell_size = SIZE / vbd.resolution
    assert cell_size <= min(WIDTH / 3, vbd.pin_depth / 2)


def test_pressed_again_it_takes_all_back(figure):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 5, 50
    figure.vertex_groups.active_index = 1
    before = all_of(figure)
    press(figure)
    assert changes(before, all_of(figure))
    figure.vbd.damping = 0.5
    press(figure)
    assert not changes(before, all_of(figure))


def test_remove_takes_all_back_too(figure):
    figure.vbd.role = "NONE"  # as Remove sets it
    before = all_of(figure)
    press(figure)
    bpy.ops.vbd.remove()
    assert not changes(before, all_of(figure))


def test_settings_from_before_come_back(figure):
    figure.vbd.role = "CLOTH"
    figure.vbd.density, figure.vbd.pin_group = 0.7, "head"
    figure.vbd.pin_axes = (True, True, False)
    before = all_of(figure)
    press(figure)
    assert figure.vbd.role == "SOFT"
    press(figure)
    assert not changes(before, all_of(figure))


def test_flesh_is_soft_where_it_is_deep_and_bones_are_not_stiff(figure):
    flesh = flesh_of(figure, {"head"})
    points = np.array([vertex.co for vertex in figure.data.vertices])
    head = points[:, 2] > 1.0
    np.testing.assert_array_equal(flesh.weights[head], 1.0)
    middle = (points[:, 2] > 0.3) & (points[:, 2] < 0.5)
    off = np.linalg.norm(points[:, :2], axis=1)
    near, far = (flesh.weights[middle & chosen] for chosen in (off < 0.105, off > 0.125))
    # The edges of the block are farther from the bone than the middles of its sides.
    assert far.mean() < near.mean() < 0.9


def test_bones_can_be_chosen(figure):
    soft_head = [{"name": "spine", "stiff": False}, {"name": "head", "stiff": False}]
    press(figure, bones=soft_head)
    mesh = figure.data
    top = [vertex.index for vertex in mesh.vertices if vertex.co.z > 1.0]
    group = figure.vertex_groups[figure.vbd.pin_group]
    assert max(group.weight(index) for index in top) < 1.0
    press(figure)
    with pytest.raises(RuntimeError, match="no bone that may be soft is deep enough"):
        press(figure, bones=[{"name": "spine", "stiff": True}, {"name": "head", "stiff": True}])


def bone(*names):
    """A bone with the names of it and of those above it."""
    above = [SimpleNamespace(name=name) for name in names[1:]]
    return SimpleNamespace(name=names[0], parent_recursive=above)


STIFF = (
    *("hand.L", "DEF-hand.R", "DEF-f_index.02.L", "DEF-toe.L", "DEF-spine.006", "head", "Neck1"),
    *("mixamorig:LeftHand", "mixamorig:LeftHandThumb2", "mixamorig:RightToeBase"),
    *("mixamorig:HeadTop_End", "neck_01", "foot_l", "ball_r", "thumb_01_l", "Bip01 L Foot"),
)
SOFT = (
    *("spine", "DEF-spine.003", "DEF-thigh.L", "DEF-upper_arm.R", "shin.L", "pelvis", "chest"),
    *("mixamorig:LeftForeArm", "mixamorig:Spine2", "mixamorig:LeftUpLeg", "calf_l", "upperarm_r"),
    *("clavicle_l", "Bip01 L Thigh", "belly"),
)


@pytest.mark.parametrize("name", STIFF)
def test_hands_feet_and_heads_of_common_rigs_are_stiff(name):
    assert is_stiff(bone(name))


@pytest.mark.parametrize("name", SOFT)
def test_other_bones_are_not(name):
    assert not is_stiff(bone(name))


def test_what_hangs_on_a_stiff_bone_is_stiff():
    assert is_stiff(bone("ear.L", "head", "spine"))


def inner_of(ob):
    """The `InnerPins` of the soft body of an object."""
    targets = gathered().targets
    return next(target.inner for target in targets if isinstance(target, Target))


def test_inner_corners_follow_the_skin_rigidly(figure):
    press(figure)
    body = gathered().bodies[0]
    inner = inner_of(figure)
    turn = rotation([0.6, 0.0, 0.8], 1.2)
    found = inner.targets(shown(figure) @ turn.T + [1.0, 0.0, 2.0])
    # `RELUCTANCE` of pinned corners.
    np.testing.assert_allclose(found, body.points @ turn.T + [1.0, 0.0, 2.0], atol=1e-3)


def test_what_is_deeper_than_the_flesh_is_held(figure):
    press(figure)
    body = gathered().bodies[0]
    free = np.setdiff1d(np.arange(len(body.points)), body.pins.indices)
    inside = np.abs(body.points[:, :2]).max(axis=1) < WIDTH / 2
    off = np.linalg.norm(body.points[:, :2], axis=1)
    low = (body.points[:, 2] > 0.3) & (body.points[:, 2] < 0.6) & inside
    held = np.isin(np.arange(len(body.points)), body.pins.indices)
    assert off[low & held].max() < off[low & ~held].max()
    assert held[low & (off < 0.03)].all()
    assert len(free)


def test_strength_zero_lets_go_of_the_skin_but_not_of_the_inside(figure):
    press(figure)
    for frame, value in {1: 1.0, 5: 0.0}.items():
        figure.vbd.pin_strength = value
        figure.vbd.keyframe_insert("pin_strength", frame=frame)
    body, soft = gathered().bodies
    assert len(body.pins.indices)
    grip = soft.grips(0, 0.0)
    assert grip.min() >= 0.0
    assert grip.max() > 0.5


def test_pins_along_some_axes_are_refused(figure):
    press(figure)
    figure.vbd.pin_axes = (True, True, False)
    with pytest.raises(ValueError, match="Figure: with Flesh Depth its pins hold along all axes"):
        gathered()


def test_it_simulates_after_the_armature(figure):
    subdivision = figure.modifiers.new("Subdivision", "SUBSURF")
    subdivision.levels = subdivision.render_levels = 1
    figure.modifiers.move(1, 0)
    press(figure)
    assert (figure.vbd.stack_place, figure.vbd.stack_modifier) == ("AFTER", "Armature")
    press(figure)
    assert figure.vbd.stack_place == "AUTO"


def test_it_is_refused_without_a_rig_or_groups(figure):
    figure.vertex_groups.clear()
    with pytest.raises(RuntimeError, match="Figure has no vertex groups named after bones"):
        press(figure)
    figure.modifiers.clear()
    with pytest.raises(RuntimeError, match="Figure has no Armature modifier"):
        press(figure)


def test_a_mesh_with_own_tets_is_refused(rig):
    ob = tet_block()
    ob.vertex_groups.new(name="spine").add(range(len(ob.data.vertices)), 1.0, "REPLACE")
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    with pytest.raises(RuntimeError, match="tet"):
        press(ob)


def test_flesh_lags_behind_the_bones_and_settles(figure, rig):
    scene = bpy.context.scene
    frames(scene, 1, 24)
    figure.parent = rig
    for frame, value in {1: 0.0, 3: 0.0, 6: 0.25}.items():
        rig.location.x = value
        rig.keyframe_insert("location", index=0, frame=frame)
    carried = [shown(figure, frame) for frame in range(1, 25)]
    press(figure)
    figure.vbd.damping = 0.05  # a quick end
    level, text = baked().report()
    assert level == "INFO", text
    away = [
        np.linalg.norm(shown(figure, frame) - carried[frame - 1], axis=1) for frame in range(1, 25)
    ]
    height = carried[0][:, 2]
    soft = (height > 0.2) & (height < 0.6)
    assert max(away[2]) < 1e-3 * SIZE  # it keeps its shape until it moves
    assert max(step[soft].max() for step in away) > 0.01
    assert max(step[height > 1.05].max() for step in away) < 1e-4
    assert away[-1].max() < 3e-3


def test_flesh_that_is_deep_everywhere_is_held_from_inside(figure, rig):
    """No vertex of the skin is pinned, as on a thick limb of a few bones."""
    scene = bpy.context.scene
    frames(scene, 1, 5)
    for vertex in figure.data.vertices:
        vertex.co.x, vertex.co.y = 2.0 * vertex.co.x, 2.0 * vertex.co.y
    figure.parent = rig
    for frame, value in {1: 0.0, 3: 0.1}.items():
        rig.location.x = value
        rig.keyframe_insert("location", index=0, frame=frame)
    press(figure)
    group = figure.vertex_groups["Flesh Pins"]
    group.add(range(len(figure.data.vertices)), 0.0, "REPLACE")
    figure.vbd.resolution = 12  # fast
    baked()
    moved = shown(figure, 5) - shown(figure, 1)
    assert moved[:, 0].mean() == pytest.approx(0.1, abs=0.05)  # it swings
    assert abs(moved[:, 2].mean()) < 0.01  # it does not fall
