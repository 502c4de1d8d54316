# SPDX-License-Identifier: GPL-3.0-or-later
"""Colorings to compare with the solver's, and what tearing does to one."""

import numpy as np
import pytest
from shapes import box, mesh_names, tet_mesh

from vbd.benchmarks.experiments import coloring_methods as methods
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.benchmarks.reference.coloring import element_colors
from vbd.solver.topology.coloring import color_vertices
from vbd.solver.topology.graphs import unique_edges

WAYS = {
    "greedy": lambda edges, count: methods.by_warp(edges, count, "GREEDY"),
    "mcs": lambda edges, count: methods.by_warp(edges, count, "MCS"),
    "balanced": lambda edges, count: methods.by_warp(edges, count, "MCS", balanced=True),
    "solver": color_vertices,
    "randomized": methods.randomized,
}


@pytest.mark.parametrize("way", WAYS)
def test_no_edge_of_a_lattice_joins_two_of_a_color(way):
    points, tets = block((6, 5, 4))
    edges = unique_edges(tets)
    colors = WAYS[way](edges, len(points))
    assert methods.clashes(colors, edges) == 0
    # No gaps, and far fewer than the 15 that the degree of a vertex would allow.
    assert set(colors) == set(range(colors.max() + 1))
    assert colors.max() + 1 <= 14


@pytest.mark.skipif(not mesh_names(), reason="no tet meshes lie beside this checkout")
@pytest.mark.parametrize("name", mesh_names())
def test_randomized_colors_are_valid_and_more_than_the_solvers(name):
    points, tets = tet_mesh(name)
    edges = unique_edges(tets)
    colors = methods.randomized(edges, len(points))
    assert methods.clashes(colors, edges) == 0
    assert color_vertices(edges, len(points)).max() <= colors.max() <= 25


def test_randomized_colors_repeat_with_the_seed():
    points, tets = box((4, 4, 4))
    edges = unique_edges(tets)
    first, again = (methods.randomized(edges, len(points), seed=3) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_vertices_need_far_fewer_colors_than_elements():
    points, tets = block((6, 6, 6))
    vertices = color_vertices(unique_edges(tets), len(points)).max() + 1
    # Some vertex is in 24 tets, and each of them needs a color of its own.
    assert np.bincount(tets.ravel()).max() == 24
    assert element_colors(len(points), tets).max() + 1 >= 24
    assert vertices <= 5


def test_balancing_evens_the_sizes_of_colors():
    rng = np.random.default_rng(5)
    edges = np.unique(np.sort(rng.integers(0, 600, (2400, 2)), axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    plain = methods.by_warp(edges, 600, "MCS")
    balanced = methods.by_warp(edges, 600, "MCS", balanced=True)
    assert methods.clashes(balanced, edges) == 0
    assert balanced.max() == plain.max()
    assert methods.imbalance(balanced) < 1.1 < methods.imbalance(plain)


def test_a_split_vertex_may_keep_its_color():
    points, tets = block((4, 4, 4))
    colors = color_vertices(unique_edges(tets), len(points))
    vertex = int(np.bincount(tets.ravel()).argmax())
    torn = tets.copy()
    at, corner = np.nonzero(tets == vertex)
    upper = points[tets[at], 2].mean(axis=1) > points[vertex, 2]
    assert upper.any() and not upper.all()
    torn[at[upper], corner[upper]] = len(points)
    colors = np.append(colors, colors[vertex])
    assert methods.clashes(colors, unique_edges(torn)) == 0


def test_recoloring_touches_one_vertex_per_new_edge():
    points, tets = block((5, 5, 5))
    edges = unique_edges(tets)
    colors = color_vertices(edges, len(points))
    # A weld joins two vertices of one color.
    a, b = np.flatnonzero(colors == 0)[[0, -1]]
    edges = np.concatenate([edges, [[a, b]]])
    assert methods.clashes(colors, edges) == 1
    after = methods.recolored(colors, edges)
    assert methods.clashes(after, edges) == 0
    assert (after != colors).sum() == 1
