# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of element that the solver does not know: springs to points in space, of quartic energy.

    E = k/4 q²,  q = |x − p|² − q̄,  q̄ = 0 at rest and on the way to q with damping

It stands here alone; solving, damping, energies and the coarse correction are made from it.
"""

from dataclasses import dataclass

import numpy as np
import pytest
import references
import warp as wp
from element_kernels import evaluation
from shapes import box

from vbd.solver import elements
from vbd.solver.bodies import Solid
from vbd.solver.elements.kind import Columns, ElementKind
from vbd.solver.elements.records import damped, in_vertex_order
from vbd.solver.kernels.elements.linear_algebra import exact, mat31
from vbd.solver.model.assembly import assemble
from vbd.solver.model.tables import ElementTable
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

STIFFNESS = 3.0e3  # [N/m³]
vec1 = wp.types.vector(length=1, dtype=float)
mat11 = wp.types.matrix(shape=(1, 1), dtype=float)


@wp.struct
class TetherRecord:
    point: wp.vec3  # p [m]
    stiffness: float  # k [N/m³]


@wp.struct
class Tether:
    corners: wp.vec2i
    point: wp.vec3
    stiffness: float
    record: int


@wp.struct
class ExactTether:
    corners: wp.vec2i
    point: wp.vec3d
    stiffness: wp.float64


@wp.func
def force_hessian(
    tether: TetherRecord, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]
):
    d = x_i - tether.point
    gap = wp.dot(d, d) - rest[q]
    sideways = tether.stiffness * wp.abs(gap)
    hessian = wp.outer((2.0 * tether.stiffness) * d, d)
    hessian += wp.mat33(sideways, 0.0, 0.0, 0.0, sideways, 0.0, 0.0, 0.0, sideways)
    return (-tether.stiffness * gap) * d, hessian


@wp.func
def moved_rest(
    tether: TetherRecord, undamped: float, blend: float, x_i: wp.vec3, x: wp.array[wp.vec3]
):
    return wp.lerp(undamped, wp.length_sq(x_i - tether.point), blend)


@wp.func
def gradient(tether: Tether, x: wp.array[wp.vec3]):
    return wp.matrix_from_cols(x[tether.corners[0]])


@wp.func
def weight(tether: Tether, c: int):
    return vec1(1.0)


@wp.func
def from_point(tether: Tether, g: mat31):
    return wp.vec3(g[0, 0], g[1, 0], g[2, 0]) - tether.point


@wp.func
def gap_of(tether: Tether, rest: wp.array[float], g: mat31):
    return wp.length_sq(from_point(tether, g)) - rest[tether.record]


@wp.func
def stress(tether: Tether, rest: wp.array[float], g: mat31):
    d = from_point(tether, g)
    return wp.matrix_from_cols((tether.stiffness * gap_of(tether, rest, g)) * d)


@wp.func
def square(tether: Tether, rest: wp.array[float], g: mat31, m: int):
    return 2.0 * tether.stiffness, wp.matrix_from_cols(from_point(tether, g))


@wp.func
def spread(tether: Tether, rest: wp.array[float], g: mat31):
    return mat11(tether.stiffness * wp.abs(gap_of(tether, rest, g)))


@wp.func
def energy(tether: ExactTether, x: wp.array[wp.vec3]):
    d = exact(x[tether.corners[0]]) - tether.point
    square_of = wp.dot(d, d)
    return wp.float64(0.25) * tether.stiffness * square_of * square_of, wp.float64(1.0)


@dataclass
class Tethers(Columns):
    point: np.ndarray
    stiffness: np.ndarray
    damping_time: np.ndarray


def end_of(body):
    return np.flatnonzero(body.points[:, 0] < body.points[:, 0].min() + 1e-9)


def tethers_of(body, settings):
    """One tether for every vertex at the end of a body, to where that starts."""
    held = end_of(body)
    time = np.full(len(held), 0.05 if body.name == "Damped" else 0.0)
    return Tethers(held[:, None], body.points[held], np.full(len(held), STIFFNESS), time)


def columns_of(_points, tethers, h):
    stiffness, _ = damped(tethers.stiffness, tethers.damping_time / h)
    return {"point": tethers.point, "stiffness": stiffness}


def records_of(points, tethers, h):
    stiffness, blend = damped(tethers.stiffness, tethers.damping_time / h)
    columns = {"point": tethers.point[:, None], "stiffness": stiffness}
    return in_vertex_order(
        len(points), TetherRecord, tethers.corners, columns, np.zeros(len(blend)), blend
    )


TETHERS = ElementKind(
    name="tethers",
    corners=1,
    columns=1,
    cost=10.0,
    of_body=tethers_of,
    records=records_of,
    element_columns=columns_of,
    exact_columns=lambda _points, t: {"point": t.point, "stiffness": t.stiffness},
    record=TetherRecord,
    force_hessian=force_hessian,
    moved_rest=moved_rest,
    element=Tether,
    gradient=gradient,
    weight=weight,
    to_space=True,
    stress=stress,
    squares=1,
    square=square,
    spread=spread,
    sampled_stress=stress,
    exact=ExactTether,
    energy=energy,
)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(elements, "KINDS", (*elements.KINDS, TETHERS))


def bar(damping=0.0, youngs_modulus=2e5):
    """A bar around the origin of the scene, so that points need not be moved there."""
    points, tets = box((12, 4, 4), (1.2, 0.4, 0.4))
    points = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
    return Solid(points, tets, Material(youngs_modulus=youngs_modulus, damping=damping))


def force_and_block(offset):
    """Force and block of a vertex that is `offset` away from its point."""
    body = bar()
    assembly = assemble([body], Settings())
    at = assembly.elements["tethers"].corners[0, 0]
    table = ElementTable(
        TETHERS,
        assembly,
        Settings().step_time,
        lambda values, dtype: wp.array(np.asarray(values), dtype=dtype, device="cpu"),
    )
    x = np.zeros_like(assembly.points)
    x[at] = assembly.elements["tethers"].point[0] + offset
    out = [wp.zeros(len(x), dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33)]
    x = wp.array(x, dtype=wp.vec3, device="cpu")
    wp.launch(evaluation(TETHERS), len(x), inputs=[x, table.struct], outputs=out, device="cpu")
    return [values.numpy()[at].astype(float) for values in out]


@pytest.mark.parametrize("seed", range(3))
def test_force_and_block_are_slope_and_curvature_of_the_energy(seed):
    offset = np.random.default_rng(seed).standard_normal((1, 3))

    def of(d):
        return 0.25 * STIFFNESS * (d**2).sum() ** 2

    force, block = force_and_block(offset[0])
    np.testing.assert_allclose(force, -references.slope(of, offset)[0], rtol=1e-4)
    wanted = references.hessian_blocks(of, offset)[0]
    np.testing.assert_allclose(block, wanted, atol=1e-4 * abs(wanted).max())


def test_it_carries_its_load():
    """At rest the tethers hold the weight of the body: Σ k |d|² d = m g."""
    body = bar(youngs_modulus=1e7)
    held = end_of(body)
    weight = 1000.0 * 1.2 * 0.4 * 0.4 * 9.81
    settings = Settings(quasistatic=True, iterations=400)
    *_, frame = simulate([body], settings, 3)
    x = frame.exact_positions[0]
    d = x[held] - body.points[held]
    force = -STIFFNESS * (d**2).sum(axis=1)[:, None] * d
    np.testing.assert_allclose(force.sum(axis=0), [0.0, 0.0, weight], atol=2e-3 * weight)
    stored = 0.25 * STIFFNESS * ((d**2).sum(axis=1) ** 2).sum()
    assert frame.stats.elastic_energy > stored
    assert frame.stats.residual <= frame.stats.goal


def test_with_and_without_the_coarse_correction_it_moves_alike():
    settings = {"frame_time": 1 / 60, "substeps": 2, "iterations": 300}
    ends = [
        list(simulate([bar()], Settings(**settings, coarse_correction=on), 6))[-1]
        for on in (True, False)
    ]
    motion = abs(ends[0].positions[0] - bar().points).max()
    # Converged both: 300 sweeps leave less than this of the motion.
    np.testing.assert_allclose(*(end.positions[0] for end in ends), atol=2e-3 * motion)
    assert ends[0].stats.coarse_share > 0.0


def test_the_coarse_correction_takes_it_along():
    settings = {"frame_time": 1 / 60, "substeps": 1, "iterations": 5}
    wanted = list(simulate([bar()], Settings(**{**settings, "iterations": 400}), 6))[-1]
    off = {}
    for on in (True, False):
        end = list(simulate([bar()], Settings(**settings, coarse_correction=on), 6))[-1]
        off[on] = abs(end.positions[0] - wanted.positions[0]).max()
    assert off[True] < 0.2 * off[False]


def test_damping_takes_energy_from_it():
    """Only the tethers are damped: the energy of a bar that swings in them, without gravity."""
    left = {}
    for name in ("Bar", "Damped"):
        body = bar(youngs_modulus=1e7)
        body.name, body.velocities = name, np.broadcast_to([0.0, 0.0, 2.0], body.points.shape)
        settings = Settings(frame_time=1 / 48, substeps=8, gravity=(0, 0, 0))
        *_, frame = simulate([body], settings, 40)
        left[name] = frame.stats.energy
    assert left["Damped"] < 0.7 * left["Bar"]
