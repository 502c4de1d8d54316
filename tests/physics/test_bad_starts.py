# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that begin with surfaces passing through each other."""

from dataclasses import replace

import numpy as np
import pytest
import shapes
from intersections import intersecting_pairs
from shapes import block, box, grid, rotation, tet_ball

from vbd.benchmarks.experiments.contact_shapes import jack
from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.contact.initial.intersections import Intersection
from vbd.solver.scene.analytic_colliders import Box, Plane, Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.meshes import boundary_triangles, tet_volumes

CELLS = 12
RUBBER = Material(youngs_modulus=1e5, damping=0.01, collision_thickness=0.004)
COTTON = replace(shapes.COTTON, poisson_ratio=0.3, collision_thickness=0.1 / CELLS)
FLOATING = Settings(gravity=(0.0, 0.0, 0.0))


def joined(bodies, frame):
    """Points and surface triangles of all bodies of a frame."""
    points, triangles, count = [], [], 0
    for body, p in zip(bodies, frame.exact_positions, strict=True):
        surface = boundary_triangles(body.tets) if isinstance(body, Solid) else body.triangles
        points.append(p)
        triangles.append(surface + count)
        count += len(p)
    return np.concatenate(points), np.concatenate(triangles)


def test_two_solids_inside_each_other_come_apart_within_two_seconds():
    points, tets = tet_ball(4, 0.2)
    bodies = [
        Solid(points, tets, RUBBER, name="Left"),
        Solid(points + [0.22, 0.1, 0.13], tets, RUBBER, name="Right"),
    ]
    named, frames = set(), 0
    for frame in simulate(bodies, FLOATING, 48):
        if frame.stats.tangles:
            named.update(name for tangle in frame.stats.tangles for name in tangle.bodies)
            frames = frame.index
    assert named == {"Left", "Right"}
    assert frames < 47
    assert len(intersecting_pairs(*joined(bodies, frame))) == 0
    # They separate slowly: 10 cm in a quarter of a second would be 0.4 m/s.
    mass = 2.0 * 1000.0 * 4.0 / 3.0 * np.pi * 0.2**3
    assert frame.stats.kinetic_energy < 0.5 * mass * 0.4**2


def pierced():
    """A sheet through which another one hangs, some ten crossings along its width."""
    points, triangles = grid(CELLS)
    lower = points - [0.5, 0.5, 0.0]
    upright = 0.4 * lower[:, [2, 0, 1]] + [0.013, 0.017, 0.16]
    return [
        Cloth(lower, triangles, COTTON, name="Sheet"),
        Cloth(upright, triangles, COTTON, name="Strip"),
    ]


def test_a_cloth_that_pierces_another_one_is_pulled_out_within_two_seconds():
    bodies = pierced()
    counts = []
    for frame in simulate(bodies, FLOATING, 48):
        counts.append(sum(tangle.count for tangle in frame.stats.tangles))
    assert counts[0] >= 10
    assert counts[-1] == 0
    assert len(intersecting_pairs(*joined(bodies, frame))) == 0


def interlaced(slope, noise):
    """Two sheets in almost the same plane, that cross along a line or all over."""
    points, triangles = grid(CELLS)
    points = points - [0.5, 0.5, 0.0]
    rough = noise * np.random.default_rng(1).standard_normal((2, len(points)))
    lower = points + np.outer(rough[0], [0.0, 0.0, 1.0])
    upper = points + [0.03, 0.017, 0.0]
    upper[:, 2] = slope * upper[:, 0] + rough[1]
    return [
        Cloth(lower, triangles, COTTON, rest_points=points, name="Lower"),
        Cloth(upper, triangles, COTTON, rest_points=points, name="Upper"),
    ]


