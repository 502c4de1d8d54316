# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene -> bodies: values that are read, and scenes that are refused with nothing changed."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    empty_object,
    gathered,
    mesh_object,
    pin,
    sheet,
    shown,
    slab,
    slide,
    tet_block,
)
from shapes import block

from vbd.addon.gathering.reader import deforms
from vbd.addon.objects import read_mesh
from vbd.addon.objects.tetmesh import LatticePins
from vbd.solver.bodies import Cells, Cloth, Collider, Rod, Solid
from vbd.solver.bodies.solids import CELL_CORNERS
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.lattice.pinned_corners import PinnedCorners, vertices_to_pin
from vbd.solver.topology.meshes import tet_volumes, triangle_areas


def normals(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def test_each_role_becomes_its_body(scene):
    tet_block()
    points, triangles = block((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    mesh_object("Flesh", points, faces=triangles, role="SOFT")
    sheet()
    mesh_object("Rope", [(0, 0, 0), (1, 0, 0)], [(0, 1)], role="ROD")
    slab()
    kinds = {body.name: type(body) for body in gathered().bodies}
    assert kinds == {
        "Block": Solid,
        "Flesh": Cells,
        "Sheet": Cloth,
        "Rope": Rod,
        "Slab": Collider,
    }


def test_an_object_without_a_role_takes_no_part(scene):
    sheet()
    mesh_object("Prop", [(0, 0, 0)])
    assert [body.name for body in gathered().bodies] == ["Sheet"]


def test_settings_come_from_the_scene_with_its_gravity_and_frame_rate(scene):
    sheet()
    scene.vbd.substeps, scene.gravity = 7, (0, 1, -2)
    scene.render.fps, scene.render.fps_base = 30, 1.5
    settings = gathered().settings
    assert (settings.substeps, settings.gravity) == (7, (0, 1, -2))
    assert settings.frame_time == pytest.approx(0.05)
    scene.use_gravity = False
    assert gathered().settings.gravity == (0, 0, 0)


def test_materials_come_from_the_object(scene):
    ob = sheet()
    ob.vbd.density, ob.vbd.friction = 0.25, 0.75
    assert gathered().bodies[0].material.density == 0.25
    assert gathered().bodies[0].material.friction is None
    ob.vbd.use_friction = True
    assert gathered().bodies[0].material.friction == 0.75


def test_a_mirrored_collider_keeps_its_outside(scene):
    sheet()
    ob = slab()
    ob.scale = (-1, 1, 1)
    collider = gathered().bodies[1]
    assert (normals(collider.points, collider.triangles)[:, 2] > 0).all()


def test_mirrored_tets_are_the_right_way_round(scene):
    block = tet_block()
    block.scale = (1, -1, 1)
    body = gathered().bodies[0]
    assert (tet_volumes(body.points, body.tets) > 0).all()


def test_colliders_have_all_their_modifiers(scene):
    sheet()
    ob = slab()
    ob.modifiers.new("Subdivision", "SUBSURF").levels = 2
    assert len(gathered().bodies[1].points) > 4


def test_only_what_may_move_is_followed(scene):
    sheet()
    still, moving = slab("Still"), slab("Moving", height=-1)
    slide(moving, 0, 1, 5, 1.0)
    bodies = {body.name: body for body in gathered().bodies}
    assert not callable(bodies[still.name].points)
    assert callable(bodies[moving.name].points)


def test_children_of_animated_parents_are_followed(scene):
    sheet()
    parent = empty_object("Parent")
    slide(parent, 0, 1, 5, 1.0)
    ob = slab()
    ob.parent = parent
    assert callable(gathered().bodies[1].points)


def test_a_modifier_that_follows_another_object_may_move(scene):
    sheet()
    ob, axis = slab(), empty_object("Axis")
    slide(axis, 2, 1, 5, 1.0)
    ob.modifiers.new("Screw", "SCREW").object = axis
    assert callable(gathered().bodies[1].points)


@pytest.mark.parametrize("kind", ["ARRAY", "CAST", "MIRROR", "SCREW", "SIMPLE_DEFORM"])
def test_a_modifier_that_follows_no_other_object_stands_still(scene, kind):
    sheet()
    ob = slab()
    modifier = ob.modifiers.new("Modifier", kind)
    assert not callable(gathered().bodies[1].points)
    name = {"ARRAY": "offset_object", "MIRROR": "mirror_object", "SIMPLE_DEFORM": "origin"}
    setattr(modifier, name.get(kind, "object"), empty_object("Other"))
    assert callable(gathered().bodies[1].points)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("ARRAY", "constant_offset_displace"),
        ("CAST", "factor"),
        ("MIRROR", "merge_threshold"),
        ("SCREW", "angle"),
        ("SIMPLE_DEFORM", "factor"),
        ("SOLIDIFY", "thickness"),
    ],
)
def test_a_modifier_with_keyframes_deforms(cube, kind, name):
    cube.keyframe_insert("location", frame=1)
    modifier = cube.modifiers.new("Modifier", kind)
    assert not deforms(cube)
    modifier.keyframe_insert(name, frame=1)
    assert deforms(cube)


def test_a_sphere_with_a_keyed_modifier_may_not_change_its_shape(cube, scene):
    sheet()
    cube.vbd.role, cube.vbd.collider_shape = "COLLIDER", "SPHERE"
    modifier = cube.modifiers.new("Stretch", "SIMPLE_DEFORM")
    modifier.deform_method = "STRETCH"
    for frame in (1, 4):
        modifier.factor = 0.3 * frame
        modifier.keyframe_insert("factor", frame=frame)
    with pytest.raises(ValueError, match=r"Cube.* frame 2"):
        list(gathered().reader.survey())


def test_quads_of_cloth_are_split_along_alternating_diagonals(scene):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    bpy.context.object.vbd.role = "CLOTH"
    body = gathered().bodies[0]
    assert len(body.triangles) == 32
    assert triangle_areas(body.points, body.triangles).sum() == pytest.approx(4.0)
    assert (normals(body.points, body.triangles)[:, 2] > 0).all()
    edges = np.sort(body.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    direction = np.diff(body.points[np.unique(edges, axis=0)], axis=1)[:, 0]
    diagonal = direction[(np.abs(direction[:, :2]) > 1e-3).all(axis=1)]
    assert len(diagonal) == 16
    assert (diagonal[:, 0] * diagonal[:, 1] > 0).sum() == 8


def mass_of_cells(body):
    """Mass of a body of cells [kg]."""
    sides = body.points[body.cells[:, 7]] - body.points[body.cells[:, 0]]
    return (sides.prod(axis=1) * body.filling.part * body.material.density).sum()


def test_cells_weigh_what_is_inside_the_mesh(scene):
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.density, ob.vbd.resolution = "SOFT", 500.0, 5
    assert mass_of_cells(gathered().bodies[0]) == pytest.approx(500.0, rel=1e-4)
    ob.rotation_euler = (0.4, 0.5, 0.6)
    assert mass_of_cells(gathered().bodies[0]) == pytest.approx(500.0, rel=1e-3)


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (2, 0.5, -1), (-2, -1, -0.5)])
def test_cells_are_cubes_around_the_mesh_however_it_is_scaled(scene, scale):
    bpy.ops.mesh.primitive_monkey_add(rotation=(0.1, 0.2, 0.3))
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution, ob.scale, ob.vbd.keep_coarse = "SOFT", 6, scale, True
    now = gathered()
    target, body = now.targets[0], now.bodies[0]
    corners = body.points[body.cells] - body.points[body.cells[:, :1]]
    cube = CELL_CORNERS * corners[0, 7, 0]
    assert np.abs(corners - cube).max() < 1e-6
    np.testing.assert_allclose(target.visible(body.points, target.start), shown(ob), atol=1e-6)
    assert target.weights.min() > -1e-6


