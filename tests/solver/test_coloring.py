# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex order and coloring."""

from itertools import pairwise

import numpy as np
import pytest
from shapes import box, grid, mesh_names, tet_mesh

from vbd.solver.topology.coloring import color_vertices, vertex_order
from vbd.solver.topology.graphs import unique_edges


def colors_of(points, elements):
    edges = unique_edges(elements)
    return color_vertices(edges, len(points)), edges


@pytest.mark.skipif(not mesh_names(), reason="no tet meshes lie beside this checkout")
@pytest.mark.parametrize("name", mesh_names())
def test_no_edge_joins_two_vertices_of_one_color(name):
    points, tets = tet_mesh(name)
    colors, edges = colors_of(points, tets)
    assert len(colors) == len(points)
    assert (colors[edges[:, 0]] != colors[edges[:, 1]]).all()
    # A tet needs four colors; more than 20 would be a bad coloring, even around a hub.
    assert 4 <= colors.max() + 1 <= 20


def test_a_lattice_of_tets_needs_few_colors():
    colors, edges = colors_of(*box((6, 6, 6)))
    assert (colors[edges[:, 0]] != colors[edges[:, 1]]).all()
    assert colors.max() + 1 <= 5


def test_free_vertices_come_first_and_colors_are_contiguous():
    points, tets = box((3, 3, 3))
    pinned = points[:, 2] < 1e-6
    order, starts = vertex_order(points, pinned, unique_edges(tets))
    assert sorted(order) == list(range(len(points)))
    assert starts[-1] == (~pinned).sum()
    assert not pinned[order[: starts[-1]]].any()
    color = np.full(len(points), -1)
    for number, (a, b) in enumerate(pairwise(starts)):
        color[order[a:b]] = number
    edges = unique_edges(tets)
    free = ~pinned[edges].any(axis=1)
    assert (color[edges[free, 0]] != color[edges[free, 1]]).all()


def test_a_scene_that_is_pinned_whole_has_no_colors():
    points, triangles = grid(2)
    order, starts = vertex_order(points, np.ones(len(points), bool), unique_edges(triangles))
    assert len(order) == len(points)
    assert starts.tolist() == [0]