@pytest.mark.parametrize(("slope", "noise"), [(0.02, 0.0), (0.1, 0.0), (0.0, 0.02)])
def test_sheets_that_lie_in_each_other_choose_a_side_each_within_a_second(slope, noise):
    bodies = interlaced(slope, noise)
    found = []
    for frame in simulate(bodies, FLOATING, 24):
        found.append(frame.stats.tangles)
    assert found[0][0].bodies == ("Lower", "Upper")
    assert found[-1] == ()
    assert len(intersecting_pairs(*joined(bodies, frame))) == 0


def test_a_cloth_through_a_collider_leaves_it():
    points, triangles = grid(CELLS)
    cloth = Cloth(points - [0.5, 0.5, -0.12], triangles, COTTON, name="Sheet")
    stone = Collider(*block((0.3, 0.3, 0.3), (0.0, 0.0, 0.0)), name="Stone")
    found = []
    for frame in simulate([cloth, stone], Settings(), 48):
        found.append(frame.stats.tangles)
    assert found[0][0].bodies == ("Sheet", "Stone")
    assert found[-1] == ()
    last = frame.positions[0]
    assert not ((np.abs(last) < 0.149).all(axis=1)).any()


def flattened(points, tets, self_contact):
    """A soft body that begins in the plane z = 0."""
    material = Material(
        youngs_modulus=1e5, damping=0.01, collision_thickness=0.004, self_contact=self_contact
    )
    flat = points * [1.0, 1.0, 0.0]
    return Solid(flat, tets, material, rest_points=points, name="Coin")


@pytest.mark.parametrize(("height", "side"), [(0.0, 1), (0.15, 1), (-0.15, -1)])
@pytest.mark.parametrize("cells", [1, 5])
def test_a_solid_through_a_floor_comes_to_the_side_where_most_of_it_is(height, side, cells):
    # A floor is an open sheet: if a body is halfway through it, the front is the better guess.
    points, tets = box((4, 4, 4))
    cube = Solid(points - [0.5, 0.5, 0.5 - height], tets, RUBBER, name="Cube")
    sheet, triangles = grid(cells, 4.0)
    floor = Collider(sheet - [2.0, 2.0, 0.0], triangles, name="Floor")
    still = Settings(gravity=(0.0, 0.0, 0.0))
    found = []
    for frame in simulate([cube, floor], still, 36):
        found.append(frame.stats.tangles)
    assert found[0][0].bodies == ("Cube", "Floor")
    assert found[-1] == ()
    assert (side * frame.positions[0][:, 2]).min() > 0.0
    assert frame.stats.inverted == 0


@pytest.mark.parametrize("self_contact", [False, True])
def test_a_flattened_solid_gets_its_volume_back(self_contact):
    points, tets = tet_ball(3, 0.2)
    body = flattened(points, tets, self_contact)
    for frame in simulate([body], FLOATING, 48):
        assert np.isfinite(frame.positions[0]).all()
    volumes = tet_volumes(frame.exact_positions[0], tets)
    assert volumes == pytest.approx(tet_volumes(points, tets), rel=0.1)
    assert frame.stats.tangles == ()
    assert frame.stats.rejected == 0


def test_a_flattened_solid_that_has_grown_into_itself_says_so():
    # Two of its arms recover in the same place, and hold each other there.
    points, tets = jack(0.4)
    body = flattened(points, tets, True)
    for frame in simulate([body], FLOATING, 24):
        assert np.isfinite(frame.positions[0]).all()
    crossing = len(intersecting_pairs(*joined([body], frame))) > 0
    assert crossing == bool(frame.stats.tangles)


def test_a_solid_that_is_held_flat_says_so():
    points, tets = tet_ball(2, 0.2)
    flat = points * [1.0, 1.0, 0.0]
    material = Material(youngs_modulus=1e5, collision_thickness=0.004, self_contact=True)
    everything = Pins(np.arange(len(points)))
    body = Solid(flat, tets, material, pins=everything, rest_points=points, name="Coin")
    for frame in simulate([body], FLOATING, 2):
        assert frame.stats.tangles[0].bodies == ("Coin", "Coin")