def test_a_fine_mesh_touches_with_fewer_vertices(scene):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6, radius=1.0)
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 6
    body = gathered().bodies[0]
    touching = body.surface.points(body.points)
    assert len(touching) < ob.vbd.contact_vertices < len(ob.data.vertices)
    assert np.linalg.norm(touching, axis=1) == pytest.approx(1.0, abs=1e-4)
    ob.vbd.contact_vertices = len(ob.data.vertices)
    assert len(gathered().bodies[0].surface.corners) == len(ob.data.vertices)


def test_pinned_vertices_of_a_lattice_are_shown_where_they_are_led(scene):
    """Also those in partly clamped cells; only cells with pinned vertices become stiffer."""
    bpy.ops.mesh.primitive_monkey_add()
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 6
    start = shown(ob)
    pinned = np.flatnonzero(start[:, 2] < start[:, 2].min() + 0.7)
    ob.vertex_groups.new(name="Neck").add(pinned.tolist(), 1.0, "REPLACE")
    ob.vbd.pin_group = "Neck"
    now = gathered()
    target, body = now.targets[0], now.bodies[0]
    seen = target.visible(body.points + [0.0, 0.0, 1.0], target.start)
    np.testing.assert_allclose(seen[pinned], start[pinned], atol=1e-6)
    free = np.setdiff1d(np.arange(len(start)), pinned)
    np.testing.assert_allclose(seen[free], start[free] + [0.0, 0.0, 1.0], atol=1e-6)
    held = body.filling.held
    assert ((held > 0.0) & (held < 1.0)).any()
    touched = np.isin(body.cells, target.corners[pinned]).any(axis=1)
    assert not held[~touched].any()


