# SPDX-License-Identifier: GPL-3.0-or-later
"""Air and force fields: speeds and accelerations in closed form."""

import numpy as np
import pytest
from shapes import box, chain, grid

from vbd.solver.bodies import Cloth, Pins, Rod, Solid
from vbd.solver.scene.force_fields import FieldNumbers, ForceField
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

FRAME = 1.0 / 24.0
STILL = (0.0, 0.0, 0.0)


def run(bodies, frames, **settings):
    """Positions of the first body after every frame."""
    how = {"accuracy": 0.0, "iterations": 8} | settings
    return [frame.exact_positions[0] for frame in simulate(bodies, Settings(**how), frames)]


def speed(positions, axis):
    """Mean speed [m/s] along an axis in the last frame."""
    return (positions[-1] - positions[-2])[:, axis].mean() / FRAME


def sheet(**material):
    points, triangles = grid(4, 1.0)
    return Cloth(points, triangles, Material(**{"density": 0.2, "drag": 1.2} | material))


@pytest.mark.parametrize("substeps", [1, 8])
def test_a_falling_sheet_reaches_its_terminal_speed(substeps):
    # m g = ½ ρ C v² A; the speed is that of the scheme's own equilibrium, so it does not depend on
    # the step.
    positions = run([sheet()], 60, substeps=substeps)
    assert -speed(positions, 2) == pytest.approx(np.sqrt(2.0 * 0.2 * 9.81 / (1.25 * 1.2)), rel=1e-3)


def test_without_air_it_falls_freely():
    positions = run([sheet()], 24, air_density=0.0)
    assert -speed(positions, 2) == pytest.approx(9.81 * (24 - 0.5) * FRAME, rel=0.01)


@pytest.mark.parametrize("slant", [0.0, 0.6])
def test_wind_carries_what_is_free_along(slant):
    wind = ForceField("wind", FieldNumbers(axis=(1.0, 0.0, slant), strength=3.0), blows=True)
    cloth = sheet(air_friction=0.5)
    positions = run([cloth, wind], 400, gravity=STILL, air_density=12.0)
    length = np.hypot(1.0, slant)
    assert speed(positions, 0) == pytest.approx(3.0 / length, rel=0.02)
    assert speed(positions, 2) == pytest.approx(3.0 * slant / length, rel=0.02, abs=1e-3)


def test_a_body_and_a_rod_fall_as_fast_as_their_mean_area_lets_them():
    points, tets = box((1, 1, 1))
    solid = Solid(points, tets, Material(density=1.0, drag=1.0))
    rod = Rod(*chain(20, 0.05), Material(density=0.01, thickness=0.02, drag=1.0))
    for body, mass, area in ((solid, 1.0, 6.0 / 4.0), (rod, 0.01, np.pi * 0.02 / 4.0)):
        positions = run([body], 150, substeps=2)
        expected = np.sqrt(2.0 * mass * 9.81 / (1.25 * area))
        # The box tumbles a little: the shares of mass and of area differ at its corners.
        assert -speed(positions, 2) == pytest.approx(expected, rel=5e-3)


def test_a_slanting_sheet_is_lifted():
    points, triangles = grid(4, 1.0)
    slope = 0.3
    points[:, 2] = slope * points[:, 0]
    cloth = Cloth(points, triangles, Material(density=0.2, drag=1.2, air_friction=0.0))
    drift = (run([cloth], 3)[-1] - points).mean(axis=0)
    fall = -0.5 * 9.81 * (3 * FRAME) * (3 + 0.25) * FRAME  # of four steps a frame, without air
    # Without friction the force of air is along the normal (−slope, 0, 1), as long as the sheet has
    # not turned.
    assert drift[0] < -1e-3
    assert -drift[0] / (drift[2] - fall) == pytest.approx(slope, rel=0.05)


def test_a_force_field_accelerates_all_masses_alike():
    push = ForceField("force", FieldNumbers(origin=(-1e4, 0.0, 0.0), strength=5.0))
    for density in (0.1, 10.0):
        positions = run([sheet(density=density, drag=0.0), push], 24, gravity=STILL)
        assert speed(positions, 0) == pytest.approx(5.0 * (24 - 0.5) * FRAME, rel=0.01)