def test_a_tangle_says_who_where_and_how_often():
    one = Intersection(("Shirt", "Trousers"), 12, (0.1, 0.2, 1.0))
    assert str(one) == "Shirt passes through Trousers in 12 places, one at (0.1, 0.2, 1)"
    assert str(Intersection(("Shirt", "Shirt"), 1, (0.0, 0.0, 0.0))).startswith(
        "Shirt passes through itself"
    )


@pytest.mark.parametrize(
    "bound",
    [
        Plane([0.0, 0.0, 0.0]),
        Box([-2.0, -2.0, 0.0], [2.0, 2.0, 3.0]),
        Sphere([0.0, 0.0, -0.5], 0.5),
    ],
    ids=lambda bound: bound.name,
)
def test_bounds_hold_what_falls_and_lead_back_what_begins_behind_them(bound):
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    points = points - [0.1, 0.1, 0.0]

    def front(frame):
        """Distance of every vertex from the bound, on its right side."""
        p = frame.exact_positions[0]
        if isinstance(bound, Sphere):
            return np.linalg.norm(p - bound.center, axis=1) - bound.radius
        return p[:, 2]

    falling = Solid(points + [0.0, 0.0, 0.3], tets, RUBBER)
    for frame in simulate([falling, bound], Settings(friction=0.8), 30):
        assert front(frame).min() > 0.0
    behind = Solid(points + [0.0, 0.0, -0.05], tets, RUBBER)
    for frame in simulate([behind, bound], Settings(friction=0.8), 48):
        assert np.abs(frame.positions[0]).max() < 1.0
    assert front(frame).min() > 0.0


@pytest.mark.parametrize(
    ("cells", "size", "modulus", "density", "part"),
    [
        (1, 2.0, 1e5, 1000.0, 0.5),
        (5, 2.0, 1e5, 1000.0, 0.5),
        (5, 2.0, 1e5, 1000.0, 1.5),
        (5, 2.0, 1e7, 1000.0, 0.5),
        (4, 0.5, 1e6, 2e4, 0.5),
        (4, 0.5, 1e4, 5.0, 0.5),
    ],
)
def test_a_cube_that_begins_in_the_ground_comes_out_whatever_its_weight(
    cells, size, modulus, density, part
):
    points, tets = box((cells,) * 3, (size,) * 3)
    material = Material(youngs_modulus=modulus, poisson_ratio=0.4, density=density)
    cube = Solid(points - [size / 2, size / 2, part * size], tets, material)
    highest = 0.0
    for frame in simulate([cube], Settings(use_ground=True), 56):
        heights = frame.exact_positions[0][:, 2]
        highest = max(highest, heights.max())
        assert frame.stats.inverted == 0
    assert heights.min() > 0.0
    # It is neither left in the ground nor thrown: it rises above its height on the ground only by
    # the swing of an elastic cube under its weight, ρ g H²/E, but for the contact distance.
    swing = 9.81 * density * size**2 / modulus
    assert size - 2.0 * swing - 0.02 < heights.max()
    assert highest < 1.02 * size + swing


@pytest.mark.parametrize(
    ("width", "sheet_cells", "modulus", "density"),
    [
        (2.0, 1, 1e5, 1000.0),
        (2.0, 1, 1e7, 1000.0),
        (20.0, 1, 1e5, 1000.0),
        (20.0, 1, 1e7, 1000.0),
        (4.0, 10, 1e5, 1000.0),
        (4.0, 10, 1e7, 1000.0),
        (4.0, 10, 1e5, 20.0),
    ],
)
def test_a_cube_in_a_plane_is_led_out_in_its_shape(width, sheet_cells, modulus, density):
    # The default cube and a default plane, both at the origin, or a larger or finer plane.
    points, tets = box((5, 5, 5), (2.0, 2.0, 2.0))
    material = Material(youngs_modulus=modulus, poisson_ratio=0.4, density=density)
    cube = Solid(points - 1.0, tets, material, name="Cube")
    sheet, triangles = grid(sheet_cells, width)
    plane = Collider(sheet - [width / 2, width / 2, 0.0], triangles, name="Plane")
    highest = 0.0
    for frame in simulate([cube, plane], Settings(), 48):
        heights = frame.exact_positions[0][:, 2]
        highest = max(highest, heights.max())
        assert np.ptp(heights) < 2.1
        assert frame.stats.inverted == 0
    assert frame.stats.tangles == ()
    assert heights.min() > 0.0
    assert highest < 2.05


