# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed cloth under pressure: a sphere in closed form, momentum, large pressures, kept air."""

import numpy as np
import pytest
from shapes import grid, plane

from vbd.solver.bodies import Cloth, Collider
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.model.assembly import vertex_mass
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

STILL = (0.0, 0.0, 0.0)
E, THICKNESS, NU, RADIUS = 1e6, 1e-3, 0.3, 0.2


def icosphere(levels, radius=RADIUS):
    """A sphere of triangles of nearly one size."""
    phi = 0.5 * (1.0 + 5.0**0.5)
    points = [[0, s, t * phi] for s in (-1, 1) for t in (-1, 1)]
    points = np.array([np.roll(p, k) for k in range(3) for p in points], dtype=float)
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    near = abs(gaps - 2.0) < 1e-6
    triangles = [
        (a, b, c)
        for a in range(12)
        for b in range(a + 1, 12)
        for c in range(b + 1, 12)
        if near[a, b] and near[b, c] and near[a, c]
    ]
    triangles = np.array(triangles)
    corners = points[triangles]
    inwards = np.linalg.det(corners) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    for _ in range(levels):
        edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        unique, of = np.unique(edges, axis=0, return_inverse=True)
        ab, bc, ca = (of.reshape(-1, 3) + len(points)).T
        a, b, c = triangles.T
        points = np.concatenate([points, points[unique].mean(axis=1)])
        new = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(t, axis=1) for t in new])
        points *= np.sqrt(2.0 + phi) / np.linalg.norm(points, axis=1, keepdims=True)
    return points * radius / np.linalg.norm(points[0]), triangles


def balloon(levels=3, center=(0.0, 0.0, 0.0), **material):
    points, triangles = icosphere(levels)
    stiffness = {"youngs_modulus": E, "thickness": THICKNESS, "poisson_ratio": NU}
    made = Material(**{"density": 0.2, "bending_stiffness": 0.0} | stiffness | material)
    return Cloth(points + np.array(center), triangles, made, name="Balloon")


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    return np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0


def last(body, frames, **settings):
    *_, frame = simulate([body], Settings(**{"gravity": STILL} | settings), frames)
    return frame


def growth(body, frame):
    """Mean strain of the radius."""
    sizes = [volume(points, body.triangles) for points in (frame.exact_positions[0], body.points)]
    return np.cbrt(sizes[0] / sizes[1]) - 1.0


@pytest.mark.parametrize("membrane", ["stvk", "neo_hookean"])
def test_a_thin_sphere_grows_as_its_closed_form(membrane):
    # Hoop stress p R/(2 t) along both axes: strain p R (1 − ν)/(2 E t), here 0.1 %.
    pressure = 0.001 * 2.0 * E * THICKNESS / (RADIUS * (1.0 - NU))
    body = balloon(pressure=pressure, membrane=membrane)
    frame = last(body, 2, quasistatic=True, iterations=100, substeps=1)
    # 642 vertices are within 0.3 %.
    assert growth(body, frame) == pytest.approx(0.001, rel=0.01)


def test_pressure_keeps_momentum():
    body = balloon(2, pressure=500.0, center=(3.0, -2.0, 5.0))
    body.velocities = np.array([1.0, 0.0, 0.0]) + np.cross(
        [0.0, 0.0, 4.0], body.points - [3, -2, 5]
    )
    frames = list(simulate([body], Settings(gravity=STILL, iterations=5), 12))
    middle = [frame.exact_positions[0].mean(axis=0) for frame in frames]
    # Vertices have slightly different masses.
    np.testing.assert_allclose(np.diff(middle, axis=0) * 24.0, [[1.0, 0.0, 0.0]] * 11, atol=2e-3)
    x, before = (frame.exact_positions[0] for frame in frames[:-3:-1])
    spin = np.cross(x - x.mean(axis=0), (x - before) * 24.0).sum(axis=0)
    # Implicit Euler takes some; it keeps turning about its first axis.
    assert abs(spin[:2]).max() < 0.01 * spin[2]
    assert growth(body, frames[-1]) > 0.01


def test_a_pillow_whose_seams_are_closing_keeps_its_momentum():
    """Pressure on the triangles that span its seams adds up to zero with that on its panels."""
    low, faces = grid(8, 0.4)
    points = np.concatenate([low, low + [0.0, 0.0, 0.1]]) + [3.0, -2.0, 5.0]
    on_border = (np.isin(low, [low.min(), low.max()])[:, :2]).any(axis=1)
    seams = np.flatnonzero(on_border)[:, None] + [0, len(low)]
    material = Material(youngs_modulus=E, thickness=THICKNESS, density=0.2, pressure=100.0)
    body = Cloth(points, np.concatenate([faces, faces + len(low)]), material, seams=seams)
    body.velocities = np.broadcast_to([1.0, 0.0, 0.0], points.shape)
    drawn = Attachment(
        body, seams[:, 0], 1e4, other=body, corners=seams[:, 1], length=0.1, shrink_speed=0.5
    )
    frames = list(simulate([body, drawn], Settings(gravity=STILL), 8))
    mass = vertex_mass(body)[:, None] / vertex_mass(body).sum()
    middle = [(mass * frame.exact_positions[0]).sum(axis=0) for frame in frames]
    # Unfinished sweeps leave some [m/s].
    np.testing.assert_allclose(np.diff(middle, axis=0) * 24.0, [[1.0, 0.0, 0.0]] * 7, atol=2e-3)
    x = frames[-1].exact_positions[0]
    assert np.linalg.norm(x[seams[:, 0]] - x[seams[:, 1]], axis=1).max() < 2e-3
    assert np.ptp(x[:, 2]) > 0.12


