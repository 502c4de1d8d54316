# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies collide with the surface that is drawn: refining modifiers come before the
simulation, and faces larger than the cells are divided, until the bake is freed.
"""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, mesh_object, pin, shown, slab, slide
from shapes import block

from vbd.addon.baking.bake_steps import bake_steps
from vbd.addon.baking.loading import load
from vbd.addon.objects.modifiers import is_reshaped
from vbd.addon.objects.refining import state_of
from vbd.addon.playing.baked import edits
from vbd.addon.viewport.overlay_shapes import stretch_of_bake
from vbd.solver.cache import Cache


@pytest.fixture
def soft(scene):
    """A soft cube of 1 m, half a meter above the ground, for a second."""
    frames(scene, 1, 25)
    scene.vbd.use_ground, scene.vbd.device = True, "CPU"
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 1.0))
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    return ob


def smooth(ob, levels=3, renders=None):
    modifier = ob.modifiers.new("Smooth", "SUBSURF")
    modifier.levels, modifier.render_levels = levels, levels if renders is None else renders
    return modifier


def stack(ob):
    return [(m.name, m.levels, m.render_levels) for m in ob.modifiers if m.type == "SUBSURF"]


def lowest(ob, last):
    """Heights [m] of the lowest drawn point, in every frame up to the last."""
    return np.array([shown(ob, frame)[:, 2].min() for frame in range(1, last + 1)])


@pytest.mark.any_blender
@pytest.mark.parametrize("levels", [(3, 3), (1, 3)])
def test_a_smooth_cube_stops_where_it_is_drawn(soft, levels):
    smooth(soft, *levels)
    baked()
    heights = lowest(soft, 25)
    # It falls 0.7 m in 0.37 s, and shows the contact distance, 1/400 of its size.
    assert 0.0 < heights.min() < 0.005
    assert len(shown(soft)) == 386
    bpy.ops.vbd.free_bake()
    assert stack(soft) == [("Smooth", *levels)] and not soft.vbd.refined


@pytest.mark.any_blender
def test_the_default_cube_bends_in_its_first_bake(scene):
    frames(scene, 1, 25)
    scene.vbd.use_ground = True
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 1.5))
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    outcome = baked()
    assert not any("faces" in line.text for line in outcome.lines())
    assert [m.name for m in ob.modifiers] == ["VBD Faces", "VBD Bake"]
    # 8 × 8 faces a side, as there are 8 cells along it.
    assert len(shown(ob)) == 6 * 8 * 8 + 2
    rest, points = shown(ob, 1), shown(ob, 12)
    side = rest[:, 0] > 0.999
    # Squashed by its impact, the sides bulge by more than a hundredth of their length.
    assert np.ptp(points[side, 0]) > 0.02
    # The overlay shows what the bake stretches, and pins until then.
    stretch = stretch_of_bake(ob, bpy.context.evaluated_depsgraph_get())[2]
    assert stretch.max() > 1.02
    scene.frame_set(1)
    stretch = stretch_of_bake(ob, bpy.context.evaluated_depsgraph_get())[2]
    np.testing.assert_allclose(stretch, 1.0, atol=1e-5)
    again = stack(ob)
    baked()
    assert stack(ob) == again and [m.name for m in ob.modifiers] == ["VBD Faces", "VBD Bake"]
    bpy.ops.vbd.free_bake()
    assert not ob.modifiers and not ob.vbd.refined and len(ob.data.vertices) == 8


def test_a_tilted_cube_bends_within_its_faces_too(scene):
    """Its cells are larger than those of an upright one; a side of 0.5 m is shorter than what they
    bend, 0.55 m, but its diagonal is not.
    """
    frames(scene, 1, 25)
    scene.vbd.use_ground = True
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 2.2), rotation=(0.4, 0.3, 0.2))
    bpy.context.object.vbd.role = "SOFT"
    outcome = baked()
    assert not any("faces" in line.text for line in outcome.lines())
    assert stack(bpy.context.object) == [("VBD Faces", 3, 3)]


def test_the_switch_keeps_large_faces(soft):
    soft.vbd.keep_coarse = True
    baked()
    assert not soft.modifiers and len(shown(soft)) == 8
    soft.vbd.keep_coarse = False
    baked()
    assert stack(soft)
    soft.vbd.keep_coarse = True
    baked()
    assert not soft.modifiers and len(shown(soft)) == 8


@pytest.mark.parametrize("kind", ["BEVEL", "NODES", "SUBSURF", "WIREFRAME"])
def test_faces_below_a_modifier_that_shows_their_edges_stay_whole(soft, kind):
    soft.modifiers.new("Array", "ARRAY")
    gone = soft.modifiers.new("Edges", kind)
    assert len(gathered().targets[0].start.points) == 8
    soft.modifiers.remove(gone)
    assert len(gathered().targets[0].start.points) == 386
    assert [m.name for m in soft.modifiers] == ["Array"]


def test_a_mesh_of_many_faces_keeps_its_keys(scene):
    """Rounding would move it by less than the contact distance."""
    frames(scene, 1, 3)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=40, ring_count=26)
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    smooth(ob, 1, 2)
    baked()
    assert stack(ob) == [("Smooth", 1, 2)] and len(ob.data.shape_keys.key_blocks) == 4


@pytest.mark.any_blender
def test_large_faces_among_many_are_simulated_smooth(scene):
    """Suzanne, whose jowls cells bend and her faces did not show: by 0.11 m."""
    frames(scene, 1, 20)
    scene.vbd.use_ground = True
    bpy.ops.mesh.primitive_monkey_add(location=(0.0, 0.0, 1.3))
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    smooth(ob, 1)
    outcome = baked()
    assert not any("faces" in line.text for line in outcome.lines())
    assert [m.name for m in ob.modifiers] == ["Smooth", "VBD Bake"]
    # It shows the contact distance, 1/400 of its size, 2.7 m.
    assert 0.0 < lowest(ob, 20).min() < 0.007
    bpy.ops.object.mode_set(mode="EDIT")
    assert is_reshaped(ob)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_large_faces_of_a_mesh_of_many_are_divided(scene):
    frames(scene, 1, 3)
    bpy.ops.mesh.primitive_cylinder_add(vertices=1100, depth=1.0)
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 2
    baked()
    assert stack(ob) == [("VBD Faces", 1, 1)]
    ob.modifiers.remove(ob.modifiers["VBD Faces"])  # by the user
    baked()
    assert stack(ob) == [("VBD Faces", 1, 1)]
    bpy.ops.vbd.free_bake()
    assert not ob.modifiers


def test_a_subdivision_that_is_added_to_a_bake_is_simulated_in_the_next(soft):
    frames(bpy.context.scene, 1, 3)
    soft.vbd.resolution = 4
    baked()
    smooth(soft, 1, 2)
    look = shown(soft, 1)
    baked()
    assert [m.name for m in soft.modifiers] == ["VBD Faces", "Smooth", "VBD Bake"]
    assert len(shown(soft, 1)) == 4 * (len(look) - 2) + 2
    bpy.ops.vbd.free_bake()
    assert stack(soft) == [("Smooth", 1, 2)]


@pytest.mark.any_blender
def test_other_levels_of_the_faces_are_told_until_they_are_set_back(soft):
    frames(bpy.context.scene, 1, 3)
    baked()
    ((name, levels, _),) = stack(soft)
    assert not edits(bpy.context.scene)
    bpy.ops.object.subdivision_set(level=levels - 1)  # Ctrl 1 to Ctrl 5
    (line,) = edits(bpy.context.scene)
    assert line == f"{soft.name}: set both levels of {name} back to {levels}"
    soft.modifiers[name].levels = levels
    assert not edits(bpy.context.scene)


def test_many_faces_are_divided_up_to_the_contact_detail(soft):
    soft.vbd.resolution, soft.vbd.contact_vertices = 16, 200
    assert len(gathered().targets[0].start.points) == 98
    soft.vbd.contact_vertices = 10_000
    assert len(gathered().targets[0].start.points) == 1538


@pytest.mark.parametrize("first", [3, 16])
@pytest.mark.parametrize("place", ["alone", "below", "above"])
def test_how_often_is_the_same_whatever_was_divided_before(soft, first, place):
    """The diagonal of a side, 1.41 m, takes three halvings at 5 cells; a side, 1 m, takes two."""
    frames(bpy.context.scene, 1, 2)
    if place == "below":
        soft.modifiers.new("Before", "TRIANGULATE")
    soft.vbd.resolution = first
    baked()
    if place == "above":
        smooth(soft, 1)
    soft.vbd.resolution = 5
    baked()
    assert stack(soft)[0] == ("VBD Faces", 3, 3)
    bpy.ops.vbd.free_bake()
    soft.modifiers.clear()
    baked()
    assert stack(soft) == [("VBD Faces", 3, 3)]


def test_a_lid_gets_points_up_to_its_middle(scene):
    bpy.ops.mesh.primitive_cylinder_add(vertices=32)
    bpy.context.object.vbd.role = "SOFT"
    found = gathered()
    target = found.targets[0]
    points, corners = target.start_points(), target.faces
    edges = points[corners] - points[np.roll(corners, 1, axis=1)]
    # Diagonals of quads are up to √2 times as long as sides, which are at most √2 cells.
    assert np.linalg.norm(edges, axis=2).max() <= 2.0 * 2.0 / 8.0 * 1.01


def test_a_bake_without_frames_or_a_cancelled_one_changes_nothing(soft):
    smooth(soft, 1, 2)
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    assert state_of(soft)
    steps.close()
    assert stack(soft) == [("Smooth", 1, 2)] and not soft.vbd.refined
    assert [m.name for m in soft.modifiers] == ["Smooth"]


def test_a_failed_bake_leaves_the_one_before_as_it_was(soft, scene):
    baked()
    before, points = stack(soft), shown(soft, 20)
    soft.vbd.resolution = 16
    slab().vbd.role = "CLOTH"
    scene.objects["Slab"].data.clear_geometry()
    with pytest.raises(RuntimeError):
        bpy.ops.vbd.bake()
    assert stack(soft) == before
    np.testing.assert_array_equal(shown(soft, 20), points)


def test_a_cache_is_loaded_into_an_object_that_was_not_refined(soft, scene, tmp_path):
    smooth(soft, 0, 1)
    frames(scene, 1, 4)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    folder = tmp_path / "farm"
    for _ in bake_steps(bpy.context, folder=folder):
        pass
    points = [shown(soft, frame) for frame in range(1, 5)]
    bpy.ops.vbd.free_bake()
    assert [m.name for m in soft.modifiers] == ["Smooth"]
    assert load(scene, folder).last == 4
    assert [m.name for m in soft.modifiers] == ["Smooth", "VBD Faces", "VBD Bake"]
    np.testing.assert_allclose([shown(soft, f) for f in range(1, 5)], points, atol=1e-6)
    bpy.ops.vbd.free_bake()
    soft.vbd.resolution = 3
    with pytest.raises(ValueError, match="in the cache"):
        load(scene, folder)
    assert stack(soft) == [("Smooth", 0, 1)]
    assert len(Cache.open(folder).read(0)[0]) == len(points[0])


def test_pins_of_the_mesh_do_not_spread_to_divided_faces(soft):
    soft.vbd.resolution = 4
    pin(soft, [v.index for v in soft.data.vertices if v.co.z > 0.0])
    target = gathered().targets[0]
    points = target.start_points()[target.pinned]
    assert len(points) == 25 and np.ptp(points[:, 2]) < 1e-6


def test_weak_pins_are_interpolated(soft):
    soft.vbd.resolution = 4
    pin(soft, range(8), 0.25)
    pin(soft, [v.index for v in soft.data.vertices if v.co.z > 0.0], 0.75)
    (springs,) = gathered().holding
    # 98 points, whose weights rise from bottom to top in four steps.
    assert len(np.unique(np.round(springs.stiffness / springs.stiffness.max(), 3))) > 2


def test_the_object_of_a_modifier_below_still_pins(scene):
    points, faces = block([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    ob = mesh_object("Box", points, faces=faces, role="SOFT")
    frames(scene, 1, 4)
    pin(ob, range(8))
    slide(ob, 0, 1, 4, 0.3)
    start = shown(ob, 1)
    baked()
    moved = shown(ob, 4) - shown(ob, 1)
    np.testing.assert_allclose(moved, np.tile([0.3, 0.0, 0.0], (len(moved), 1)), atol=1e-4)
    assert len(moved) > len(start)