@pytest.mark.parametrize("meshed", [False, True])
def test_what_is_held_in_a_floor_is_not_torn_out_of_it(meshed):
    points, tets = box((3, 3, 6), (0.2, 0.2, 0.6))
    roots = Pins(np.flatnonzero(points[:, 2] < 1e-9))
    wood = Material(youngs_modulus=1e6)
    tree = Solid(points - [0.1, 0.1, 0.25], tets, wood, pins=roots, name="Tree")
    sheet, triangles = grid(2, 2.0)
    floor = Collider(sheet - [1.0, 1.0, 0.0], triangles, name="Floor")
    if not meshed:
        floor = Plane([0.0, 0.0, 0.0])
    for frame in simulate([tree, floor], FLOATING, 24):
        top = frame.positions[0][:, 2].max()
    assert abs(top - 0.35) < 0.05


def test_what_stands_on_a_plane_or_a_rounding_error_below_is_calm():
    points, tets = box((4, 4, 4))
    sheet, triangles = grid(3, 4.0)
    floor = Collider(sheet - [1.5, 1.5, 0.0], triangles, name="Floor")
    for below in (0.0, 1e-7):
        cube = Solid(points - [0.0, 0.0, below], tets, RUBBER, name="Cube")
        for frame in simulate([cube, floor], Settings(), 12):
            heights = frame.exact_positions[0][:, 2]
            assert heights.max() < 1.02
        assert frame.stats.tangles == ()
        assert heights.min() > 0.0


