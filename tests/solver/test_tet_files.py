# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of tets: every format gives the mesh back, and whatever is wrong is a sentence."""

import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from shapes import box
from tet_files import FORMATS, write

from vbd.solver.bodies import CELL_CORNERS, Solid
from vbd.solver.files.source import PIECE, Source
from vbd.solver.files.tets import checked, read_tets
from vbd.solver.files.writing import WRITERS, tet_text
from vbd.solver.topology.meshes import boundary_triangles, tet_volumes, tets_of_cells

POINTS, TETS = box((1, 1, 2))
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
every_format = pytest.mark.parametrize("name", FORMATS)


@every_format
def test_every_format_gives_the_mesh_back(tmp_path, name):
    path = write(tmp_path, name, POINTS, TETS)
    mesh = read_tets(path)
    # Points may come in another order.
    assert np.allclose(mesh.points[mesh.tets], POINTS[TETS], rtol=0, atol=1e-7)
    assert mesh.notes == []
    Solid(mesh.points, mesh.tets)


@pytest.mark.parametrize("name", ["gmsh_2", "gmsh_4", "vtk", "medit", "node", "gaia"])
def test_windows_ends_of_lines(tmp_path, name):
    path = write(tmp_path, name, POINTS, TETS)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert len(read_tets(path).tets) == len(TETS)


@pytest.mark.parametrize("name", ["gmsh_2", "medit", "quartet"])
def test_more_numbers_than_fit_into_a_piece(tmp_path, name):
    points, tets = box((12, 12, 12))
    path = write(tmp_path, name, points, tets)
    assert path.stat().st_size > 2 * PIECE
    mesh = read_tets(path)
    assert np.allclose(mesh.points[mesh.tets], points[tets], rtol=0, atol=1e-7)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the example meshes are not here")
def test_example_meshes():
    for name, count in (("cube.t", 683), ("beam_463.t", 1479), ("bunny_small.t", 5891)):
        mesh = read_tets(SHARED / name)
        assert len(mesh.tets) == count
        Solid(mesh.points, mesh.tets)


def test_tets_of_higher_order_are_taken_by_their_corners(tmp_path):
    path = tmp_path / "ten.msh"
    corners = "\n".join(f"{k + 1} {' '.join(map(str, p))}" for k, p in enumerate(np.eye(4)[:, :3]))
    middle = "\n".join(f"{k} 0.5 0.5 {k}" for k in range(5, 11))
    nodes = f"$Nodes\n10\n{corners}\n{middle}\n$EndNodes\n"
    element = f"$Elements\n1\n1 11 0 {' '.join(map(str, range(1, 11)))}\n$EndElements\n"
    path.write_text(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{nodes}{element}")
    mesh = read_tets(path)
    assert mesh.points.shape == (4, 3)
    assert mesh.notes == ["6 vertices that no tet has as a corner are left out"]


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
    assert mesh.notes == ["2 tets that are there twice are left out"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda p, t: (p, t[:0]), "there are no tets in it"),
        (lambda p, t: (p, t + 1), "uses a vertex outside the 12 that there are"),
        (lambda p, t: (p, t - 1), "uses a vertex outside the 12 that there are"),
        (lambda p, t: (p, np.where(t == 0, 1, t)), "uses a vertex twice"),
        (lambda p, t: (p * [1, 1, 1e-7], t), "tets are flat (first: tet 0"),
        (lambda p, t: (np.where(p == 0, np.nan, p), t), "not finite"),
        (lambda p, t: (p * 1e30, t), "not finite"),
    ],
)
def test_what_cannot_be_simulated_is_refused(change, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        checked("block.msh", *change(POINTS, TETS))
    assert str(refused.value).startswith("block.msh: ")


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("gmsh_2", b"2.2 0 8", b"4.0 0 8", "gmsh_2.msh, line 2: version 4.0 is not known"),
        ("gmsh_2", b"$Elements", b"$Other", "there is no $Elements"),
        ("gmsh_2", b"4 2 9 9", b"4 2 9", "line 22: an element of the kind 4 has 3 nodes"),
        ("vtk_binary", b"POINTS 12", b"POINTS 9999", "room for"),
        ("gmsh_2", b"4 2 9 9", b"94 2 9 9", "elements of the kind 94 are not known"),
        ("gmsh_2", b"$Nodes\n12", b"$Nodes\n11", "none of the nodes has"),
        ("gmsh_4", b"2 12 1", b"9 12 1", "'$EndNodes' stands where a whole number of the"),
        ("gmsh_2_binary", b"\x01\0\0\0\n$E", b"\x02\0\0\0\n$E", "byte order cannot be told"),
        ("vtk", b"UNSTRUCTURED_GRID", b"POLYDATA", "line 4: only data sets of the kind"),
        ("vtk", b"double", b"string", "numbers of the type string are not known"),
        ("vtk", b"ASCII", b"BINARY", "byte 84: there is no CELLS"),
        ("medit", b"Dimension\n3", b"Dimension\n2", "line 5: a mesh of 2 dimensions has no tets"),
        ("medit", b"Tetrahedra", b"Hexahedra", "there are no tets in it"),
        ("medit", b"Vertices\n12", b"Vertices\n999999999", "line 8: 3999999996 vertex numbers"),
        ("node", b"12 3 1 1", b"12 2 1 1", "points of 2 dimensions have no tets"),
        ("ele", b"12 4 0", b"-2 4 0", "does not tell how many tets there are"),
        ("gaia", b"Vertex 3", b"Vertex 2", "the number 2 is given to two vertices"),
        ("gaia", b"Tet 3", b"Tetra 3", "begins with neither Vertex nor Tet"),
        ("quartet", b"tet 12 12", b"tet 12 13", "the file ends where 4 more tet corners"),
        ("counted", b"\n4 ", b"\n5 ", "not all cells have 4 corners"),
    ],
)
def test_a_damaged_file_is_a_sentence_that_tells_where(tmp_path, name, old, new, sentence):
    path = write(tmp_path, name, POINTS, TETS)
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(sentence)) as refused:
        read_tets(path)
    assert str(refused.value).startswith(path.name)


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    write(tmp_path, "node", POINTS, TETS).with_suffix(".ele").unlink()
    for name, sentence in (
        ("node.node", "node.ele: there is no such file"),
        ("no.msh", "there is no such file"),
        ("x.obj", "files of this kind are not read"),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_tets(tmp_path / name)
    with pytest.raises(ValueError, match="no such file"):
        read_tets(Path("/dev/zero").with_suffix(".msh"))


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
def test_forty_files_with_something_wrong(tmp_path, name):
    path = write(tmp_path, name, POINTS, TETS)
    data, rng = path.read_bytes(), np.random.default_rng(len(name))
    for _ in range(40):
        path.write_bytes(damaged(data, rng))
        outcome(path)


def test_spaces_and_endless_words_are_passed_quickly():
    source = Source(b"1" + b" " * 10**6 + b"2", "spaces")
    assert source.numbers(int, 2, "things").tolist() == [1, 2]
    with pytest.raises(ValueError, match="a word of more than 400 letters"):
        Source(b"9" * 10**6, "word").numbers(float, 1, "things")


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
    with pytest.raises(ValueError, match=r"x.stl: tets are not written as this; there are .vtk"):
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
