# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Conforming Tets fills a closed mesh, in a process that can be cancelled."""

import importlib.util
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, pin, shown

from vbd.addon.files import conforming
from vbd.addon.files.conforming import refuse_missing_package, result, tets_in_steps
from vbd.addon.files.make_tets import VBD_OT_make_tets
from vbd.addon.objects.tetmesh import stored_tets
from vbd.solver.topology.meshes import tet_volumes

pytestmark = pytest.mark.any_blender
needs_package = pytest.mark.skipif(
    importlib.util.find_spec("pytetwild") is None, reason="pytetwild is not installed"
)
# Coarse tets are made in a second.
COARSE = {"edge_length": 0.3, "tolerance": 0.002}


def made(ob, **options):
    assert bpy.ops.vbd.make_tets(**COARSE | options) == {"FINISHED"}
    new = bpy.context.object
    assert new != ob
    assert not list(Path.cwd().glob("__tracked*"))  # fTetWild leaves a file where it runs
    return new


def volume(ob):
    return tet_volumes(shown(ob), stored_tets(ob.name, ob.data)).sum()


def program(tmp_path, monkeypatch, text):
    """Let the process run another program."""
    path = tmp_path / "program.py"
    path.write_text(text)
    monkeypatch.setattr(conforming, "PROGRAM", path)
    monkeypatch.setattr(conforming, "PACKAGE", "numpy")  # is there


def refused(match):
    before = set(bpy.data.objects), set(bpy.data.meshes)
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.vbd.make_tets(time_limit=0.5)
    assert (set(bpy.data.objects), set(bpy.data.meshes)) == before


@needs_package
def test_tets_have_the_volume_of_the_mesh_and_what_the_object_had(cube):
    cube.scale, cube.location = (1, 2, -0.5), (3, 4, 5)
    cube.vbd.role, cube.vbd.youngs_modulus = "SOFT", 12345.0
    pin(cube, [i for i, v in enumerate(cube.data.vertices) if v.co.x > 0])
    for name in ("Left", "Right"):
        cube.data.materials.append(bpy.data.materials.new(name))
    for face in cube.data.polygons:
        face.material_index = int(face.center.x > 0.5)
    other = bpy.data.objects.new("Other", bpy.data.meshes.new("Other"))
    bpy.context.collection.objects.link(other)
    other.vbd.attachments.add().target = cube
    new = made(cube)
    assert new.name == "Cube Tets" and new.vbd.role == "SOFT" and cube.vbd.role == "NONE"
    assert not cube.visible_get() and cube.hide_render and not new.hide_render
    assert new.vbd.youngs_modulus == 12345.0 and other.vbd.attachments[0].target == new
    points = shown(new)
    assert volume(new) == pytest.approx(-8.0, rel=0.02)  # mirrored by the scale
    assert np.allclose(points.min(axis=0), [2, 2, 4.5], atol=0.01)
    assert np.allclose(points.max(axis=0), [4, 6, 5.5], atol=0.01)
    inner = set(range(len(points))) - {i for face in new.data.polygons for i in face.vertices}
    for vertex in new.data.vertices:
        weight = sum(entry.weight for entry in vertex.groups)
        expected = 0.0 if vertex.index in inner else (vertex.co.x + 1) / 2
        assert weight == pytest.approx(expected, abs=0.03)
    for face in new.data.polygons:  # outwards in the object, as those of any mesh
        assert face.normal.dot(face.center) > 0
        if face.normal.x > 0.99 or face.center.x < 0.9:  # those at its edges may have either
            assert face.material_index == (face.normal.x > 0.99)


