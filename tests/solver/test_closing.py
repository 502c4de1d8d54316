# SPDX-License-Identifier: GPL-3.0-or-later
"""Seams and openings are spanned by triangles, so that cloth encloses air."""

import numpy as np
import pytest
from shapes import bumpy_ball, grid

from vbd.solver.bodies import Cloth
from vbd.solver.model.assembly import assemble
from vbd.solver.settings import Material, Settings
from vbd.solver.topology.closing import closed_surface

GAP = 0.3


def border(cells, first=0):
    """Vertices round a grid, counterclockwise from the origin."""
    of = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1) + first
    return np.concatenate([of[0, :-1], of[:-1, -1], of[-1, :0:-1], of[:0:-1, 0]])


def stack(*meshes):
    """Meshes as one, without joining anything."""
    points = np.concatenate([mesh for mesh, _ in meshes])
    first = np.cumsum([0, *(len(mesh) for mesh, _ in meshes[:-1])])
    triangles = [faces + start for (_, faces), start in zip(meshes, first, strict=True)]
    return points, np.concatenate(triangles)


def pillow(cells=4, above=None):
    """Two square panels at a distance, both facing up, and the seams [seam, 2] round them where
    both have a vertex.
    """
    above = above or cells
    (low, low_faces), (high, high_faces) = grid(cells), grid(above)
    points, triangles = stack((low, low_faces), (high + [0.0, 0.0, GAP], high_faces))
    ends = border(cells), border(above, len(low))
    if cells != above:
        step = above // cells
        ends = ends[0], ends[1][::step]
    return points, triangles, np.stack(ends, axis=1)


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0


def is_closed(triangles):
    """Return whether every directed edge has its opposite."""
    ends = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    there, back = np.unique(ends, axis=0), np.unique(ends[:, ::-1], axis=0)
    return len(there) == len(ends) and np.array_equal(there, back)


def pressed(points, triangles, seams=None, **material):
    """The closed triangles of a cloth, counterclockwise seen from outside, and its vertices."""
    body = Cloth(points, triangles, Material(pressure=1.0, **material), seams=seams, name="Pillow")
    scene = assemble([body], Settings())
    return scene.points + scene.origin, scene.elements["pressure"].corners


def test_a_pillow_of_two_panels_has_the_volume_of_its_box():
    points, triangles = pressed(*pillow())
    assert is_closed(triangles)
    assert len(triangles) == 2 * 32 + 2 * 16
    assert volume(points, triangles) == pytest.approx(GAP)


@pytest.mark.parametrize("flipped", ["low", "high", "some", "all"])
def test_which_way_faces_look_does_not_matter(flipped):
    points, triangles, seams = pillow()
    chosen = {"low": slice(0, 32), "high": slice(32, 64), "some": [3, 40, 41], "all": slice(0, 64)}
    triangles[chosen[flipped]] = triangles[chosen[flipped]][:, ::-1]
    points, triangles = pressed(points, triangles, seams)
    assert is_closed(triangles)
    assert volume(points, triangles) == pytest.approx(GAP)


def test_once_seams_are_closed_the_volume_is_that_of_the_welded_mesh():
    points, triangles, seams = pillow()
    closed = closed_surface("Pillow", points, triangles, seams)
    random = np.random.default_rng(1)
    x = points + 0.1 * random.standard_normal(points.shape)
    x[seams[:, 1]] = x[seams[:, 0]]
    welded = np.arange(len(points))
    welded[seams[:, 1]] = seams[:, 0]
    both = closed[: len(triangles)]
    assert volume(x, closed) == pytest.approx(volume(x, welded[both]))


def test_forces_add_up_to_zero_where_seams_are_open():
    points, triangles, seams = pillow()
    x, triangles = pressed(points, triangles, seams[3:], fill_openings=True)
    x = x + 0.1 * np.random.default_rng(1).standard_normal(x.shape)
    corners = x[triangles]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2.0
    np.testing.assert_allclose(area.sum(axis=0), 0.0, atol=1e-12)
    torque = np.cross(corners.mean(axis=1), area).sum(axis=0)
    np.testing.assert_allclose(torque, 0.0, atol=1e-12)


@pytest.mark.parametrize("above", [8, 12])
def test_a_fine_panel_sewn_to_a_coarse_one_is_closed(above):
    points, triangles = pressed(*pillow(4, above))
    assert is_closed(triangles)
    assert volume(points, triangles) == pytest.approx(GAP)


def test_several_seams_may_meet_at_a_vertex():
    points, triangles, seams = pillow()
    round_it = border(4, 25)
    more = np.stack([seams[:, 0], np.roll(round_it, -1)], axis=1)[[1, 6, 7]]
    points, triangles = pressed(points, triangles, np.concatenate([seams, more]))
    x = points + 0.1 * np.random.default_rng(1).standard_normal(points.shape)
    # A closed surface has the same volume wherever the origin is.
    assert volume(x + 1.0, triangles) == pytest.approx(volume(x, triangles))
    assert volume(points, triangles) == pytest.approx(GAP, rel=0.1)