FORMULAS = {
    # kind: numbers, options, expected acceleration at (2, 0, 1) with v = 0
    "wind": ({"strength": 3.0, "power": 1.0}, {"shape": "plane"}, (0, 0, 3.0 / 2.0)),
    "force": ({"strength": 3.0}, {"by_square": True}, np.array([2, 0, 1]) * 3.0 / 5.0**1.5),
    "vortex": ({"strength": 3.0}, {}, np.array([0, 1, 0]) * 3.0 * 5.0**0.5),
    "harmonic": ({"strength": 3.0, "size": 1.0}, {"shape": "plane"}, (0, 0, 0)),
}
CLIPPED = {
    "farthest": ({"farthest": 2.2}, {}, 0.0),
    "within": ({"nearest": 2.3, "power": 5.0}, {}, 1.0),
    "tube": ({"radial_farthest": 1.9}, {"falloff": "tube"}, 0.0),
    "cone": ({"radial_farthest": 64.0}, {"falloff": "cone"}, 1.0),
    "narrow cone": ({"radial_farthest": 63.0}, {"falloff": "cone"}, 0.0),
    "behind": ({}, {"side": "negative"}, 0.0),
    "in front": ({}, {"side": "positive"}, 1.0),
}


def pushed(field):
    """Acceleration of a small piece of cloth at (2, 0, 1) in the first step."""
    points, triangles = grid(1, 1e-3)
    cloth = Cloth(points + [2.0, 0.0, 1.0], triangles)
    positions = run([cloth, field], 1, gravity=STILL, frame_time=1e-2, substeps=1)
    return (positions[-1] - cloth.points).mean(axis=0) / 1e-4


@pytest.mark.parametrize("kind", FORMULAS)
def test_fields_follow_their_formulas(kind):
    numbers, options, expected = FORMULAS[kind]
    field = ForceField(kind, FieldNumbers(**numbers), **options)
    np.testing.assert_allclose(pushed(field), expected, rtol=5e-3, atol=5e-3)


@pytest.mark.parametrize("case", CLIPPED)
def test_fields_end_where_they_should(case):
    numbers, options, part = CLIPPED[case]
    field = ForceField("wind", FieldNumbers(strength=3.0, **numbers), **options)
    assert pushed(field)[2] == pytest.approx(3.0 * part, rel=5e-3, abs=1e-3)


def test_a_moving_field_is_where_it_is_at_every_substep():
    # Its reach passes the cloth in the middle of the frame.
    def numbers(time):
        return FieldNumbers(origin=(0.0, 0.0, -1.0 + 24.0 * time), strength=4.0, farthest=1.5)

    points, triangles = grid(1, 1e-3)
    field = ForceField("wind", numbers, shape="plane")
    cloth = Cloth(points + [0.0, 0.0, 1.0], triangles)
    positions = run([cloth, field], 1, gravity=STILL, substeps=4)
    # It acts in the last three of four steps: 1 + 2 + 3.
    h = FRAME / 4
    moved = (positions[0] - cloth.points)[:, 2].mean()
    assert moved == pytest.approx(4.0 * h * h * 6.0, rel=5e-3)


def test_drag_brakes_and_magnets_turn():
    points, triangles = grid(1, 1e-3)
    going = {"velocities": np.array([2.0, 0.0, 0.0])}
    drag = ForceField("drag", FieldNumbers(strength=0.0, damping=1.5))
    cloth = Cloth(points, triangles, **going)
    slow = speed(run([cloth, drag], 24, gravity=STILL, substeps=8), 0)
    assert slow == pytest.approx(2.0 * np.exp(-1.5 * 23.5 / 24.0), rel=0.01)
    magnet = ForceField("magnetic", FieldNumbers(strength=1.5), shape="plane")
    cloth = Cloth(points, triangles, **going)
    positions = run([cloth, magnet], 24, gravity=STILL, substeps=8)
    turned = np.arctan2(speed(positions, 1), speed(positions, 0))
    assert turned == pytest.approx(-1.5 * 23.5 / 24.0, rel=0.01)


def test_turbulence_differs_from_place_to_place_and_is_the_same_each_time():
    points, triangles = grid(4, 4.0)
    field = ForceField("turbulence", FieldNumbers(strength=5.0, size=1.3), seed=3)
    cloth = Cloth(points, triangles)
    first, second = (run([cloth, field], 2, gravity=STILL)[-1] for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - points).max() > 1e-3
    assert np.ptp((first - points)[:, 2]) > 1e-3


