# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces too large to show the bending of a soft body: the message and the button for it."""

import bpy
import numpy as np
import pytest
from blender_scenes import gathered, pin, slab, tet_block

from vbd.addon.baking.within_faces import WithinFaces
from vbd.addon.objects.modifiers import divider_of, levels_of
from vbd.addon.objects.read_mesh import positions, triangles
from vbd.addon.objects.stored_records import refined
from vbd.addon.panels.advice import lines_of
from vbd.solver.lattice.contact_mesh import LONGEST_EDGE
from vbd.solver.lattice.lattice import embed, lattice


@pytest.fixture
def falling(scene):
    """The default cube, to keep its large faces, 0.5 m above a floor, and half a second."""
    scene.vbd.frame_end = 13
    slab(size=20.0)
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 1.5))
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.keep_coarse = "SOFT", True
    return ob


def told(scene):
    return [line for line in lines_of(scene) if "too large to show how" in line.text]


def test_the_distance_is_that_of_a_known_bulge(cube):
    points, faces = positions(cube.data).astype(float), triangles(cube.data)
    cells = lattice(points, faces, 8)
    corners, weights = embed(points, cells)
    within = WithinFaces(points, faces, cells)
    moved = cells.points.copy()
    moved[:, 2] += 0.1 * (1.0 - moved[:, 0] ** 2)  # 0 at the corners
    visible = np.einsum("pk,pki->pi", weights, moved[corners])
    # Half of the side is a whole number of cells, so there are points of the lattice in the middle;
    # those of the mesh lie a millionth of the side inside of the lattice.
    assert within.largest_distance(moved, visible) == pytest.approx(0.1, rel=1e-4)
    assert within.largest_distance(cells.points, points) < 1e-9


def test_a_cube_is_told_to_have_large_faces_until_they_are_subdivided(falling, scene):
    bpy.ops.vbd.bake()
    (line,) = told(scene)
    assert line.text.startswith("The faces of Cube are too large to show how it bends ")
    assert not line.warns
    assert line.operator == "vbd.subdivide_faces" and line.objects == ("Cube",)
    number = lines_of(scene).index(line)
    assert bpy.ops.vbd.subdivide_faces(line=number) == {"FINISHED"}
    assert not falling.vbd.baked and falling.data.shape_keys is None
    assert len(falling.data.polygons) == 6 * 8 * 8
    bpy.ops.vbd.bake()
    assert not told(scene)


def test_what_a_modifier_subdivides_is_not_subdivided_below_it(falling, scene, capfd):
    falling.modifiers.new("Round", "SUBSURF").levels = 2
    falling.vbd.stack_place = "FIRST"
    bpy.ops.vbd.bake()
    (line,) = told(scene)
    assert "(Modifier Stack)" in line.text and line.operator == "vbd.simulate_after"
    falling.select_set(True)
    assert bpy.ops.vbd.subdivide_faces() == {"CANCELLED"}
    assert "Cube: with its faces divided, Round would give it another shape" in "".join(
        capfd.readouterr()
    )
    assert len(falling.data.vertices) == 8


def test_a_button_simulates_after_the_modifier_that_subdivides(falling, scene):
    smooth = falling.modifiers.new("Round", "SUBSURF")
    smooth.levels, smooth.render_levels = 1, 3
    falling.vbd.stack_place = "FIRST"
    bpy.ops.vbd.bake()
    (line,) = told(scene)
    assert bpy.ops.vbd.simulate_after(line=lines_of(scene).index(line)) == {"FINISHED"}
    assert (falling.vbd.stack_place, falling.vbd.stack_modifier) == ("AFTER", "Round")
    assert (smooth.levels, smooth.render_levels) == (3, 3)
    bpy.ops.vbd.bake()
    assert not told(scene)
    falling.modifiers.remove(smooth)
    assert bpy.ops.vbd.simulate_after(line=-1) == {"CANCELLED"}


def test_the_button_keeps_levels_that_an_earlier_bake_would_take_back(falling, scene):
    """This holds for every modifier that is simulated from then on."""
    scene.vbd.frame_end = 2
    for name, levels in (("Round", (0, 1)), ("Rounder", (1, 2))):
        smooth = falling.modifiers.new(name, "SUBSURF")
        smooth.levels, smooth.render_levels = levels
        falling.modifiers.new("Sharp", "BEVEL").width = 0.001
    bpy.ops.vbd.bake()
    assert refined(falling)["levels"] == {"Round": [0, 1]}
    assert bpy.ops.vbd.simulate_after() == {"FINISHED"}
    for _ in range(2):
        assert [levels_of(falling.modifiers[name]) for name in ("Round", "Rounder")] == [
            (1, 1),
            (2, 2),
        ]
        assert bpy.ops.vbd.bake() == {"FINISHED"}
    bpy.ops.vbd.free_bake()
    assert levels_of(falling.modifiers["Round"]) == (1, 1)


def test_a_modifier_of_the_bake_is_not_chosen(falling, scene):
    scene.vbd.frame_end = 2
    falling.vbd.keep_coarse = False
    bpy.ops.vbd.bake()
    assert divider_of(falling)
    falling.vbd.stack_place = "FIRST"
    assert bpy.ops.vbd.simulate_after() == {"CANCELLED"}