def clamp_of_points(corners, weights):
    """The `PinnedCorners` of points without faces, all of them pinned."""
    count = len(corners)
    indices = vertices_to_pin(corners, weights, np.arange(count), np.ones(count))
    return PinnedCorners(indices, None, corners, weights, [])


def test_pinned_parts_of_a_lattice_may_move_apart():
    """A lattice around a bar, held at both ends: each end goes with its own pins."""
    random = np.random.default_rng(0)
    ends = [random.random((40, 3)) * 0.2, random.random((40, 3)) * 0.2 + [5, 0, 0]]
    start = np.concatenate(ends)
    bar = lattice(*block([5.2, 0.2, 0.2], [2.6, 0.1, 0.1]), 20, "Bar")
    corners, weights = embed(start, bar)
    held = LatticePins(bar.points, clamp_of_points(corners, weights), start)
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    now = start.copy()
    now[40:] = (start[40:] - [5, 0, 0]) @ turn.T + [7, 1, 0]
    targets = held.targets(now)
    left = held.rest[:, 0] < 1
    np.testing.assert_allclose(targets[left], held.rest[left], atol=1e-3)
    expected = (held.rest[~left] - [5, 0, 0]) @ turn.T + [7, 1, 0]
    np.testing.assert_allclose(targets[~left], expected, atol=1e-3)


def test_pins_closer_than_a_cell_do_not_tear_the_lattice_apart():
    """Two pinned vertices a hair apart that swap places demand more than cells can do."""
    cube = lattice(*block([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]), 2, "Cube")
    start = np.array([[0.2, 0.2, 0.2], [0.2001, 0.2, 0.2], [0.3, 0.4, 0.2], [0.1, 0.3, 0.4]])
    corners, weights = embed(start, cube)
    held = LatticePins(cube.points, clamp_of_points(corners, weights), start)
    moved = held.targets(start[[1, 0, 2, 3]]) - held.rest
    assert np.abs(moved).max() < 0.01


def test_weights_of_half_and_more_are_pins_where_none_are_soft(scene):
    ob = sheet()
    ob.vbd.soft_pins = False
    pin(ob, [1], 0.49)
    pin(ob, [2], 0.5)
    np.testing.assert_array_equal(gathered().bodies[0].pins.indices, [2])


def unwrap(ob, *maps):
    """Give a mesh UV maps, each a function of the corner's place in object space."""
    points = read_mesh.positions(ob.data)
    for name, place in maps:
        layer = ob.data.uv_layers.new(name=name)
        corners = [place(points[loop.vertex_index]) for loop in ob.data.loops]
        layer.uv.foreach_set("vector", np.array(corners, np.float32).ravel())


def quad_sheet(name="Sheet", cells=3):
    """A cloth of quads and one triangle, all of which read_mesh splits."""
    side = cells + 1
    points = [(x / cells, y / cells, 0.0) for y in range(side) for x in range(side)]
    faces = [(k, k + 1, k + side + 1, k + side) for k in range(cells * side) if k % side < cells]
    points.append((-0.5, 0.2, 0.0))
    return mesh_object(name, points, faces=[*faces, (0, side, len(points) - 1)], role="CLOTH")


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_uv_map_of_woven_cloth_goes_corner_by_corner_with_the_triangles(scene, mirrored):
    ob = quad_sheet()
    ob.scale.x = -1.0 if mirrored else 1.0
    ob.vbd.membrane = "orthotropic"
    unwrap(ob, ("Map", lambda p: (p[1] + 2.0, 3.0 * p[0])))
    body = gathered().bodies[0]
    points = read_mesh.positions(ob.data)[body.triangles]
    assert body.uv.shape == (len(body.triangles), 3, 2)
    expected = np.stack([points[..., 1] + 2.0, 3.0 * points[..., 0]], axis=-1)
    np.testing.assert_allclose(body.uv, expected, atol=1e-6)


def test_woven_cloth_takes_the_uv_map_that_renders(scene):
    ob = quad_sheet()
    ob.vbd.membrane = "orthotropic"
    unwrap(ob, ("First", lambda p: (p[0], p[1])), ("Second", lambda p: (p[1] + 7.0, p[0])))
    ob.data.uv_layers["Second"].active_render = True
    ob.data.uv_layers.active = ob.data.uv_layers["First"]
    assert gathered().bodies[0].uv[..., 0].min() >= 7.0


def test_a_uv_map_is_read_for_woven_cloth_only(scene):
    unwrap(quad_sheet(), ("Map", lambda p: (p[0], p[1])))
    assert gathered().bodies[0].uv is None
