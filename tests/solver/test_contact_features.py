# SPDX-License-Identifier: GPL-3.0-or-later
"""Each contact counts once, at the closest face, edge or corner."""

import numpy as np
import pytest
import warp as wp
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Collider, Rod, Solid
from vbd.solver.kernels.contact.detection.features import Neighborhoods, into_block
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation
from vbd.solver.topology.meshes import boundary_triangles
from vbd.solver.topology.neighborhoods import neighborhoods, third_corners

# Contact distance of both sides together [m].
DISTANCE = 0.01
THIN = Material(spring_stiffness=1e3, vertex_mass=0.01, collision_thickness=0.5 * DISTANCE)


def touches_of(*bodies):
    """The rows of `Touch` that act after a substep too short for any motion, with their kinds and
    their stiffness over that of the pair.
    """
    settings = Settings(frame_time=1e-6, substeps=1, gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(list(bodies), settings)
    list(simulation.frames(1))
    lists = simulation.model.lists
    touches, pairs, state = (
        a.numpy()[: lists.count] for a in (lists.touches, lists.pairs, lists.state)
    )
    acts = state["near"] & 15 != 0
    share = touches["stiffness"][acts] / pairs["full_stiffness"][acts]
    return touches[acts], pairs["kind"][acts], share


def needle(tip, lean=(0.0, 0.0)):
    """A triangle that points down to `tip`."""
    points = np.array([[0.0, 0.0, 0.0], [-0.01, 0.0, 0.3], [0.01, 0.0, 0.3]])
    points[1:, :2] += lean
    material = Material(collision_thickness=0.5 * DISTANCE)
    return Cloth(points + tip, [[0, 1, 2]], material, name="Needle")


def collider(points, triangles):
    return Collider(np.asarray(points, float), triangles, thickness=0.5 * DISTANCE, name="Mesh")


# Places over a grid with edges of 0.25 m: a face, edges, a diagonal, corners of four and eight
# edges, and near all of them.
PLACES = [(0.41, 0.36), (0.375, 0.5), (0.5, 0.43), (0.35, 0.35), (0.5, 0.5), (0.25, 0.5)]


@pytest.mark.parametrize("beside", [0.0, 1e-6, 1e-4, 3e-3])
@pytest.mark.parametrize("place", PLACES)
def test_a_vertex_over_a_flat_mesh_touches_once_and_straight(place, beside):
    tip = np.array([place[0] + beside, place[1] + 0.7 * beside, 0.6 * DISTANCE])
    touches, kinds, _ = touches_of(needle(tip, (0.02, 0.05)), collider(*grid(4)))
    tip_of_needle = touches["vertices"][:, 0] == 0
    # A corner of the mesh, where there is one, touches the needle, too.
    assert (kinds == 1).all() and tip_of_needle.sum() == 1 and len(kinds) <= 2
    # A block is a thousandth of the distance wider than it should be.
    assert np.abs(touches["normal"][tip_of_needle, :2]).max() < 2e-3


def test_a_vertex_over_a_ridge_touches_its_edge_once():
    roof = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, -0.4], [0.5, -0.5, -0.4]]
    mesh = collider(roof, [[0, 1, 2], [1, 0, 3]])
    touches, kinds, share = touches_of(needle([0.3, 0.001, 0.006]), mesh)
    assert kinds.tolist() == [1] and share.tolist() == [1.0]
    assert touches["normal"][0] == pytest.approx([0.0, 1.0 / 37**0.5, 6.0 / 37**0.5], abs=1e-5)


def test_a_vertex_in_a_valley_touches_both_faces():
    valley = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, 0.4], [0.5, -0.5, 0.4]]
    _, kinds, share = touches_of(
        needle([0.3, 0.0, 0.008]), collider(valley, [[0, 1, 2], [1, 0, 3]])
    )
    assert kinds.tolist() == [1, 1] and share.tolist() == [1.0, 1.0]


def test_two_corners_touch_once_from_either_side():
    points, tets = box((1, 1, 1), (0.2, 0.2, 0.2))
    upper, lower = points + [0.0, 0.0, 0.006], points - 0.2
    material = Material(youngs_modulus=1e5, collision_thickness=0.5 * DISTANCE)
    body = Solid(upper, tets, material, name="Upper")
    _, kinds, share = touches_of(body, collider(lower, boundary_triangles(tets)))
    assert kinds.tolist() == [1, 1] and share.tolist() == [1.0, 1.0]


