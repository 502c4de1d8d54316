# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Tet Mesh makes an object that bakes with the tets of the file."""

import sys

import bpy
import numpy as np
import pytest
from blender_scenes import baked, fall, frames, gathered, shown
from shapes import box
from tet_files import write

from vbd.solver.bodies import Solid


def imported(path, **options):
    assert bpy.ops.vbd.import_tets(filepath=str(path), **options) == {"FINISHED"}
    return bpy.context.object


def test_an_imported_body_falls_as_a_body_of_its_tets(scene, tmp_path):
    points, tets = box((3, 3, 3))
    ob = imported(write(tmp_path, "gmsh_2", points, tets))
    assert ob.name == "gmsh_2" and ob.vbd.role == "SOFT" and ob.select_get()
    frames(scene, 1, 3)
    scene.vbd.device = "CPU"
    (body,) = gathered().bodies
    assert isinstance(body, Solid) and len(body.tets) == len(tets)
    before = shown(ob)
    assert baked().frames == 2
    assert np.allclose(shown(ob, 3) - before, [0, 0, -fall(scene, 2)], rtol=0, atol=1e-5)


def test_faces_are_those_around_the_tets_and_look_out(scene, tmp_path):
    points, tets = box((3, 3, 3))
    ob = imported(write(tmp_path, "vtk", points, tets))
    assert len(ob.data.vertices) == len(points) and len(ob.data.polygons) == 6 * 9 * 2
    for face in ob.data.polygons:
        assert face.normal.dot(face.center - type(face.center)((0.5, 0.5, 0.5))) > 0.4
    assert not ob.data.validate()


def test_scale_and_the_axis_that_is_up(scene, tmp_path):
    path = write(tmp_path, "vtk", *box((1, 1, 2)))
    plain = shown(imported(path))
    turned = shown(imported(path, scale=0.5, up="Y", soft=False))
    assert bpy.context.object.vbd.role == "NONE"
    assert np.allclose(turned, 0.5 * plain[:, [0, 2, 1]] * [1, -1, 1])


def test_a_file_that_cannot_be_read_leaves_nothing(scene, tmp_path):
    path = tmp_path / "x.msh"
    path.write_text("$MeshFormat\n2.2 0 8\n")
    with pytest.raises(RuntimeError, match=r"x.msh: there is no \$Nodes after \$MeshFormat"):
        bpy.ops.vbd.import_tets(filepath=str(path))
    assert not bpy.data.objects and not bpy.data.meshes


def test_of_several_files_those_that_can_be_read_come_in(scene, tmp_path):
    for name in ("gmsh_4", "node"):
        write(tmp_path, name, *box((1, 1, 1)))
    (tmp_path / "bad.vtk").write_text("one\n")
    files = [{"name": name} for name in ("gmsh_4.msh", "bad.vtk", "node.node")]
    with pytest.raises(RuntimeError, match=r"bad.vtk: this is no legacy .vtk"):
        bpy.ops.vbd.import_tets(directory=str(tmp_path), files=files)
    assert sorted(bpy.data.objects.keys()) == ["gmsh_4", "node"]


def test_a_format_of_meshio_tells_how_to_install_it(scene, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "meshio", None)
    (tmp_path / "x.mesh").touch()
    sentence = r"x.mesh: files of this kind .* save it as .msh .* -m pip .* meshio rich, and start"
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.vbd.import_tets(filepath=str(tmp_path / "x.mesh"))
