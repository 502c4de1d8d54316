# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the search for rest shapes, and the shapes on disk."""

from dataclasses import replace

import numpy as np
import pytest
from shapes import box, cell_box, chain, grid, rotation

from vbd.solver.attachments import Attachment
from vbd.solver.bodies import Cells, Cloth, Pins, Rod, Solid
from vbd.solver.rest_shapes.files import NAME, read_rest_shapes, write_rest_shapes
from vbd.solver.rest_shapes.fitting import Fit
from vbd.solver.rest_shapes.gradients import gradients_of
from vbd.solver.rest_shapes.search import RestSearch, anderson
from vbd.solver.rest_shapes.static_scene import StaticScene, loose_vertices, resting
from vbd.solver.rest_shapes.store import RestShape, RestShapes
from vbd.solver.scene.directors import with_directors
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

STRETCH = np.array([[1.2, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 1.1]])


def tets():
    return Solid(*box((3, 2, 2)), keeps_shape=True)


def cells():
    return Cells(*cell_box((3, 2, 2), (1.5, 1.0, 1.0)), keeps_shape=True)


def cloth():
    points, triangles = grid(4)
    points[:, 2] = 0.1 * np.sin(5.0 * points[:, 0])
    return Cloth(points, triangles, keeps_shape=True)


def rod():
    points, directors = with_directors(*chain(6, 0.2))
    edges = chain(6, 0.2)[1]
    material = Material(bending_factor=1.0)
    return Rod(points, edges, material, directors=directors, keeps_shape=True)


def string():
    return Rod(*chain(6, 0.2), keeps_shape=True)


BODIES = [tets, cells, cloth, rod, string]


@pytest.mark.parametrize("make", BODIES)
def test_gradients_are_those_of_an_affine_shape(make):
    body = make()
    g = gradients_of(body)
    found = g.of(body.points @ STRETCH.T + [0.3, 0.0, -0.2])
    np.testing.assert_allclose(found, STRETCH @ g.along, atol=1e-12)


@pytest.mark.parametrize("make", BODIES)
def test_a_shape_is_found_again_from_its_gradients(make):
    body = make()
    g = gradients_of(body)
    wanted = body.points + 0.05 * np.sin(3.0 * body.points[:, [1, 2, 0]])
    fit = Fit(g, len(body.points), [0])
    wanted[0] = body.points[0]
    found = body.points
    for _ in range(4):  # each reduces the residual a hundredfold
        found = fit.shape(found, g.of(wanted))
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize("make", [tets, cells, cloth, rod])
def test_unloading_takes_a_deformation_back(make):
    """Turned and stretched from the rest shape R t to F R t, the modeled shape t goes to F⁻¹ t."""
    body = make()
    g, turn = gradients_of(body), rotation([0.6, 0.0, 0.8], 0.4)
    rest = body.points @ turn.T
    swell = 1.3 if g.dimension == 3 else 1.0
    now = swell * rest @ turn.T
    wanted = (turn.T / swell) @ g.along
    np.testing.assert_allclose(g.unloaded(rest, now), wanted, atol=1e-10)
    # An equilibrium in the modeled shape changes nothing.
    np.testing.assert_allclose(g.unloaded(rest, body.points), g.of(rest), atol=1e-12)


def test_strings_are_unloaded_by_their_length_alone():
    body = string()
    g = gradients_of(body)
    found = g.unloaded(body.points, 1.25 * body.points @ rotation([0.0, 0.0, 1.0], 0.3).T)
    np.testing.assert_allclose(found, 0.8 * g.along, atol=1e-12)


@pytest.mark.parametrize("make", [tets, cells, cloth])
def test_inverted_elements_keep_their_rest_shape(make):
    body = make()
    g = gradients_of(body)
    flat = body.points * [1.0, 0.0 if g.dimension == 2 else -1.0, 1.0]
    rest = 1.1 * body.points
    found, same = g.unloaded(rest, flat), g.of(rest)
    lost = g.sizes(g.of(flat)) <= 0.0
    np.testing.assert_array_equal(found[lost], same[lost])
    assert np.isfinite(found).all()
    assert lost.all() or g.dimension == 2


def test_anderson_solves_a_linear_problem_of_few_unknowns_exactly():
    matrix, wanted = np.diag([0.9, 0.5, -0.7]), np.array([[1.0], [2.0], [3.0]])
    shapes, images, x = [], [], np.zeros((3, 1))
    for _ in range(5):
        shapes, images = [*shapes, x], [*images, matrix @ (x - wanted) + wanted]
        x = anderson(shapes, images)
    np.testing.assert_allclose(x, wanted, atol=1e-9)


