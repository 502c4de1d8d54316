# SPDX-License-Identifier: GPL-3.0-or-later
"""Pressure: its force is the slope of −p V, at a vertex and along a line; invalid values."""

import numpy as np
import pytest
import references
import warp as wp
from element_kernels import evaluation
from shapes import bumpy_ball, grid

from vbd.solver.bodies import Cloth
from vbd.solver.elements.pressure import PRESSURE, enclosures, outward
from vbd.solver.elements.vertex_records import element_data
from vbd.solver.kernels.elements.linear_algebra import vec6
from vbd.solver.model.assembly import assemble
from vbd.solver.model.tables import ElementTable
from vbd.solver.settings import Material, Settings

P = 300.0
gradient, stress, weight, slope = (
    PRESSURE.gradient,
    PRESSURE.stress,
    PRESSURE.weight,
    PRESSURE.slope,
)


@wp.kernel(enable_backward=False, module="unique")
def add_up(
    elements: wp.array[PRESSURE.element],
    rest: wp.array[float],
    x: wp.array[wp.vec3],
    d: wp.array[wp.vec3],
    # out
    slopes: wp.array[vec6],
    forces: wp.array[wp.vec3],
):
    e = wp.tid()
    g = gradient(elements[e], x)
    slopes[e] = slope(elements[e], rest, g, gradient(elements[e], d), vec6())
    p = stress(elements[e], rest, g)
    for c in range(3):
        wp.atomic_add(forces, elements[e].corners[c], -(p * weight(elements[e], c)))


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0


def upload(values, dtype):
    return wp.array(np.asarray(values), dtype=dtype, device="cpu")


class Ball:
    """A closed surface under pressure, disturbed, and the places of its vertices in the solver."""

    def __init__(self):
        points, triangles = bumpy_ball(0.3, 6)
        body = Cloth(points, triangles, Material(pressure=P))
        self.assembly = assemble([body], Settings())
        self.table = ElementTable(PRESSURE, self.assembly, 0.01, upload)
        self.corners = self.assembly.elements["pressure"].corners
        random = np.random.default_rng(1)
        self.x = self.assembly.points + 0.02 * random.standard_normal(points.shape)

    def energy(self, x):
        return -P * volume(x, self.corners)

    def of_whole_triangles(self, d):
        pressed = self.assembly.elements["pressure"]
        data = upload(element_data(PRESSURE, None, pressed, 0.01, slice(None)), PRESSURE.element)
        slopes, forces = np.zeros((len(self.corners), 6)), np.zeros_like(self.x)
        out = [upload(slopes, vec6), upload(forces, wp.vec3)]
        x, d = (upload(values, wp.vec3) for values in (self.x, d))
        inputs = [data, self.table.struct.rest, x, d]
        wp.launch(add_up, len(data), inputs=inputs, outputs=out, device="cpu")
        return out[0].numpy().astype(float).sum(axis=0), out[1].numpy()


@pytest.fixture
def ball():
    return Ball()


def test_the_force_is_the_slope_of_the_work_and_the_block_is_zero(ball):
    out = [wp.zeros(len(ball.x), dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33)]
    inputs = [upload(ball.x, wp.vec3), ball.table.struct]
    wp.launch(evaluation(PRESSURE), len(ball.x), inputs=inputs, outputs=out, device="cpu")
    wanted = -references.slope(ball.energy, ball.x)
    # float32.
    np.testing.assert_allclose(out[0].numpy(), wanted, atol=1e-5 * abs(wanted).max())
    assert not out[1].numpy().any()
    _, whole = ball.of_whole_triangles(ball.x)
    np.testing.assert_allclose(whole, wanted, atol=1e-5 * abs(wanted).max())
    np.testing.assert_allclose(whole.sum(axis=0), 0.0, atol=1e-5 * abs(wanted).max())


def test_along_a_line_the_slope_is_a_polynomial(ball):
    d = 0.1 * np.random.default_rng(2).standard_normal(ball.x.shape)
    found, _ = ball.of_whole_triangles(d)
    for alpha in (-1.0, 0.0, 0.7):
        step = 1e-4
        ends = [ball.energy(ball.x + (alpha + s) * d) for s in (step, -step)]
        # Central differences and float32.
        wanted = pytest.approx((ends[0] - ends[1]) / (2.0 * step), rel=1e-4)
        assert found @ alpha ** np.arange(6) == wanted


def test_faces_are_turned_outwards_part_by_part():
    points, triangles = bumpy_ball(0.3, 6)
    both = np.concatenate([triangles, triangles[:, ::-1] + len(points)])
    apart = np.concatenate([points, points + [1.0, 0.0, 0.0]])
    of, count = enclosures(both)
    assert count == 2
    turned, flat = outward(apart, both)
    assert not flat.any()
    for part in range(2):
        assert volume(apart, turned[of == part]) == pytest.approx(volume(points, triangles))


def test_what_cannot_keep_its_volume_is_refused():
    corners, _ = grid(1)
    points = np.concatenate([corners, [[0.5, 0.5, 0.0]]])
    sides = [(0, 1), (1, 3), (3, 2), (2, 0)]
    pillow = np.array([[0, 1, 3], [0, 3, 2]] + [[b, a, 4] for a, b in sides])
    body = Cloth(points, pillow, Material(keep_volume=True), name="Pillow")
    with pytest.raises(ValueError, match="Pillow: Keeps Air needs a volume"):
        assemble([body], Settings())
    points, triangles = bumpy_ball(0.3, 6)
    body = Cloth(points, triangles, Material(keep_volume=True), name="Ball")
    with pytest.raises(ValueError, match="Ball: Keeps Air does not work with Chebyshev"):
        assemble([body], Settings(acceleration=0.9))
    body.tear_strain = 0.1
    with pytest.raises(ValueError, match="Ball: a cloth with a tear_strain cannot keep its volume"):
        assemble([body], Settings())
