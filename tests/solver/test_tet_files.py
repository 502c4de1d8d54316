# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of tets: every format returns the mesh, and every fault gives a sentence."""

import re
import sys
import tracemalloc

import numpy as np
import pytest
from shapes import box
from tet_files import FORMATS, write

from vbd.solver.bodies import CELL_CORNERS, Solid
from vbd.solver.files import by_meshio, tets
from vbd.solver.files.tets import checked, read_tets
from vbd.solver.files.writing import WRITERS, tet_text
from vbd.solver.topology.meshes import boundary_triangles, tet_volumes, tets_of_cells

POINTS, TETS = box((1, 1, 2))
every_format = pytest.mark.parametrize("name", FORMATS)


@every_format
def test_every_format_gives_the_mesh_back(tmp_path, name):
    path = write(tmp_path, name, POINTS, TETS)
    mesh = read_tets(path)
    # Points may come in another order.
    assert np.allclose(mesh.points[mesh.tets], POINTS[TETS], rtol=0, atol=1e-7)
    assert mesh.notes == []
    Solid(mesh.points, mesh.tets)


@pytest.mark.parametrize("name", ["gmsh_2", "gmsh_4", "vtk", "node"])
def test_windows_ends_of_lines(tmp_path, name):
    path = write(tmp_path, name, POINTS, TETS)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(read_tets(path).tets) == len(TETS)


def test_tets_of_higher_order_are_taken_by_their_corners(tmp_path):
    path = tmp_path / "ten.msh"
    corners = "\n".join(f"{k + 1} {' '.join(map(str, p))}" for k, p in enumerate(np.eye(4)[:, :3]))
    middle = "\n".join(f"{k} 0.5 0.5 {k}" for k in range(5, 11))
    nodes = f"$Nodes\n10\n{corners}\n{middle}\n$EndNodes\n"
    element = f"$Elements\n1\n1 11 0 {' '.join(map(str, range(1, 11)))}\n$EndElements\n"
    path.write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{nodes}{element}")
    mesh = read_tets(path)
    assert mesh.points.shape == (4, 3)
    assert mesh.notes == ["6 vertices that no tet uses are left out"]


def test_tets_that_are_inside_out_are_turned():
    some = TETS.copy()
    some[:3] = some[:3, [1, 0, 2, 3]]
    mesh = checked("x", POINTS, some)
    assert (tet_volumes(mesh.points, mesh.tets) > 0).all()
    assert mesh.notes == [f"3 of {len(TETS)} tets were inside out and are turned"]
    # All of them: the other convention.
    assert checked("x", POINTS, TETS[:, [1, 0, 2, 3]]).notes == []


def test_tets_that_are_there_twice_are_left_out():
    mesh = checked("x", POINTS, np.concatenate([TETS, TETS[:2, ::-1]]))
    assert len(mesh.tets) == len(TETS)
    assert mesh.notes == ["2 duplicate tets are left out"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p, t: (p, t[:0]), "there are no tets in it"),
        (lambda p, t: (p, t + 1), "uses a vertex that is not one of the 12"),
        (lambda p, t: (p, t - 1), "uses a vertex that is not one of the 12"),
        (lambda p, t: (p, np.where(t == 0, 1, t)), "uses a vertex twice"),
        (lambda p, t: (p * [1, 1, 1e-7], t), "tets are flat (first: tet 0"),
        (lambda p, t: (np.where(p == 0, np.nan, p), t), "infinite, too far away or not numbers"),
        (lambda p, t: (p * 1e30, t), "infinite, too far away or not numbers"),
    ],
)
def test_what_cannot_be_simulated_is_refused(change, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        checked("block.msh", *change(POINTS, TETS))
    assert str(refused.value).startswith("block.msh: ")


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("gmsh_2", b"2.2 0 8", b"4.0 0 8", "version 4.0 is not known"),
        ("gmsh_2", b"$Elements", b"$Other", "there is no $Elements after $Nodes"),
        ("gmsh_2", b"4 2 9 9", b"4 2 9", "after $Elements are damaged or cut short"),
        ("gmsh_2", b"4 2 9 9", b"94 2 9 9", "after $Elements are damaged or cut short"),
        ("gmsh_2", b"$Nodes\n12", b"$Nodes\n11", "a tet uses a point that does not exist"),
        ("gmsh_2", b"\n12 ", b"\n13 ", "a tet uses a point that does not exist"),
        ("gmsh_2", b"\n12 ", b"\n11 ", "two points have the same number"),
        ("gmsh_4", b"2 12 1", b"9 12 1", "after $Nodes are damaged or cut short"),
        ("gmsh_2_binary", b"\x01\0\0\0\n$E", b"\x02\0\0\0\n$E", "after $MeshFormat are damaged"),
        ("vtk_binary", b"POINTS 12", b"POINTS 9999", "after POINTS are damaged or cut short"),
        ("vtk", b"UNSTRUCTURED_GRID", b"POLYDATA", "only data sets of the kind"),
        ("vtk", b"double", b"string", "after POINTS are damaged or cut short"),
        ("vtk", b"ASCII", b"BINARY", "there is no CELLS after POINTS"),
        ("vtk", b"\n10\n", b"\n1.5\n", "after CELL_TYPES are damaged or cut short"),
        ("node", b"12 3 1 1", b"12 2 1 1", "rows of 2 numbers are no points or tets"),
        ("ele", b"12 4 0", b"-2 4 0", "after line 1 are damaged or cut short"),
    ],
)
def test_a_damaged_file_is_a_sentence(tmp_path, name, old, new, sentence):
    path = write(tmp_path, name, POINTS, TETS)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        read_tets(path)
    assert str(refused.value).startswith(f"{path.name}: ")