@pytest.mark.parametrize("pressure", [-2e4, 2e4])
def test_a_large_pressure_in_light_cloth_is_stable(pressure):
    """Four times the pressure that stretches it to twice its size, suddenly, in 24 g/m²."""
    body = balloon(2, pressure=pressure, density=0.024, membrane="neo_hookean")
    frames = list(simulate([body], Settings(gravity=STILL), 12))
    for frame in frames:
        assert np.isfinite(frame.exact_positions[0]).all()
        assert frame.stats.rejected == 0
    # Sucked empty without self contact, it comes out on the other side.
    assert abs(growth(body, frames[-1])) > 1.0


def plates(gap, frames):
    """Two plates around the origin that come together to a gap within some frames."""
    points, triangles = plane(2.0)

    def height(time):
        return 0.5 * (0.5 + (gap - 0.5) * min(24.0 * time / frames, 1.0))

    return [
        Collider(lambda time: points - [0.0, 0.0, height(time)], triangles, name="Below"),
        Collider(lambda time: points + [0.0, 0.0, height(time)], triangles[:, ::-1], name="Above"),
    ]


def test_air_expands_by_boyles_law():
    # p(V) balances the membrane at the strain e: (p_a + p)/(1 + e)³ − p_a = e 2 E t/(R (1 − ν)).
    air, strains = 101325.0, np.linspace(0.0, 0.01, 100001)
    inside = (air + 2000.0) / (1.0 + strains) ** 3 - air
    gap = inside - strains * 2.0 * E * THICKNESS / (RADIUS * (1.0 - NU))
    body = balloon(2, keep_volume=True, pressure=2000.0)
    frame = last(body, 4, quasistatic=True, iterations=40, substeps=1)
    assert growth(body, frame) == pytest.approx(strains[abs(gap).argmin()], rel=0.01)


def test_a_ball_between_plates_keeps_its_volume():
    body = balloon(2, keep_volume=True)
    how = Settings(gravity=STILL)
    *_, kept = simulate([body, *plates(0.26, 12)], how, 16)
    *_, not_kept = simulate([balloon(2), *plates(0.26, 12)], how, 16)
    squeezed = [
        volume(frame.exact_positions[0], body.triangles) / volume(body.points, body.triangles)
        for frame in (kept, not_kept)
    ]
    # The air itself gives way by 0.6 % to the pressure of the membrane.
    assert squeezed[0] > 0.99
    assert squeezed[1] < 0.9
    assert kept.stats.kinetic_energy < 1e-4


def test_a_ball_bounces_on_the_air_inside_it():
    body = balloon(2, center=(0.0, 0.0, 0.3), keep_volume=True)
    body.velocities = np.broadcast_to([0.0, 0.0, -6.0], body.points.shape)
    mass = 0.2 * 4.0 * np.pi * RADIUS**2
    heights, settings = [], Settings(use_ground=True, substeps=8)
    for frame in simulate([body], settings, 24):
        points = frame.exact_positions[0]
        part = volume(points, body.triangles) / volume(body.points, body.triangles)
        assert part == pytest.approx(1.0, abs=0.01)
        assert frame.stats.kinetic_energy < 0.5 * mass * 6.0**2
        heights.append(points[:, 2].min())
    assert max(heights[4:]) > 0.1


@pytest.mark.parametrize("keep_volume", [False, True])
def test_pressure_that_varies_is_what_it_is_in_every_frame(keep_volume):
    """A ball with growing pressure ends as large as one that always has the last pressure."""
    options = {"quasistatic": True, "iterations": 60, "substeps": 2}
    growing = balloon(2, keep_volume=keep_volume)
    growing.pressure_in_time = lambda time: 400.0 * min(time / 3.0 * 24.0, 1.0)
    frames = simulate([growing], Settings(gravity=STILL, **options), 4)
    sizes = [growth(growing, frame) for frame in frames]
    assert 0.0 < sizes[0] < sizes[1] < sizes[2]
    always = balloon(2, pressure=400.0, keep_volume=keep_volume)
    assert sizes[3] == pytest.approx(growth(always, last(always, 2, **options)), rel=0.02)


def test_a_pressure_that_varies_goes_on_bit_for_bit():
    def ball():
        body = balloon(1)
        body.pressure_in_time = lambda time: 3000.0 * time
        return body

    settings = Settings(gravity=STILL, iterations=5)
    frames, states = [], []
    for frame in simulate([ball()], settings, 4):
        frames.append(frame.exact_positions[0])
        states.append(frame.state())
    again = simulate([ball()], settings, 4, restart=Restart(2, states[1]))
    for frame, before in zip(again, frames[2:], strict=True):
        np.testing.assert_array_equal(frame.exact_positions[0], before)


def test_pressures_that_cannot_vary_are_refused():
    torn = balloon(0)
    torn.tear_strain, torn.pressure_in_time = 0.1, lambda _: 1.0
    with pytest.raises(
        ValueError, match="Balloon: a cloth with a tear_strain cannot have a pressure"
    ):
        last(torn, 1)
    wild = balloon(0)
    wild.pressure_in_time = lambda time: np.nan if time else 0.0
    with pytest.raises(ValueError, match=r"the pressure at 0.0417 s is nan; it must be finite"):
        last(wild, 1)