@pytest.mark.parametrize("make", [tets, cloth, string])
def test_a_body_keeps_the_mass_of_its_modeled_shape(make):
    from vbd.solver.model.masses import vertex_mass

    body = make()
    new = resting(body, 1.3 * body.points)
    np.testing.assert_allclose(new.rest_points, 1.3 * body.points)
    assert vertex_mass(new).sum() == pytest.approx(vertex_mass(body).sum(), rel=1e-12)


def test_what_falls_freely_is_loose_and_what_hangs_on_something_is_not():
    free, pinned, hung, tied, released = (tets() for _ in range(5))
    pinned.pins = Pins([0])
    attachments = [
        Attachment(hung, [3], 10.0, points=[[0, 0, 0]]),
        Attachment(tied, [1], 10.0, other=hung, corners=[2]),
        Attachment(released, [1], 10.0, points=[[0, 0, 0]], grip=lambda time: [time]),
    ]
    loose = loose_vertices([free, pinned, hung, tied, released], attachments)
    assert [len(part) for part in loose] == [len(free.points), 0, 0, 0, len(free.points)]


def test_cells_may_begin_deformed():
    body = cells()
    body.points = body.points @ STRETCH.T
    g, turn = gradients_of(body), rotation([0.6, 0.0, 0.8], 0.4)
    found = g.unloaded(body.points, body.points @ turn.T)
    np.testing.assert_allclose(found, np.broadcast_to(turn.T @ STRETCH, found.shape), atol=1e-12)


def test_corners_of_cells_that_carry_nothing_may_be_anywhere():
    body = Cells(*cell_box((1, 1, 1), (1.0, 1.0, 1.0)), keeps_shape=True)
    body.filling.middle[:] = -1.0
    search = RestSearch(replace(body, pins=Pins(np.zeros(0, int))))
    moved = body.points.copy()
    assert search.way(moved + [0.0, 0.3, 0.0]) == pytest.approx(0.3)
    moved[np.argmax(moved.sum(axis=1))] += 1.0
    assert search.way(moved) < 2e-3  # the middle cannot be quite in the corner


def test_a_search_ends_where_the_solver_fails():
    body = tets()
    body.pins = Pins([0])
    search = RestSearch(body)
    search.advance(np.full_like(body.points, np.nan))
    assert search.ended
    np.testing.assert_array_equal(search.points, body.points)


def test_the_key_changes_with_what_the_shape_depends_on_only():
    def key(gravity=(0.0, 0.0, -9.81), substeps=4, others=(), **changes):
        body = tets()
        body.material = Material(**changes)
        settings = Settings(gravity=gravity, substeps=substeps)
        return StaticScene([body, *others], [body], settings, None, None).key()

    assert key() == key(substeps=8, damping=0.1, friction=None)
    assert key() != key(youngs_modulus=2e5)
    assert key() != key(density=500.0)
    assert key() != key(gravity=(0.0, 0.0, -1.6))


def test_shapes_are_searched_once(tmp_path):
    body = tets()
    body.pins = Pins(np.flatnonzero(body.points[:, 0] < 0.01))
    known, texts = RestShapes(), []

    def run():
        texts.clear()
        simulate([body], Settings(threads=1), 1, preparing=texts.append, rest_shapes=known)
        return sum("round" in text for text in texts)

    assert run() > 0
    assert run() == 0
    write_rest_shapes(tmp_path, known)
    known = read_rest_shapes(tmp_path)
    assert run() == 0
    body.material = Material(density=900.0)
    assert run() > 0


def test_damaged_files_are_as_if_there_were_none(tmp_path):
    assert read_rest_shapes(tmp_path).shapes == []
    write_rest_shapes(tmp_path, RestShapes("key", [RestShape(np.ones((4, 3)), 0.5)], ["Body"]))
    found = read_rest_shapes(tmp_path)
    assert (found.key, found.shapes[0].sag) == ("key", 0.5)
    np.testing.assert_array_equal(found.shapes[0].points, 1.0)
    path = tmp_path / NAME
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    assert read_rest_shapes(tmp_path).shapes == []
    assert RestShapes.read({"key": np.zeros(3, np.uint8), "sags": np.zeros(2)}).shapes == []


def test_shapes_of_another_body_do_not_fit():
    shapes = RestShapes("key", [RestShape(np.full((4, 3), np.nan), 0.0)])
    assert not shapes.fits([tets()])


def test_a_cancelled_search_yields_no_frame():
    body, calls = tets(), []
    body.pins = Pins([0])

    def cancelled():
        calls.append(1)
        return len(calls) > 6

    assert list(simulate([body], Settings(threads=1), 2, cancelled=cancelled)) == []