def test_files_that_are_not_there(tmp_path):
    write(tmp_path, "node", POINTS, TETS).with_suffix(".ele").unlink()
    for name in ("node.node", "no.msh"):
        with pytest.raises(FileNotFoundError):
            read_tets(tmp_path / name)


def test_without_meshio_the_sentence_tells_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "meshio", None)
    sentence = "x.mesh: files of this kind .* save it as .msh .*, or run in a terminal pip install"
    with pytest.raises(ValueError, match=sentence):
        read_tets(tmp_path / "x.mesh")


@pytest.mark.parametrize("suffix", [*by_meshio.ENDINGS, ".avs"])
def test_other_formats_are_read_by_meshio(tmp_path, suffix):
    meshio = pytest.importorskip("meshio", reason="meshio is not installed")
    path = tmp_path / f"block{suffix}"
    triangles, both = TETS[:, :3], (("triangle", TETS[:, :3]), ("tetra", TETS))
    meshio.write(path, meshio.Mesh(POINTS, both))
    mesh = read_tets(path)
    np.testing.assert_allclose(mesh.points[mesh.tets], POINTS[TETS], rtol=0, atol=1e-7)
    meshio.write(path, meshio.Mesh(POINTS, [("triangle", triangles)]))
    with pytest.raises(ValueError, match="there are no tets in it"):
        read_tets(path)


