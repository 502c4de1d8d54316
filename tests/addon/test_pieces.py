# SPDX-License-Identifier: GPL-3.0-or-later
"""Voronoi pieces of meshes from the menu."""

import bmesh
import bpy
import numpy as np
import pytest

from vbd.addon.objects.mesh_pieces import seeds_in, volume_of, voronoi_cells

SHAPES = ("cone", "cube", "uv_sphere", "cylinder", "torus")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_piece_is_closed_and_has_a_volume(shape):
    """Edges as short as rounding once left holes, and such pieces became empty shells."""
    getattr(bpy.ops.mesh, f"primitive_{shape}_add")()
    mesh = bpy.context.object.data
    for seed in range(6):
        cells = voronoi_cells(mesh, seeds_in(mesh, 20, seed), 0.002)
        for cell in cells.values():
            work = bmesh.new()
            work.from_mesh(cell)
            assert all(edge.is_manifold for edge in work.edges)
            assert work.calc_volume() > 0.0
            work.free()
        whole = sum(volume_of(cell) for cell in cells.values())
        assert 0.9 * volume_of(mesh) < whole < volume_of(mesh)
        for cell in cells.values():
            bpy.data.meshes.remove(cell)


def test_a_cut_face_is_one_face(scene):
    """Halves of a cube have six faces each: later cuts leave no corners along straight lines."""
    bpy.ops.mesh.primitive_cube_add()
    mesh = bpy.context.object.data
    seeds = [[-0.5, 0.1, 0.2], [0.5, 0.0, 0.1], [0.1, 0.6, -0.4]]
    for cell in voronoi_cells(mesh, np.array(seeds), 0.01).values():
        assert len(cell.vertices) - len(cell.edges) + len(cell.polygons) == 2
        assert len(cell.polygons) <= 8 and len(cell.vertices) <= 12


def test_a_piece_thinner_than_its_cracks_is_left_out(scene):
    """The cut goes through the lowest face of the cube."""
    bpy.ops.mesh.primitive_cube_add()
    seeds = np.array([[0.0, 0.0, -0.999], [0.0, 0.0, -0.991]])
    assert list(voronoi_cells(bpy.context.object.data, seeds, 0.01)) == [1]