def test_three_panels_meet_in_a_corner_and_a_dart_closes_one():
    # One strip of four triangles with sewn ends makes the sides of a pyramid; and its base.
    top, sides = np.array([[0.5, 0.5, 1.0]]), [[0, 1, 5], [1, 2, 5], [2, 3, 5], [3, 4, 5]]
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    strip = np.concatenate([corners, corners[:1] + [0.0, 0.0, 0.1], top])
    points, triangles = stack((strip, np.array(sides)), (corners, np.array([[0, 1, 2], [0, 2, 3]])))
    seams = np.array([[0, 4], [0, 6], [4, 6], [1, 7], [2, 8], [3, 9]])
    points, triangles = pressed(points, triangles, seams)
    assert volume(points + 1.0, triangles) == pytest.approx(volume(points, triangles))
    assert volume(points, triangles) == pytest.approx(1.0 / 3.0, rel=0.1)


def test_what_has_no_seam_is_open_until_openings_are_filled():
    points, triangles, seams = pillow()
    with pytest.raises(ValueError, match="Pillow: pressure needs a closed mesh, and 8 edges have"):
        pressed(points, triangles, seams[3:])
    points, triangles = pressed(points, triangles, seams[3:], fill_openings=True)
    assert is_closed(triangles)
    assert volume(points, triangles) == pytest.approx(GAP)


def test_a_tube_gets_two_lids():
    ring = 2.0 * np.pi * np.arange(24) / 24
    circle = np.stack([np.cos(ring), np.sin(ring), 0.0 * ring], axis=1)
    a, b = np.arange(24), (np.arange(24) + 1) % 24
    sides = np.concatenate([np.stack([a, b, a + 24], 1), np.stack([b, b + 24, a + 24], 1)])
    points = np.concatenate([circle, circle + [0.0, 0.0, 2.0]])
    with pytest.raises(ValueError, match="and 48 edges have a face on one side only"):
        pressed(points, sides)
    points, triangles = pressed(points, sides, fill_openings=True)
    assert is_closed(triangles)
    assert volume(points, triangles) == pytest.approx(2.0 * 12.0 * np.sin(2.0 * np.pi / 24))
    # A strip gives no vertex much more than its neighbors.
    assert np.bincount(triangles.ravel()).max() <= 6


def test_openings_that_share_a_vertex_are_filled_one_by_one():
    points, triangles = bumpy_ball(0.3, 6)
    whole = volume(*pressed(points, triangles))
    at = np.flatnonzero((triangles == 10).any(axis=1))
    apart = [len(np.intersect1d(triangles[at[0]], triangles[k])) == 1 for k in at]
    holes = [at[0], at[apart][0]]
    points, triangles = pressed(points, np.delete(triangles, holes, axis=0), fill_openings=True)
    assert is_closed(triangles)
    assert volume(points, triangles) == pytest.approx(whole)


def test_where_every_second_vertex_is_sewn_each_opening_is_filled():
    points, triangles, seams = pillow()
    triangles[:32] = triangles[:32, ::-1]
    points, triangles = pressed(points, triangles, seams[::2], fill_openings=True)
    assert is_closed(triangles)
    assert volume(points, triangles) == pytest.approx(GAP)


def test_a_long_border_is_spanned_in_no_time():
    points, triangles = grid(150)
    closed = closed_surface("Sail", points, triangles, fills_openings=True)
    assert is_closed(closed)
    assert len(closed) == 2 * 150**2 + 600 - 2


def test_what_has_no_inside_is_refused():
    count = 12
    turn = np.pi * np.arange(count + 1) / count
    across = np.stack([np.cos(turn) * np.cos(2 * turn), np.cos(turn) * np.sin(2 * turn)], axis=1)
    across = 0.2 * np.column_stack([across, np.sin(turn)])
    middle = np.column_stack([np.cos(2 * turn), np.sin(2 * turn), 0.0 * turn])
    points = np.concatenate([middle - across, middle + across])
    a = np.arange(count)
    b, c, d = a + 1, a + count + 1, a + count + 2
    strip = np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)])
    seams = [[0, 2 * count + 1], [count + 1, count]]
    with pytest.raises(ValueError, match="has a single side, as a Moebius"):
        pressed(points, strip, seams, fill_openings=True)
    straight = [[0, count], [count + 1, 2 * count + 1]]
    _, triangles = pressed(points, strip, straight, fill_openings=True)
    assert is_closed(triangles)


def test_edges_of_more_than_two_faces_or_borders_are_refused():
    fin = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4]])
    points = np.random.default_rng(1).standard_normal((5, 3))
    with pytest.raises(ValueError, match=r"1 edges have more than two faces \(first: from vertex"):
        pressed(points, fin)
    points, triangles, seams = pillow(2)
    third, faces = grid(2)
    points, triangles = stack((points, triangles), (third + [0.0, 0.0, 1.0], faces))
    more = np.stack([border(2), border(2, 18)], axis=1)
    with pytest.raises(ValueError, match="8 edges have more than two borders sewn together"):
        pressed(points, triangles, np.concatenate([seams, more]))


def test_seams_of_vertices_that_are_not_there_are_refused():
    points, triangles, seams = pillow(2)
    with pytest.raises(ValueError, match="Pillow: seam 0 uses a vertex that is not one of the 18"):
        Cloth(points, triangles, seams=seams + 18, name="Pillow")
