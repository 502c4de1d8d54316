# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Tet Mesh writes the simulated volume, at its start or in a frame."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, gathered, shown, tet_block

from vbd.solver.files.tets import read_tets
from vbd.solver.topology.meshes import tet_volumes


def exported(path, **options):
    assert bpy.ops.vbd.export_tets(filepath=str(path), **options) == {"FINISHED"}
    return read_tets(path)


@pytest.fixture
def block(scene):
    """A soft cube of eight cells above the ground, in a file that bakes six frames."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(3.0, 0.0, 0.6))
    ob = bpy.context.object
    ob.vbd.role = "SOFT"
    ob.vbd.resolution, ob.vbd.youngs_modulus = 2, 1e4
    scene.vbd.use_ground = True
    frames(scene, 1, 7)
    scene.vbd.restart_every = 3
    return ob


@pytest.mark.parametrize("suffix", [".vtk", ".msh"])
def test_cells_are_written_as_tets_in_the_world(block, tmp_path, suffix):
    mesh = exported(tmp_path / f"cube{suffix}")
    assert len(mesh.tets) == 6 * len(gathered().bodies[0].cells) and mesh.notes == []
    middle = mesh.points[mesh.tets].mean(axis=(0, 1))
    np.testing.assert_allclose(middle, [3.0, 0.0, 0.6], atol=1e-5)


def test_a_baked_frame_of_cells_carries_the_surface(scene, block, tmp_path):
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    for frame in (4, 7):
        scene.frame_set(frame)
        mesh = exported(tmp_path / "cube.vtk", moment="FRAME")
        seen = shown(block)
        # The lattice encloses the cube closely, and both are squeezed alike.
        for low, high in zip(seen.min(axis=0), seen.max(axis=0), strict=True):
            assert mesh.points.min() <= low + 1e-4 and mesh.points.max() >= high - 1e-4
        assert abs(mesh.points.min(axis=0) - seen.min(axis=0)).max() < 0.05
        assert abs(mesh.points.max(axis=0) - seen.max(axis=0)).max() < 0.05
    scene.frame_set(5)
    with pytest.raises(RuntimeError, match="stored in the frames 4, 7 only, not in 5: choose one"):
        exported(tmp_path / "cube.vtk", moment="FRAME")
    scene.frame_set(9)
    with pytest.raises(RuntimeError, match="frame 9 is not baked; choose one from 1 to 7"):
        exported(tmp_path / "cube.vtk", moment="FRAME")


def test_tets_of_its_own_come_back_and_go_round(scene, tmp_path):
    ob = tet_block()
    ob.location = (0.0, 2.0, 1.0)
    start = shown(ob)
    path = tmp_path / "own.msh"
    exported(path, scale=0.5, up="Y")
    assert bpy.ops.vbd.import_tets(filepath=str(path), scale=0.5, up="Y") == {"FINISHED"}
    np.testing.assert_allclose(shown(bpy.context.object), start, atol=1e-6)


def test_a_baked_frame_of_tets_is_where_its_vertices_are(scene, tmp_path):
    ob = tet_block()
    frames(scene, 1, 4)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    scene.frame_set(4)
    mesh = exported(tmp_path / "own.vtk", moment="FRAME")
    np.testing.assert_allclose(mesh.points, shown(ob), atol=1e-6)
    assert (tet_volumes(mesh.points, mesh.tets) > 0.0).all()


def test_only_what_is_selected_is_written(scene, block, tmp_path):
    other = tet_block("Other")
    count = len(other.data.vertices)
    bpy.ops.object.select_all(action="DESELECT")
    assert len(exported(tmp_path / "both.vtk").points) > count
    other.select_set(True)
    assert len(exported(tmp_path / "one.vtk").points) == count


def test_what_cannot_be_written_is_a_sentence(scene, block, tmp_path):
    for name, moment, sentence in (
        (
            "x.stl",
            "START",
            r"x.stl: tets cannot be written in this format; .* one of .vtk, .msh",
        ),
        ("no/x.vtk", "START", r"Cannot write x.vtk \(No such file or directory\)"),
        ("x.vtk", "FRAME", "no longer on disk"),
    ):
        with pytest.raises(RuntimeError, match=sentence):
            exported(tmp_path / name, moment=moment)
    block.vbd.role = "NONE"
    with pytest.raises(RuntimeError, match="No object of the scene is a soft body"):
        exported(tmp_path / "x.vtk")