@needs_package
def test_a_body_of_them_keeps_its_volume_in_a_bake(scene):
    bpy.ops.mesh.primitive_torus_add(major_segments=16, minor_segments=8)
    torus = bpy.context.object
    torus.modifiers.new("Subdivision", "SUBSURF").levels = 1
    new = made(torus, edge_length=0.2)
    assert not new.modifiers
    evaluated = torus.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    corners = np.array(
        [[evaluated.vertices[i].co for i in face.vertices] for face in evaluated.polygons]
    )
    a, b, c, d = corners.transpose(1, 0, 2)
    wanted = (
        np.einsum("fi,fi->f", a, np.cross(b, c)) + np.einsum("fi,fi->f", a, np.cross(c, d))
    ).sum() / 6
    assert volume(new) == pytest.approx(wanted, rel=0.02)
    frames(scene, 1, 4)
    scene.vbd.device, scene.vbd.use_ground, scene.vbd.ground_height = "CPU", True, -0.26
    new.vbd.poisson_ratio = 0.45
    before = volume(new)
    assert baked().frames == 3
    scene.frame_set(4)
    assert volume(new) == pytest.approx(before, rel=0.02)


def test_an_open_mesh_is_refused(cube, scene):
    bpy.ops.mesh.primitive_plane_add()
    refused(r"Plane: tets need a closed mesh, and 4 edges have a face on one side only \(first: fr")
    bpy.context.object.data.clear_geometry()
    refused("Plane has no faces to make tets of")


def test_what_has_no_inside_is_refused(cube):
    cube.scale.x = 0.0
    refused("Cube: its scale is 0 along an axis, which leaves no inside")
    cube.scale.x = 1.0
    cube.data.vertices[0].co.x = float("nan")
    refused(r"Cube: 1 of 8 vertices are infinite, too far away or not numbers \(first: vertex 0\)")
    for vertex in cube.data.vertices:
        vertex.co.x = vertex.co.y
    refused("Cube is flat and has no inside to fill with tets")


def test_what_cannot_be_filled_is_said_before(cube):
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Go to Object Mode"):
        bpy.ops.vbd.make_tets()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Select a closed mesh to fill with tets"):
        bpy.ops.vbd.make_tets()


def test_without_the_package_the_command_is_given(cube, monkeypatch, user_scripts):
    monkeypatch.setattr(conforming, "PACKAGE", "no_such_package")
    refused(
        rf'fTetWild is not installed: run in a terminal "{sys.executable}" -m pip install --no-'
    )
    find = PathFinder.find_spec
    monkeypatch.setattr(PathFinder, "find_spec", lambda name, p: name != "pip" and find(name, p))
    refused(f'terminal "{sys.executable}" -m ensurepip, then "{sys.executable}" -m pip install')
    monkeypatch.setattr(conforming, "interpreter", lambda: None)
    refused("there is no Python beside Blender that could run fTetWild")


def test_a_package_that_was_just_installed_is_found(user_scripts, monkeypatch):
    monkeypatch.setattr(conforming, "PACKAGE", "just_installed")
    modules = user_scripts / "modules"
    with pytest.raises(ValueError, match="fTetWild is not installed"):
        refuse_missing_package(modules)
    (modules / "just_installed").mkdir(parents=True)
    (modules / "just_installed" / "__init__.py").touch()
    refuse_missing_package(modules)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import time; time.sleep(60)", r"fTetWild has not finished within 0.5 s; raise Edge Len"),
        ("raise SystemExit('no luck')", r"fTetWild failed with code 1: no luck; try a larger Tol"),
        ("", r"Cube: the result of fTetWild cannot be read: .*points.npy"),
    ],
)
def test_a_failure_is_explained_and_leaves_nothing(cube, tmp_path, monkeypatch, text, says):
    program(tmp_path, monkeypatch, text)
    refused(says)


def test_closing_it_ends_the_process(tmp_path, monkeypatch):
    program(tmp_path, monkeypatch, "import time; time.sleep(60)")
    started = []
    start = conforming._started
    monkeypatch.setattr(
        conforming, "_started", lambda *words: started.append(start(*words)) or started[-1]
    )
    steps = tets_in_steps("Cube", (np.zeros((1, 3)), np.zeros((1, 3), int)), (0.1, 0.01), 60.0)
    next(steps)
    assert started[0].poll() is None
    steps.close()
    assert started[0].poll() is not None