def test_a_field_that_makes_no_sense_is_named():
    with pytest.raises(ValueError, match='Fan: the kind is "blizzard"; it must be one of wind'):
        ForceField("blizzard", FieldNumbers(), name="Fan")
    with pytest.raises(ValueError, match="Fan: strength is nan; it must be a finite number"):
        run([sheet(), ForceField("wind", FieldNumbers(strength=np.nan), name="Fan")], 1)


def test_quasistatic_cloth_bulges_in_the_wind_as_under_a_load():
    points, triangles = grid(8, 1.0)
    border = np.flatnonzero((np.abs(points[:, :2] - 0.5) > 0.499).any(axis=1))
    pressure = 0.5 * 1.25 * 1.2 * 20.0**2
    results = []
    for bodies, gravity in (
        ([ForceField("wind", FieldNumbers(strength=20.0), blows=True)], STILL),
        ([], (0.0, 0.0, pressure / 0.2)),
    ):
        cloth = Cloth(points, triangles, Material(density=0.2, drag=1.2), Pins(border))
        positions = run(
            [cloth, *bodies], 4, gravity=gravity, quasistatic=True, iterations=100, substeps=1
        )
        results.append((positions[-1] - points)[:, 2].max())
    # The wind sees the slanting faces with cos², the load with their rest area.
    assert results[0] == pytest.approx(results[1], rel=0.1)
    assert results[0] > 0.01


def test_weights_of_fields_are_checked():
    for weight, wrong in ((-1.0, "the field Wind is .*not negat"), (np.nan, "Wind is nan")):
        with pytest.raises(ValueError, match=f"Cloth: the weight of {wrong}"):
            Cloth(*grid(2), field_weights={"Wind": weight})


def test_a_texture_pushes_every_vertex_as_it_is_told():
    def texture(time, points):
        return np.stack([points[:, 0], np.full(len(points), time), 0.0 * points[:, 0]], axis=1)

    field = ForceField("texture", FieldNumbers(strength=2.0), texture=texture)
    points, triangles = grid(2, 1.0)
    loose = Cloth(
        points + 5.0, triangles, Material(density=0.2, youngs_modulus=1e-3, bending_stiffness=0.0)
    )
    (after, last) = run(
        [loose, field], 2, substeps=1, iterations=40, gravity=STILL, air_density=0.0
    )
    first = FRAME**2 * 2.0 * loose.points[:, 0]
    np.testing.assert_allclose((after - loose.points)[:, 0], first, rtol=1e-4)
    second = FRAME**2 * 2.0 * after[:, 0] + first
    np.testing.assert_allclose((last - after)[:, 0], second, rtol=1e-4)
    # The field is evaluated when a frame begins: at the times 0 and FRAME.
    np.testing.assert_allclose((last - loose.points)[:, 1], 2.0 * FRAME**3, rtol=1e-3)


def test_what_does_not_see_a_field_feels_nothing():
    def visibility(_time, points):
        return np.where(points[:, 0] > 0.5, 1.0, 0.25)

    field = ForceField(
        "force", FieldNumbers(strength=3.0, origin=STILL), shape="plane", visibility=visibility
    )
    points, triangles = grid(2, 1.0)
    loose = Cloth(
        points + (0.0, 0.0, 1.0),
        triangles,
        Material(density=0.2, youngs_modulus=1e-3, bending_stiffness=0.0),
    )
    (after,) = run([loose, field], 1, substeps=1, iterations=40, gravity=STILL, air_density=0.0)
    expected = 3.0 * FRAME**2 * visibility(0.0, points)
    np.testing.assert_allclose((after - loose.points)[:, 2], expected, rtol=1e-4)


def test_a_texture_field_needs_a_texture_that_is_finite():
    with pytest.raises(ValueError, match="needs a texture, and other kinds"):
        ForceField("texture", FieldNumbers())
    field = ForceField(
        "texture", FieldNumbers(), name="Cloud", texture=lambda _, points: np.nan * points
    )
    with pytest.raises(
        ValueError, match="Cloud: its texture or visibility is not a finite number at"
    ):
        run([sheet(), field], 1)