def grounds(name):
    """A floor that faces up or down, or a table, with its surface at z = 0."""
    if name == "table":
        points, tets = box((3, 3, 3), (2.0, 2.0, 1.0))
        return points - [0.5, 0.5, 1.0], boundary_triangles(tets)
    points, triangles = grid(1 if name == "two triangles" else 5, 4.0)
    return points - [1.7, 1.6, 0.0], triangles[:, ::-1] if name == "facing down" else triangles


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["two triangles", "facing up", "facing down", "table"])
def test_a_sheet_that_begins_right_in_the_ground_lies_on_it(name, turned):
    # Turned, rounding puts some of its vertices above the ground and others below.
    turn = rotation([0.3, 0.2, 0.9], 0.7) if turned else np.eye(3)
    up = turn @ [0.0, 0.0, 1.0]
    points, triangles = grid(6)
    corners, faces = grounds(name)
    sheet = Cloth(points @ turn.T, triangles, Material(youngs_modulus=1e5))
    ground = Collider(corners @ turn.T, faces)
    for frame in simulate([sheet, ground], Settings(gravity=tuple(-9.81 * up)), 12):
        heights = frame.exact_positions[0] @ up
        # It comes to the contact distance, five thousandths of its size, and is not thrown.
        assert heights.min() > 0.0
        assert heights.max() < 0.01
        assert frame.stats.tangles == ()


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_sheet_that_begins_with_its_edge_in_a_cloth_comes_out_above_it(seed):
    axis = np.random.default_rng(seed).normal(size=3)
    turn = rotation(axis / np.linalg.norm(axis), 1.0 + seed)
    up = turn @ [0.0, 0.0, 1.0]
    points, triangles = grid(6)
    ground = Cloth(points @ turn.T, triangles, pins=Pins(np.arange(len(points))))
    points, triangles = grid(6, 0.5)
    along = [np.cos(0.4), np.sin(0.4)]
    points = np.column_stack([[0.2, 0.25] + points[:, :1] * along, points[:, 1]])
    sheet = Cloth(points @ turn.T, triangles, Material(youngs_modulus=1e5))
    # If rounding lets it cross the cloth, it is reported and pushed out.
    *_, frame = simulate([sheet, ground], Settings(gravity=tuple(-9.81 * up)), 6)
    assert (frame.exact_positions[0] @ up).min() > 0.0
    assert frame.stats.tangles == ()


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("is_rod", [False, True])
def test_what_begins_right_in_a_cloth_that_is_held_lies_on_it(is_rod, is_first):
    turn = rotation([0.3, 0.2, 0.9], 0.7)
    up = turn @ [0.0, 0.0, 1.0]
    points, triangles = grid(6)
    cloth = Cloth(points @ turn.T, triangles, pins=Pins(np.arange(len(points))))
    if is_rod:
        line = np.linspace([0.13, 0.21, 0.0], [0.87, 0.78, 0.0], 21)
        free = Rod(line @ turn.T, np.column_stack([np.arange(20), np.arange(1, 21)]))
    else:
        points = 0.6 * points + [0.17, 0.13, 0.0]
        free = Cloth(points @ turn.T, triangles, Material(youngs_modulus=1e5))
    bodies = [free, cloth] if is_first else [cloth, free]
    for frame in simulate(bodies, Settings(gravity=tuple(-9.81 * up)), 8):
        heights = frame.exact_positions[bodies.index(free)] @ up
        assert heights.min() > 0.0
        assert frame.stats.tangles == ()
        # It is pushed out of the cloth, and falls back.
        assert heights.max() < (0.02 if frame.index < 4 else 0.01)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.013, 0.007), (-0.31, -0.47)])
@pytest.mark.parametrize("cells", [1, 5])
@pytest.mark.parametrize("effort", [(2, 5), (4, 20)])
def test_a_sheet_in_a_ground_that_rises_is_lifted_as_a_whole(effort, cells, shift):
    points, triangles = grid(4)
    corners, faces = grid(cells, 4.0)
    ground = Collider(lambda time: corners + [-2.0, -2.0, 1.2 * time], faces)
    sheet = Cloth(points + [*shift, 0.0], triangles, Material(youngs_modulus=1e5))
    settings = Settings(substeps=effort[0], iterations=effort[1], gravity=(0.0, 0.0, 0.0))
    for frame in simulate([sheet, ground], settings, 6):
        heights = frame.exact_positions[0][:, 2] - 0.05 * frame.index
        assert heights.min() > 0.0
        # A sheet that is pushed out keeps its speed.
        assert heights.max() < 0.01 * frame.index


@pytest.mark.parametrize("turned", [False, True])
def test_a_cube_that_begins_right_on_another_one_lies_on_it(turned):
    turn = rotation([0.3, 0.2, 0.9], 0.7) if turned else np.eye(3)
    points, tets = box((3, 3, 3))
    lower, upper = (
        Solid((points + [0.0, 0.0, level]) @ turn.T, tets, RUBBER) for level in (0.0, 1.0)
    )
    roots = Pins(np.flatnonzero(points[:, 2] < 1e-9))
    lower = Solid(lower.points, tets, RUBBER, pins=roots)
    for frame in simulate([lower, upper], Settings(gravity=tuple(-2.0 * turn[:, 2])), 8):
        below, above = (p @ turn[:, 2] for p in frame.exact_positions)
        # The lower one is compressed by 3/2 ρ g H/E = 0.03 at rest, and by more as gravity sets in
        # suddenly; after these frames by 0.031 with 300 iterations.
        assert above.min() - below.max() > -1e-3
        assert above.min() > 0.968
        assert frame.stats.tangles == ()