@pytest.mark.parametrize("place", ["AUTO", "AFTER"])
def test_what_is_simulated_after_its_modifier_has_no_button(falling, scene, place):
    smooth = falling.modifiers.new("Round", "SUBSURF")
    smooth.subdivision_type, smooth.levels, smooth.render_levels = "SIMPLE", 1, 1
    falling.vbd.stack_place, falling.vbd.stack_modifier = place, "Round"
    falling.vbd.resolution, falling.vbd.youngs_modulus = 10, 4000.0
    bpy.ops.vbd.bake()
    (line,) = told(scene)
    assert "(Modifier Stack)" in line.text and not line.operator
    assert bpy.ops.vbd.simulate_after() == {"CANCELLED"}
    falling.vbd.stack_place, falling.vbd.stack_modifier = "AFTER", "Gone"
    assert bpy.ops.vbd.simulate_after() == {"FINISHED"}


def test_what_nothing_subdivides_has_no_button(falling, scene):
    falling.modifiers.new("Sharp", "BEVEL").width = 0.001
    falling.vbd.stack_place, falling.vbd.stack_modifier = "AFTER", "Sharp"
    bpy.ops.vbd.bake()
    (line,) = told(scene)
    assert "(Modifier Stack)" in line.text and not line.operator


def test_subdividing_keeps_the_shape_and_all_that_belongs_to_the_mesh(falling, scene):
    falling.scale.x = 3.0  # edges are measured in the world
    scene.view_layers[0].update()
    pin(falling, range(8))
    falling.shape_key_add(name="Basis")
    falling.shape_key_add(name="Tall").data[7].co.z = 5.0
    falling.data.materials.append(bpy.data.materials.new("Red"))
    bpy.ops.vbd.subdivide_faces()
    mesh, cell = falling.data, 6.0 / 8.0
    ends = np.array([edge.vertices[:] for edge in mesh.edges])
    along = (positions(mesh)[ends[:, 0]] - positions(mesh)[ends[:, 1]]) * (3.0, 1.0, 1.0)
    assert np.linalg.norm(along, axis=1).max() <= LONGEST_EDGE * cell * (1.0 + 1e-5)
    # Sides of 0.75 m × 1 m have a diagonal of 1.25 m, which is longer than 1.06 m.
    assert len(mesh.polygons) == 2 * (2 * 8 * 4 + 4 * 4)
    assert np.abs(positions(mesh)).max(axis=1) == pytest.approx(1.0)
    weights = [vertex.groups[0].weight for vertex in mesh.vertices]
    assert weights == pytest.approx(np.ones(len(mesh.vertices)))
    assert [key.name for key in mesh.shape_keys.key_blocks] == ["Basis", "Tall"]
    assert max(point.co.z for point in mesh.shape_keys.key_blocks["Tall"].data) == 5.0
    assert mesh.uv_layers and mesh.materials[0].name == "Red"


@pytest.mark.parametrize("tilt", [(0.0, 0.0, 0.0), (0.4, 0.3, 0.2)])
@pytest.mark.parametrize("resolution", [3, 5, 8, 11])
@pytest.mark.parametrize("kind", ["cube", "cylinder", "cone"])
def test_the_result_needs_no_more_points_for_its_cells(scene, kind, resolution, tilt):
    """Nor would the bake divide it again."""
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(rotation=tilt)
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", resolution
    scene.view_layers[0].update()
    bpy.ops.vbd.subdivide_faces()
    target = gathered().targets[0]
    assert not WithinFaces(target.start_points(), target.faces, target.lattice).ends
    assert len(target.start_points()) == len(ob.data.vertices)
    assert len(ob.data.vertices) < 30 * resolution**2


def test_the_lid_of_a_cylinder_gets_edges_of_its_own(scene):
    bpy.ops.mesh.primitive_cylinder_add(vertices=32)
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    bpy.ops.vbd.subdivide_faces()
    points, longest = positions(ob.data), LONGEST_EDGE * 2.0 / 8.0
    faces = [points[list(face.vertices)] for face in ob.data.polygons]
    # Two edges at most, from one corner to another.
    assert max(np.ptp(corners, axis=0).max() for corners in faces) <= 2.0 * longest
    lid = points[points[:, 2] > 0.999]
    assert np.linalg.norm(lid[:, :2], axis=1).min() < 0.2  # near the middle, too


def test_nothing_but_soft_bodies_and_cloth_can_be_subdivided(cube, capfd):
    assert bpy.ops.vbd.subdivide_faces() == {"CANCELLED"}
    assert "Select soft bodies or cloth" in "".join(capfd.readouterr())


def test_a_mesh_without_faces_and_the_modifier_at_fault_are_named(cube, capfd):
    cube.vbd.role = "SOFT"
    cube.modifiers.new("Bones", "ARMATURE")
    cube.modifiers.new("Round", "SUBSURF")
    assert bpy.ops.vbd.subdivide_faces() == {"CANCELLED"}
    assert "Cube: with its faces divided, Round would give it another shape" in "".join(
        capfd.readouterr()
    )
    cube.modifiers.clear()
    cube.data.clear_geometry()
    assert bpy.ops.vbd.subdivide_faces() == {"CANCELLED"}
    assert "Cube: the mesh has no faces" in "".join(capfd.readouterr())


def test_tets_of_their_own_are_left_alone(scene, capfd):
    block = tet_block()
    block.select_set(True)
    assert bpy.ops.vbd.subdivide_faces() == {"CANCELLED"}
    assert "its faces are those of its own tets" in "".join(capfd.readouterr())