def test_edges_that_cross_count_in_full():
    ridge = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, -0.4], [0.0, -0.5, -0.4]]
    blade = Cloth(
        [[0.02, -0.3, 0.006], [0.02, 0.3, 0.006], [0.02, 0.0, 0.4]],
        [[0, 1, 2]],
        Material(collision_thickness=0.5 * DISTANCE),
    )
    touches, kinds, share = touches_of(blade, collider(ridge, [[0, 1, 2], [1, 0, 3]]))
    assert kinds.tolist() == [2] and share.tolist() == [1.0]
    assert np.abs(touches["normal"][0]) == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)


@wp.kernel
def turn_into_block(
    toward: wp.vec3,
    x: wp.array[wp.vec3],
    around: Neighborhoods,
    # out
    direction: wp.array[wp.vec3],
):
    """`into_block` of the edge from vertex 0 to vertex 1."""
    direction[0] = into_block(toward, 0, 1, x, around)


# Depth of the mesh's sides below its edge, sine of the lean of the direction, and of what is left.
@pytest.mark.parametrize(
    "depth, lean, left",
    [(0.0, 0.0, 0.0), (0.0, 0.03, 0.0027), (0.0, 0.2, 0.2), (0.5, 0.2, 0.2), (-0.02, 0.0, 0.0)],
)
def test_directions_near_the_blocks_of_edges_turn_into_them(depth, lean, left):
    points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.5, -0.5 * depth], [0.5, -0.5, -0.5 * depth]]
    around = Neighborhoods()
    start, edges = neighborhoods(np.array([[0, 1]]), np.array([[0, 1, 2], [1, 0, 3]]), 4)
    around.start, around.edges = (
        wp.array(values, dtype=kind, device="cpu")
        for values, kind in ((start, int), (edges, wp.vec3i))
    )
    direction = wp.zeros(1, dtype=wp.vec3, device="cpu")
    x = wp.array(np.array(points, np.float32), dtype=wp.vec3, device="cpu")
    toward = wp.vec3(0.0, lean, (1.0 - lean**2) ** 0.5)
    wp.launch(turn_into_block, 1, [toward, x, around], [direction], device="cpu")
    # lean (lean / FADE)² up to FADE, then all of it.
    expected = [0.0, left, (1.0 - left**2) ** 0.5]
    assert direction.numpy()[0] == pytest.approx(expected, abs=1e-4)


def test_a_rope_across_corners_touches_each_once():
    # The corner of an octahedron has four edges and four faces.
    points = np.concatenate([np.eye(3), -np.eye(3)]) * 0.3 - [0.0, 0.0, 0.3]
    x, y, z, u, v, w = range(6)
    top = [[x, y, z], [y, u, z], [u, v, z], [v, x, z]]
    bottom = [[y, x, w], [u, y, w], [v, u, w], [x, v, w]]
    line, edges = chain(2, 0.4)
    rope = Rod(line + [-0.17, 0.003, 0.006], edges, THIN, name="Rope")
    _, kinds, share = touches_of(rope, collider(points, top + bottom))
    assert kinds.tolist() == [2] and share.tolist() == [1.0]


def test_ends_of_two_ropes_touch_once():
    line, edges = chain(3, 0.2)
    one = Rod(line, edges, THIN, name="One")
    other = Rod(line[:, [1, 0, 2]] + [0.2, -0.2, 0.006], edges, THIN, name="Other")
    _, kinds, share = touches_of(one, other)
    assert kinds.tolist() == [2] and share.tolist() == [1.0]


def test_edges_know_the_third_corners_of_their_triangles():
    edges = np.array([[0, 1], [1, 2], [0, 2], [5, 6]])
    triangles = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]])
    assert third_corners(edges, triangles).tolist() == [[-2, -2], [0, -1], [1, -1], [-1, -1]]
    start, around = neighborhoods(edges, triangles, 7)
    assert start.tolist() == [0, 2, 4, 6, 6, 6, 7, 8]
    assert around[:2].tolist() == [[1, -2, -2], [2, 1, -1]]
