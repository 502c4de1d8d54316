# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties from vertex groups: each changes the bake as its formula predicts.

Most objects are two equal pieces, of which one has the weight 0 and the other the weight 1.
"""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, fall, frames, gathered, mesh_object, sheet, shown, slab, tet_block
from shapes import box, chain, grid

from vbd.addon.values.painting import ROLES_OF
from vbd.addon.viewport.painting_map import COLORS, painted_mesh
from vbd.solver.model.assembly import vertex_mass
from vbd.solver.topology.meshes import boundary_triangles

GRAVITY = 9.81
GROUP = "Painted"


def paint(ob, what, value, weights):
    """Paint a property of an object: `value` at weight 0, weights [vertex]."""
    group = ob.vertex_groups.get(GROUP) or ob.vertex_groups.new(name=GROUP)
    for index, weight in enumerate(weights):
        group.add([index], float(weight), "REPLACE")
    item = ob.vbd.painted.add()
    item.what = what
    item.vertex_group, item.value = GROUP, value
    return item


def twice(points, elements, role, apart=(0.0, 1.0, 0.0)):
    """An object of two equal pieces; and weights [vertex], 0 for the first, 1 for the second."""
    points, elements = np.asarray(points, float), np.asarray(elements)
    count = len(points)
    both = np.concatenate([points, points + apart]), np.concatenate([elements, elements + count])
    kind = "edges" if role == "ROD" else "faces"
    ob = mesh_object("Pair", both[0], **{kind: both[1]}, role=role)
    return ob, np.repeat([0.0, 1.0], count)


def hold(ob, vertices):
    group = ob.vertex_groups.new(name="Pins")
    group.add([int(v) for v in vertices], 1.0, "REPLACE")
    ob.vbd.pin_group = "Pins"


def still(scene):
    """Bake the shape at rest and give the world points of every object."""
    scene.vbd.quasistatic, scene.vbd.iterations = True, 200
    frames(scene, 1, 3)
    baked()
    return [shown(ob, 3) for ob in scene.objects]


def hanging_rod(**values):
    """Two strings of 1 m that hang from their first vertices, and weights [vertex]."""
    points, edges = chain(6, 0.2)
    ob, weights = twice(points[:, [1, 2, 0]] * [1.0, 1.0, -1.0], edges, "ROD")
    hold(ob, [0, 6])
    for name, value in {"density": 0.1, "youngs_modulus": 1e6, "thickness": 0.01, **values}.items():
        setattr(ob.vbd, name, value)
    return ob, weights


def sag(density, modulus, diameter):
    """Extension of a string of 1 m under its own weight [m]."""
    return density * GRAVITY / (2.0 * modulus * np.pi * 0.25 * diameter**2)


@pytest.mark.parametrize(
    ("what", "at_0"), [("youngs_modulus", 3e5), ("density", 0.3), ("thickness", 0.005)]
)
def test_strings_sag_by_what_is_painted_on_them(scene, what, at_0):
    ob, weights = hanging_rod()
    paint(ob, what, at_0, weights)
    (points,) = still(scene)
    own = {"density": 0.1, "youngs_modulus": 1e6, "thickness": 0.01}
    for place, given in ((5, {**own, what: at_0}), (11, own)):
        expected = sag(given["density"], given["youngs_modulus"], given["thickness"])
        assert -points[place, 2] - 1.0 == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("membrane", ["stvk", "orthotropic"])
def test_a_cloth_half_soft_stretches_row_by_row(scene, membrane):
    points, triangles = grid(8)
    ob = mesh_object("Cloth", points[:, [0, 2, 1]] * [1, 1, -1], faces=triangles, role="CLOTH")
    loops = ob.data.uv_layers.new(name="UVMap").data
    for corner, loop in zip(loops, ob.data.loops, strict=True):
        corner.uv = points[loop.vertex_index][[1, 0]]
    hold(ob, range(9))
    vbd = ob.vbd
    vbd.membrane, vbd.poisson_ratio, vbd.bending_stiffness, vbd.thickness = membrane, 0.0, 0.0, 1e-3
    vbd.youngs_modulus = vbd.weft_modulus = vbd.shear_modulus = 1e5
    vbd.density = 0.2
    below = points[:, 1] > 0.45
    paint(ob, "youngs_modulus", 2.5e4, np.where(below, 0.0, 1.0))
    (now,) = still(scene)
    heights = now[:, 2].reshape(9, 9).mean(axis=1)
    stretch = -np.diff(heights) / 0.125
    modulus = np.where(np.arange(8) < 3, 1e5, 2.5e4)
    tension = 0.2 * GRAVITY * (1.0 - 0.125 * (np.arange(8) + 0.5))
    strain = 0.5 * stretch * (stretch**2 - 1.0)
    rows = np.arange(8) != 3  # an edge lies between, with triangles of both kinds
    expected = tension / (modulus * 1e-3)
    np.testing.assert_allclose(strain[rows], expected[rows], rtol=0.03)


def surface_box(cells, size):
    """The surface of a box of `cells` with a vertex at every corner of them."""
    points, tets = box(cells, size)
    triangles = boundary_triangles(tets)
    used, numbers = np.unique(triangles, return_inverse=True)
    return points[used], numbers.reshape(-1, 3)


def column():
    """A column of 1 m that stands on its held foot, and the height of its vertices."""
    points, triangles = surface_box((2, 2, 8), (0.25, 0.25, 1.0))
    ob = mesh_object("Column", points, faces=triangles, role="SOFT")
    ob.vbd.resolution, ob.vbd.poisson_ratio, ob.vbd.density = 8, 0.0, 1000.0
    ob.vbd.youngs_modulus = 4e5
    return ob, points[:, 2]


def test_a_column_is_pressed_where_it_is_soft(scene):
    ob, height = column()
    hold(ob, np.flatnonzero(height == 0.0))
    paint(ob, "youngs_modulus", 1e5, height <= 0.5)
    (now,) = still(scene)
    level = np.linspace(0.0, 1.0, 9)
    lower = level - [now[height == z, 2].mean() for z in level]
    # In the middle of the stiff half and of the soft one: ρ g (1 − z)/E.
    for k, modulus in ((1, 4e5), (2, 4e5), (5, 1e5), (6, 1e5)):
        pressed = (lower[k + 1] - lower[k]) / 0.125
        middle = 0.125 * (k + 0.5)
        assert pressed == pytest.approx(1000.0 * GRAVITY * (1.0 - middle) / modulus, rel=0.06)


def test_a_column_weighs_what_is_painted_on_it(scene):
    ob, height = column()
    paint(ob, "density", 500.0, height)
    (body,) = gathered().bodies
    # The lattice is larger than the column by that.
    assert vertex_mass(body).sum() == pytest.approx(0.0625 * 750.0, rel=1e-5)


def test_a_sheet_weighs_exactly_what_is_painted_on_it(scene):
    ob = sheet()
    weights = np.arange(25) / 24
    paint(ob, "density", 0.0625, weights)
    ob.vbd.density = 0.25
    (body,) = gathered().bodies
    density = 0.0625 + 0.1875 * weights.astype(np.float32)
    expected = (density[body.triangles].mean(axis=1) / 32).sum()
    assert vertex_mass(body).sum() == pytest.approx(expected, rel=1e-6)


def test_strips_bend_by_what_is_painted_on_them(scene):
    points, triangles = grid(8, 0.1)
    ob, weights = twice(points, triangles, "CLOTH")
    hold(ob, np.flatnonzero(np.tile(points[:, 0] < 0.02, 2)))
    ob.vbd.bending_stiffness, ob.vbd.density, ob.vbd.youngs_modulus = 2e-2, 0.1, 1e7
    paint(ob, "bending_stiffness", 2e-3, weights)
    (now,) = still(scene)
    tips = np.tile(points[:, 0] > 0.099, 2)
    low = [-now[tips & (weights == w), 2].mean() for w in (0.0, 1.0)]
    assert low[0] / low[1] == pytest.approx(10.0, rel=0.03)


def test_rods_bend_by_what_is_painted_on_them(scene):
    points, edges = chain(9, 0.0125)
    ob, weights = twice(points, edges, "ROD")
    hold(ob, [0, 1, 9, 10])
    ob.vbd.bending_factor, ob.vbd.density, ob.vbd.youngs_modulus = 1.0, 0.01, 1e9
    ob.vbd.thickness = 0.003
    paint(ob, "bending_factor", 0.1, weights)
    paint(ob, "friction", 0.1, weights)  # which directors need too
    (now,) = still(scene)
    assert now[8, 2] / now[17, 2] == pytest.approx(10.0, rel=0.03)


def test_what_has_no_friction_slides_down_and_what_has_some_stays(scene):
    slope = slab(size=6.0)
    slope.rotation_euler.y, angle = 0.3, 0.3
    slope.vbd.use_friction, slope.vbd.friction = True, 1.0
    points, triangles = grid(2, 0.2)
    ob, weights = twice(points + [-0.1, -0.1, 0.0], triangles, "CLOTH", apart=(0.0, 0.5, 0.0))
    ob.rotation_euler.y, ob.location.z = angle, 0.011
    ob.vbd.collision_thickness, slope.vbd.collision_thickness = 0.005, 0.005
    ob.vbd.use_friction, ob.vbd.friction, ob.vbd.drag = True, 1.0, 0.0
    paint(ob, "friction", 0.0, weights)
    frames(scene, 1, 13)
    baked()
    gone = np.linalg.norm(shown(ob, 13) - shown(ob, 1), axis=1)
    assert gone[weights == 1.0].max() < 0.01
    np.testing.assert_allclose(gone[weights == 0.0], np.sin(angle) * fall(scene, 12), rtol=0.03)


def test_what_has_no_drag_falls_freely_and_what_has_some_at_its_final_speed(scene):
    points, triangles = grid(2, 0.2)
    ob, weights = twice(points, triangles, "CLOTH")
    ob.vbd.density, ob.vbd.drag, ob.vbd.bending_stiffness = 0.05, 1.2, 1e-2
    paint(ob, "drag", 0.0, weights)
    frames(scene, 1, 25)
    baked()
    before, after = shown(ob, 24)[:, 2], shown(ob, 25)[:, 2]
    np.testing.assert_allclose(-after[weights == 0.0], fall(scene, 24), rtol=1e-3)
    final = np.sqrt(2.0 * 0.05 * GRAVITY / (scene.vbd.air_density * 1.2))
    speed = 24.0 * (before - after)[weights == 1.0].mean()
    assert speed == pytest.approx(final, rel=0.02)


def test_what_is_damped_swings_less(scene):
    ob, weights = hanging_rod(damping=0.1, youngs_modulus=1e5, drag=0.0)
    paint(ob, "damping", 0.0, weights)
    scene.vbd.substeps = 10
    frames(scene, 1, 31)
    baked()
    heights = np.array([shown(ob, frame)[[5, 11], 2] for frame in range(20, 32)])
    loose, damped = np.ptp(heights, axis=0)
    assert loose > 5.0 * damped


def test_each_place_keeps_the_distance_that_is_painted_on_it(scene):
    points, triangles = grid(2, 0.2)
    ob, weights = twice(points, triangles, "CLOTH")
    ob.location.z = 0.03
    ob.vbd.collision_thickness, ob.vbd.drag, ob.vbd.damping = 0.01, 0.0, 0.01
    paint(ob, "collision_thickness", 0.02, weights)
    scene.vbd.use_ground = True
    frames(scene, 1, 13)
    baked()
    height = shown(ob, 13)[:, 2]
    for weight, distance in ((0.0, 0.02), (1.0, 0.01)):
        assert height[weights == weight].mean() == pytest.approx(distance, rel=0.1)


def test_tets_of_ones_own_take_what_their_vertices_have(scene):
    ob = tet_block(cells=(1, 1, 2))
    height = np.array([v.co.z for v in ob.data.vertices])
    paint(ob, "youngs_modulus", 1e3, height)
    (body,) = gathered().bodies
    expected = 1e3 + (ob.vbd.youngs_modulus - 1e3) * height[body.tets].mean(axis=1)
    np.testing.assert_allclose(body.material.youngs_modulus, expected, rtol=1e-6)


def test_nothing_painted_leaves_the_material_as_it_is(scene):
    sheet()
    (body,) = gathered().bodies
    assert all(np.ndim(value) == 0 for value in vars(body.material).values() if value is not None)


def say(ob, message):
    with pytest.raises(ValueError, match=message):
        gathered()


def test_what_cannot_be_painted_is_told_in_a_sentence(scene):
    ob = sheet()
    ones = np.ones(25)
    item = paint(ob, "bending_stiffness", 0.0, ones)
    item.vertex_group = ""
    say(ob, "Sheet: the painted Bending has no vertex group; choose its Group")
    item.vertex_group = "Gone"
    say(ob, 'Sheet: there is no vertex group "Gone", perhaps')
    item.vertex_group = ob.vertex_groups.new(name="Empty").name
    say(ob, 'no vertex has a weight in the vertex group "Empty" of the painted Bending')
    item.vertex_group = GROUP
    second = paint(ob, "bending_stiffness", 1.0, ones)
    say(ob, "Sheet: Bending is painted twice")
    second.what, second.value = "youngs_modulus", 0.0
    say(ob, "Unpainted of the painted Stiffness is 0; it must lie between 0.001 and 1e.13 Pa")
    second.what = "collision_thickness"
    say(ob, "Collision Thickness must be above 0 under both Unpainted")
    ob.vbd.painted.remove(1)
    gathered()
    ob.vbd.role = "ROD"
    item.what = "bending_factor"
    say(ob, "Sheet: the painted Bending Factor must be above 0 under Painted")
    item.what = "bending_stiffness"
    say(ob, "Sheet: Bending cannot be painted on a rod")


def test_a_new_row_takes_the_active_group_and_the_objects_own_value(cube):
    cube.vbd.role = "SOFT"
    cube.vertex_groups.new(name="Soft Spots")
    for _ in range(12):
        bpy.ops.vbd.add_painted()
    rows = cube.vbd.painted
    fitting = [name for name, roles in ROLES_OF.items() if "SOFT" in roles]
    assert [row.what for row in rows][: len(fitting)] == fitting
    assert {row.vertex_group for row in rows} == {"Soft Spots"}
    assert rows[0].value == pytest.approx(cube.vbd.youngs_modulus)
    cube.vbd.youngs_modulus = 4e6
    rows[0].what = "youngs_modulus"
    assert rows[0].value == 4e6
    rows[0].what = "friction"
    assert rows[0].value == pytest.approx(bpy.context.scene.vbd.friction)
    for _ in range(12):
        bpy.ops.vbd.remove_painted()
    assert not len(rows) and not bpy.ops.vbd.remove_painted.poll()


def shown_map(ob):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return painted_mesh(ob, ob.vbd.painted[0], depsgraph, bpy.context.scene.vbd.friction)


def test_the_map_is_dark_where_the_property_is_low(scene):
    ob = sheet()
    ob.location.z = 2.0
    item = paint(ob, "density", 0.0, np.arange(25) / 24)
    ob.vbd.density = 0.3
    bpy.context.view_layer.update()
    points, triangles, colors = shown_map(ob)
    np.testing.assert_allclose(points, shown(ob), atol=1e-6)
    assert triangles.shape == (32, 3)
    np.testing.assert_allclose(colors[[0, 24], :3], COLORS[[0, -1]], atol=1e-6)
    item.value = 0.6  # more than at weight 1
    np.testing.assert_allclose(shown_map(ob)[2][[24, 0], :3], COLORS[[0, -1]], atol=1e-6)
    ob.modifiers.new("Smooth", "SUBSURF").levels = 1
    bpy.context.view_layer.update()
    points, _, colors = shown_map(ob)
    assert len(points) == len(colors) > 25


def test_what_cannot_be_painted_has_no_map(scene):
    ob = sheet()
    item = paint(ob, "bending_stiffness", 0.0, np.ones(25))
    item.vertex_group = "Gone"
    assert shown_map(ob) is None
    item.vertex_group = ob.vertex_groups.new(name="Empty").name
    assert shown_map(ob) is None
    item.vertex_group = GROUP
    assert shown_map(ob) is not None
    ob.vbd.role = "SOFT"
    assert shown_map(ob) is None


@pytest.mark.parametrize("own_tets", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_layer_below_the_surface_is_soft_and_the_inside_firm(scene, own_tets, grouped):
    """Of a cube of 1 m, 0.3 m deep: everywhere, or only where the weights are low, at the left."""
    if own_tets:
        ob = tet_block(cells=(10, 10, 10))
        corners = np.array([vertex.co for vertex in ob.data.vertices])
    else:
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.5, 0.5, 0.5))
        bpy.ops.object.transform_apply()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.subdivide(number_cuts=9)
        bpy.ops.object.mode_set(mode="OBJECT")
        ob = bpy.context.object
        corners = np.array([vertex.co for vertex in ob.data.vertices])
        ob.vbd.role, ob.vbd.resolution = "SOFT", 20
    ob.vbd.youngs_modulus = 1e6
    if grouped:
        item = paint(ob, "youngs_modulus", 1e4, corners[:, 0] > 0.5)
    else:
        item = ob.vbd.painted.add()
        item.what, item.value = "youngs_modulus", 1e4
    item.depth = 0.3
    frames(scene, 1, 2)
    (body,) = gathered().simulated()
    middle = body.points[body.elements].mean(axis=1)
    depth = np.minimum(middle, 1.0 - middle).min(axis=1)
    # Elements of up to 0.1 m are of both sorts at the border.
    inside, layer = depth > 0.4, depth < 0.2
    modulus = body.material.youngs_modulus
    np.testing.assert_allclose(modulus[inside], 1e6)
    soft = layer & (middle[:, 0] < 0.3 if grouped else True)
    np.testing.assert_allclose(modulus[soft], 1e4)
    if grouped:
        np.testing.assert_allclose(modulus[layer & (middle[:, 0] > 0.75)], 1e6)
    ob.vbd.role = "CLOTH" if not own_tets else "SOFT"
    if not own_tets and not grouped:
        with pytest.raises(ValueError, match="painted Stiffness"):
            gathered()