@pytest.mark.parametrize("form", ["gmsh22", "gmsh", "vtk42", "vtk51"])
@pytest.mark.parametrize("binary", [False, True])
def test_files_that_meshio_writes(tmp_path, form, binary):
    meshio = pytest.importorskip("meshio", reason="meshio is not installed")
    path = tmp_path / f"block.{'msh' if 'gmsh' in form else 'vtk'}"
    meshio.write(path, meshio.Mesh(POINTS, [("tetra", TETS)]), file_format=form, binary=binary)
    mesh = read_tets(path)
    np.testing.assert_allclose(mesh.points[mesh.tets], POINTS[TETS], rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", ["damaged.mesh", "damaged.vtu", "unknown.t"])
def test_what_meshio_cannot_read_is_a_sentence(tmp_path, name):
    pytest.importorskip("meshio", reason="meshio is not installed")
    (tmp_path / name).write_text("nonsense")
    with pytest.raises(ValueError, match=f"{name}: meshio cannot read it; save it as .msh"):
        read_tets(tmp_path / name)


def test_more_vertices_than_can_be_simulated_are_refused(monkeypatch):
    monkeypatch.setattr(tets, "MOST_POINTS", len(POINTS) - 1)
    with pytest.raises(ValueError, match="12 vertices; at most 11 can be simulated"):
        checked("x", POINTS, TETS)


def test_a_mesh_of_meshio_without_rows_is_a_sentence(tmp_path):
    pytest.importorskip("meshio", reason="meshio is not installed")
    nodes = "".join(f"{k + 1}, {p[0]}, {p[1]}, {p[2]}\n" for k, p in enumerate(POINTS))
    element = "*ELEMENT, TYPE=C3D4\n"  # twice: the first has no rows
    path = tmp_path / "block.inp"
    path.write_text(f"*NODE\n{nodes}{element}{element}1,1,2,4,8\n")
    with pytest.raises(ValueError, match=r"block.inp: meshio cannot read it"):
        read_tets(path)


@every_format
def test_huge_counts_take_no_memory(tmp_path, name):
    path = write(tmp_path, name, POINTS, TETS)
    data = path.read_bytes()
    for value in (10**9, 2**63 - 1, 10**30, -1):
        for digits in list(re.finditer(rb"(?<=[\s])\d+(?=[\s])", data))[:8]:
            path.write_bytes(data[: digits.start()] + b"%d" % value + data[digits.end() :])
            tracemalloc.start()
            outcome(path)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 2e6, (value, digits)


def outcome(path):
    """A mesh that can be simulated, or a sentence that names the file."""
    try:
        mesh = read_tets(path)
    except ValueError as error:
        text = str(error)
        assert text.startswith(path.stem) and len(text) < 300 and "\n" not in text, text
        return text
    assert mesh.tets.min() >= 0 and mesh.tets.max() < len(mesh.points)
    assert (tet_volumes(mesh.points.astype(float), mesh.tets) > 0).all()
    return mesh


def damaged(data, rng):
    """The bytes of a file with one thing wrong."""
    way, at = rng.integers(7), int(rng.integers(len(data)))
    lines = data.split(b"\n")
    row = int(rng.integers(len(lines)))
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + bytes([int(rng.integers(256))]) + data[at + 1 :]
    if way == 2:
        return data[:at] + rng.bytes(8) + data[at + 8 :]
    if way == 3:
        return b"\n".join(lines[:row] + lines[row + 1 :])
    if way == 4:
        return b"\n".join([*lines[: row + 1], *lines[row:]])
    if way == 5:
        return data[:at] + rng.bytes(int(rng.integers(300)))
    wrong = (b"-1", b"nan", b"1e400", b"99999999999", b"word", b"", b"\xff\xff\xff\xff")
    words = re.split(rb"(\s+)", data)
    words[int(rng.integers(len(words)))] = wrong[rng.integers(len(wrong))]
    return b"".join(words)


@every_format
def test_files_with_something_wrong(tmp_path, name, examples):
    path = write(tmp_path, name, POINTS, TETS)
    data, rng = path.read_bytes(), np.random.default_rng(len(name))
    for _ in range(examples // 5):
        path.write_bytes(damaged(data, rng))
        outcome(path)


@pytest.mark.parametrize("suffix", WRITERS)
def test_what_is_written_comes_back_to_the_last_digit(tmp_path, suffix):
    points = (POINTS + np.random.default_rng(3).normal(0.0, 1e-3, POINTS.shape)).astype(np.float32)
    path = tmp_path / f"two{suffix}"
    text = tet_text(path, [('A "name"\n', points, TETS), ("Other", points + 8, TETS[:5])])
    path.write_text(text, encoding="utf-8")
    mesh = read_tets(path)
    assert len(mesh.tets) == len(TETS) + 5
    np.testing.assert_array_equal(mesh.points[mesh.tets[: len(TETS)]], points[TETS])
    np.testing.assert_array_equal(mesh.points[mesh.tets[len(TETS) :]], points[TETS[:5]] + 8)


def test_a_kind_of_file_that_is_not_written():
    with pytest.raises(ValueError, match=r"x.stl: tets cannot be written in this format; .* .vtk"):
        tet_text("x.stl", [("A", POINTS, TETS)])


def test_cells_become_tets_that_meet_in_whole_faces():
    grid = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(27).reshape(3, 3, 3)
    lowest = [(i, j, k) for i in range(2) for j in range(2) for k in range(2)]
    cells = np.array([[number[tuple(low + at)] for at in CELL_CORNERS] for low in lowest])
    tets = tets_of_cells(cells)
    np.testing.assert_allclose(tet_volumes(grid.astype(float), tets), 1 / 6)
    # Two triangles on each of 24 squares of the surface, and no other face without a neighbor.
    assert len(boundary_triangles(tets)) == 48
