# SPDX-License-Identifier: GPL-3.0-or-later
"""Graph traversals, against SciPy's where they exist."""

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_matrix
from shapes import box, grid

from vbd.solver.coarse.nearest_seeds import NearestSeeds
from vbd.solver.topology.graphs import (
    Neighbors,
    breadth_first_levels,
    connected_components,
    edge_index,
    edges_of,
    reverse_cuthill_mckee,
    two_coloring,
    unique_edges,
)

COUNT = 60


def scattered(seed, per_vertex=1.0):
    """Random distinct edges, and lengths for them."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, COUNT, (int(per_vertex * COUNT), 2))
    edges = unique_edges(ends[ends[:, 0] != ends[:, 1]])
    return edges, rng.uniform(0.1, 1.0, len(edges))


def as_matrix(edges, lengths):
    return csr_matrix((lengths, edges.T), shape=(COUNT, COUNT))


def test_unique_edges_are_the_edges_of_all_elements_once():
    edges = unique_edges(np.array([[0, 1, 2], [2, 1, 3]]), np.array([[3, 0]]))
    assert sorted(map(tuple, edges.tolist())) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_unique_edges_of_nothing_are_none():
    assert unique_edges(np.zeros((0, 4), int)).shape == (0, 2)


def test_components_are_what_edges_join():
    rng = np.random.default_rng(0)
    wanted = rng.integers(0, 40, 300)
    order = np.argsort(wanted, kind="stable")
    chains = np.stack([order[:-1], order[1:]], axis=1)
    edges = chains[wanted[chains[:, 0]] == wanted[chains[:, 1]]]
    component = connected_components(rng.permutation(edges), 300)
    assert len(np.unique(component)) == len(np.unique(wanted))
    for number in np.unique(wanted):
        assert len(np.unique(component[wanted == number])) == 1
    assert (connected_components(np.zeros((0, 2), int), 3) == [0, 1, 2]).all()


@pytest.mark.parametrize("seed", range(5))
def test_components_are_numbered_by_their_first_vertices_as_scipy_does(seed):
    edges, lengths = scattered(seed, 0.6)
    _, labels = csgraph.connected_components(as_matrix(edges, lengths), directed=False)
    np.testing.assert_array_equal(connected_components(edges, COUNT), labels)


@pytest.mark.parametrize("seed", range(5))
def test_levels_are_the_steps_of_the_shortest_path(seed):
    edges, lengths = scattered(seed)
    steps = csgraph.shortest_path(as_matrix(edges, lengths), directed=False, unweighted=True)
    levels = breadth_first_levels(Neighbors.from_edges(edges, COUNT), 7)
    np.testing.assert_array_equal(levels, np.where(np.isinf(steps[7]), -1, steps[7]))


def places_left(order, edges):
    """Entries of all rows of a matrix in this order from their first one to the diagonal."""
    place = np.argsort(order)
    first = place.copy()
    for one, other in (edges.T, edges[:, ::-1].T):
        np.minimum.at(first, one, place[other])
    return (place - first).sum()


def quarter_grid(seed):
    """The vertices of a grid of 8 × 30 squares, numbered at random, and nothing else."""
    _, triangles = grid(30)
    edges = unique_edges(triangles)
    edges = edges[(edges < 31 * 9).all(axis=1)]
    return np.random.default_rng(seed).permutation(31 * 9)[edges], 31 * 9


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [lambda seed: (scattered(seed, 0.9)[0], COUNT), quarter_grid])
def test_the_order_leaves_as_few_places_as_that_of_scipy(make, seed):
    edges, count = make(seed)
    order = reverse_cuthill_mckee(Neighbors.from_edges(edges, count))
    assert sorted(order) == list(range(count))
    both = np.concatenate([edges, edges[:, ::-1]])
    matrix = csr_matrix((np.ones(len(both)), both.T), shape=(count, count))
    theirs = csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)
    assert places_left(order, edges) <= 1.15 * places_left(theirs, edges)


def test_the_order_keeps_what_nothing_joins():
    empty = np.zeros((0, 2), int)
    assert reverse_cuthill_mckee(Neighbors.from_edges(empty, 3)).tolist() == [2, 1, 0]
    assert reverse_cuthill_mckee(Neighbors.from_edges(empty, 0)).tolist() == []


@pytest.mark.parametrize("seed", range(5))
def test_seeds_share_the_vertices_as_dijkstra_does_however_late_they_come(seed):
    edges, lengths = scattered(seed, 1.5)
    found = NearestSeeds(edges, COUNT, lengths)
    found.add(np.array([3]), 0)
    found.add(np.array([20, 41]), np.array([1, 2]))
    distance, _, source = csgraph.dijkstra(
        as_matrix(edges, lengths),
        directed=False,
        indices=[3, 20, 41],
        return_predecessors=True,
        min_only=True,
    )
    np.testing.assert_allclose(found.distance, distance, rtol=1e-12)
    known = np.array([-1, 3, 20, 41])[found.number + 1]
    reached = np.isfinite(distance)
    np.testing.assert_array_equal(known[reached], source[reached])
    assert (found.number[~reached] == -1).all()


def test_a_checkerboard_has_two_colors_and_a_triangle_has_not():
    points, triangles = grid(6)
    edges = unique_edges(triangles)
    straight = edges[(np.abs(points[edges[:, 0]] - points[edges[:, 1]]) > 1e-9).sum(axis=1) == 1]
    side = two_coloring(np.random.default_rng(0).permutation(straight), len(points))
    np.testing.assert_array_equal(side, np.arange(49) % 7 % 2 ^ np.arange(49) // 7 % 2)
    assert two_coloring(edges, len(points)) is None


def test_the_first_vertex_of_every_component_has_color_0():
    assert two_coloring(np.array([[1, 4], [2, 3]]), 6).tolist() == [0, 0, 0, 1, 1, 0]
    assert two_coloring(np.zeros((0, 2), int), 3).tolist() == [0, 0, 0]


def test_edges_are_found_again_whichever_way_they_run():
    _, tets = box((2, 2, 2))
    edges = np.random.default_rng(0).permutation(unique_edges(tets))
    np.testing.assert_array_equal(edge_index(edges, edges[:, ::-1]), np.arange(len(edges)))
    assert edge_index(edges[5:], np.array([*edges[:2], [0, 99]])).tolist() == [-1, -1, -1]
    assert edge_index(edges[:0], edges[:2]).tolist() == [-1, -1]


def test_triangles_know_their_edges():
    _, triangles = grid(3)
    edges, of_triangle = edges_of(triangles)
    np.testing.assert_array_equal(edges, unique_edges(triangles))
    for k in range(3):
        ends = np.sort(triangles[:, [k, (k + 1) % 3]], axis=1)
        np.testing.assert_array_equal(edges[of_triangle[:, k]], ends)