def test_an_object_that_is_deleted_meanwhile_is_named(cube, tmp_path, monkeypatch):
    np_save = "import sys, numpy as np\nnp.save(sys.argv[1] + '/{}.npy', {})\n"
    made = np_save.format("points", "np.eye(4, 3)") + np_save.format("tets", "np.arange(4)[None]")
    program(tmp_path, monkeypatch, made)
    said = []
    window = SimpleNamespace(workspace=SimpleNamespace(status_text_set=lambda text: None))
    operator = SimpleNamespace(edge_length=0.1, tolerance=0.01, time_limit=60.0, filled="Cube")
    operator.report = lambda *words: said.append(words)
    operator.steps = VBD_OT_make_tets._made(operator, bpy.context, cube)
    next(operator.steps)
    bpy.data.objects.remove(cube)
    while not said:
        ended = VBD_OT_make_tets._step(operator, window)
    assert ended == {"CANCELLED"} and not bpy.data.objects
    assert said == [({"ERROR"}, "Cube was deleted meanwhile: no tets are made")]


def write_result(folder, points, tets):
    np.save(folder / "points.npy", points, allow_pickle=True)
    np.save(folder / "tets.npy", tets, allow_pickle=True)


@pytest.mark.parametrize(
    ("points", "tets", "says"),
    [
        (np.eye(4, 3), np.zeros((1, 3), int), "tets.npy of fTetWild is no array of 4 numbers"),
        (np.eye(4, 3), np.zeros((1, 4)), "tets.npy of fTetWild is no array of 4 numbers"),
        (np.zeros(12), np.zeros((1, 4), int), "points.npy of fTetWild is no array of 3 numbers"),
        (np.array([[object()] * 3]), np.zeros((1, 4), int), "the result .* cannot be read"),
    ],
)
def test_a_result_that_is_none_is_refused(tmp_path, points, tets, says):
    write_result(tmp_path, points, tets)
    with pytest.raises(ValueError, match=says):
        result("Cube", tmp_path)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[:-8], "the result of fTetWild cannot be read"),
        (lambda data: data[:40], "the result of fTetWild cannot be read"),
        (lambda data: b"PK\3\4" + data, "the result of fTetWild cannot be read"),
        (lambda data: data.replace(b"(4, 3)", b"(9999999999999, 3)"), "cannot be read"),
    ],
)
def test_a_damaged_result_is_refused(tmp_path, change, says):
    write_result(tmp_path, np.eye(4, 3), np.array([[0, 1, 2, 3]]))
    path = tmp_path / "points.npy"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=says):
        result("Cube", tmp_path)


@pytest.mark.parametrize(
    ("points", "tets", "says"),
    [
        (
            "np.eye(4, 3)",
            "np.array([[0, 1, 2, 7]])",
            "Cube: tet 0 uses a vertex that is not",
        ),
        (
            "np.eye(4, 3)",
            "np.array([[0, 1, 2, -1]])",
            "Cube: tet 0 uses a vertex that is not",
        ),
        ("np.full((4, 3), np.nan)", "np.arange(4)[None]", "4 of 4 vertices are infinite, too far"),
        ("np.zeros((4, 3))", "np.arange(4)[None]", "Cube: 1 of 1 tets are flat"),
    ],
)
def test_tets_that_are_none_are_refused(cube, tmp_path, monkeypatch, points, tets, says):
    lines = ["import sys, numpy as np", f"np.save(sys.argv[1] + '/points.npy', {points})"]
    program(
        tmp_path, monkeypatch, "\n".join([*lines, f"np.save(sys.argv[1] + '/tets.npy', {tets})"])
    )
    before = set(bpy.data.objects)
    with pytest.raises(RuntimeError, match=says):
        bpy.ops.vbd.make_tets()
    assert set(bpy.data.objects) == before
