# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials that change from frame to frame, against closed forms."""

import numpy as np
import pytest
from shapes import box, cell_box, chain, grid, rotation

from vbd.solver.bodies import Cells, Cloth, Collider, Pins, Rod, Solid
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

T = 1.0 / 24.0
STATIC = Settings(quasistatic=True, iterations=100, accuracy=1e-4, gravity=(0.0, 0.0, -9.81))
SLIM = (2, 2, 8), (0.1, 0.1, 0.4)
FIRM = {"youngs_modulus": 1e6, "poisson_ratio": 0.0, "density": 1000.0}


def later(before, after, frame=2):
    """A value that is keyed to another one from a frame on."""
    return lambda time: before if time < (frame - 0.5) * T else after


def hanging(kind, keyed):
    """A bar, sheet or rope that hangs from its upper end, with values in time."""
    if kind is Rod:
        points, edges = chain(9, 0.05)
        points = points[:, [1, 2, 0]] * [1.0, 1.0, -1.0]
        material = Material(youngs_modulus=1e6, thickness=0.01, density=0.08)
        return Rod(points, edges, material, Pins([0]), keyed=keyed)
    if kind is Cloth:
        points, triangles = grid(8, 0.4)
        points = points[:, [0, 2, 1]]
        top = np.flatnonzero(points[:, 2] > 0.4 - 1e-9)
        material = Material(youngs_modulus=1e6, thickness=1e-3, density=1.0, poisson_ratio=0.0)
        return Cloth(points, triangles, material, Pins(top), keyed=keyed)
    points, elements = (box if kind is Solid else cell_box)(*SLIM)
    top = np.flatnonzero(points[:, 2] > 0.4 - 1e-9)
    return kind(points, elements, Material(**FIRM), Pins(top), keyed=keyed)


def sinking(body, frames=3):
    """The depth to which the lower end of a body has sunk in every frame [m]."""
    lowest = np.argmin(body.points[:, 2])
    sunk = [body.points[lowest, 2] - f.exact_positions[0][lowest, 2] for f in
            simulate([body], STATIC, frames)]  # fmt: skip
    return np.array(sunk)


@pytest.mark.parametrize("kind", [Solid, Cells, Cloth, Rod])
@pytest.mark.parametrize(
    ("name", "before", "after", "ratio"),
    [("youngs_modulus", 1e6, 1e7, 0.1), ("density", None, None, 2.0)],
)
def test_a_bar_sinks_as_far_as_its_keyed_stiffness_and_density_say(
    kind, name, before, after, ratio
):
    if name == "density":
        before = getattr(hanging(kind, None).material, name)
        after = 2.0 * before
    sunk = sinking(hanging(kind, {name: later(before, after)}))
    # The elongation ρ g L²/(2 E) is below 1 % in solids, whose energy is linear up to a few of it.
    np.testing.assert_allclose(sunk[1:] / sunk[0], ratio, rtol=0.03)


@pytest.mark.parametrize("floor", ["plane", "mesh"])
@pytest.mark.parametrize("keyed", ["block", "slope"])
def test_a_block_begins_to_slide_when_its_keyed_friction_is_too_low(floor, keyed):
    tilt = rotation([0.0, 1.0, 0.0], np.arctan(0.3))
    points, tets = box((4, 4, 2), (0.2, 0.2, 0.06))
    points = (points - [0.1, 0.1, -0.003]) @ tilt.T
    # The coefficient of a contact is the geometric mean of both sides.
    own, value = Material(youngs_modulus=1e7, friction=0.5), later(0.5, 0.02, 8)
    block = Solid(points, tets, own, keyed={"friction": value} if keyed == "block" else None)
    rubs = value if keyed == "slope" else 0.5
    if floor == "plane":
        slope = Plane([0.0, 0.0, 0.0], tilt @ [0.0, 0.0, 1.0], friction=rubs)
    else:
        corners, triangles = grid(10, 4.0)
        slope = Collider((corners - corners.mean(axis=0)) @ tilt.T, triangles, friction=rubs)
    downhill = tilt @ [1.0, 0.0, 0.0]
    places = [(f.exact_positions[0] @ downhill).mean() for f in
              simulate([block, slope], Settings(), 14)]  # fmt: skip
    speed = np.abs(np.diff(places)) / T
    assert speed[3:6].max() < 0.01
    acceleration = 9.81 * (np.sin(np.arctan(0.3)) - 0.1 * np.cos(np.arctan(0.3)))
    np.testing.assert_allclose(np.diff(speed)[-4:] / T, acceleration, rtol=0.05)


@pytest.mark.parametrize(
    ("kind", "name", "membrane"),
    [
        (Cells, "damping", "stvk"),
        (Solid, "damping", "stvk"),
        (Cloth, "bending_damping", "stvk"),
        (Cloth, "damping", "neo_hookean"),
    ],
)
def test_damping_keyed_from_none_ends_a_swing(kind, name, membrane):
    soft, ends = Material(youngs_modulus=1e5, density=1000.0), []
    if kind is Cloth:
        bends = {"bending_stiffness": 0.05, "adapt_folds": False}
        soft = Material(density=0.5, membrane=membrane, **bends)
        points, elements = grid(4, 0.4)
        held = Pins(np.flatnonzero(points[:, 0] < 0.11))
    else:
        points, elements = (box if kind is Solid else cell_box)((8, 2, 2), (0.4, 0.1, 0.1))
        held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    for keyed in (None, {name: later(0.0, 0.2, 6)}):
        body = kind(points, elements, material=soft, pins=held, keyed=keyed)
        frames = simulate([body], Settings(), 36)
        ends.append(np.array([f.exact_positions[0][:, 2].min() for f in frames]))
    free, damped = ends
    np.testing.assert_array_equal(free[:5], damped[:5])
    # The swing of 1.1 s decays with exp(−k_d ω²/2 t): by the last second to less than a fifth.
    assert np.ptp(damped[-12:]) < 0.2 * np.ptp(free[-12:])


@pytest.mark.parametrize("kind", [Cloth, Rod])
def test_drag_keyed_from_none_brakes_a_fall(kind):
    if kind is Cloth:
        body = Cloth(*grid(4, 0.2), Material(density=0.1, drag=0.0))
    else:
        points, edges = chain(9, 0.05)
        body = Rod(points, edges, Material(density=0.001, thickness=0.005, drag=0.0))
    body.keyed = {"drag": later(0.0, 1.2, 5)}
    heights = [f.exact_positions[0][:, 2].mean() for f in simulate([body], Settings(), 8)]
    acceleration = np.diff(heights, n=2) / T**2
    np.testing.assert_allclose(acceleration[:2], -9.81, rtol=1e-3)
    assert (acceleration[3:] > -0.9 * 9.81).all()


def test_a_sheet_shrinks_as_it_is_keyed():
    points, triangles = grid(6, 0.3)
    own = Material(youngs_modulus=1e6, thickness=1e-3)
    body = Cloth(points, triangles, own, Pins([24]), keyed={"shrink": lambda time: 2.4 * time})
    still = {"quasistatic": True, "gravity": (0.0, 0.0, 0.0)}
    settings = Settings(iterations=300, accuracy=1e-5, **still)
    for frame in simulate([body], settings, 2):
        sides = frame.exact_positions[0][triangles]
        lengths = np.linalg.norm(sides[:, 0] - sides[:, 1], axis=1)
        expected = 0.05 * (1.0 - 0.1 * frame.index)
        np.testing.assert_allclose(lengths.min(), expected, rtol=5e-3)


def everything(keyed=True):
    """Keyed bodies of all kinds in contact, each value on its way from frame 1 to frame 6."""

    def on_its_way(start, rate):
        return lambda time: start * (1.0 + rate * time)

    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    firm = Material(youngs_modulus=1e5, friction=0.4, damping=0.01)
    names = {"youngs_modulus": 1e5, "friction": 0.4, "damping": 0.01, "density": 1000.0}
    ways = {name: on_its_way(start, 6.0 * keyed) for name, start in names.items()}
    cube = Solid(points + [0.0, 0.0, 0.002], tets, firm, keyed=ways, name="Cube")
    points, cells = cell_box((2, 2, 2), (0.2, 0.2, 0.2))
    lump = Cells(points + [0.5, 0.0, 0.002], cells, material=firm, keyed=ways, name="Lump")
    points, triangles = grid(4, 0.3)
    paper = Material(density=0.1, thickness=1e-3, drag=1.2, yield_strain=0.01, crease_radius=0.05)
    names = {"density": 0.1, "drag": 1.2, "bending_stiffness": 1e-5}
    ways = {name: on_its_way(start, 6.0 * keyed) for name, start in names.items()}
    sheet = Cloth(points + [0.0, 0.0, 0.25], triangles, paper, keyed=ways, name="Sheet")
    floor = Plane([0.0, 0.0, 0.0], friction=on_its_way(0.4, 6.0 * keyed))
    return [cube, lump, sheet, floor]


def test_a_restart_amid_a_change_has_the_bits_of_one_that_never_stopped():
    whole, settings = [], Settings(iterations=8)
    for frame in simulate(everything(), settings, 6):
        whole.append(frame.exact_positions)
        if frame.index == 3:
            restart = Restart(3, {name: a.copy() for name, a in frame.state().items()})
    for frame in simulate(everything(), settings, 6, restart=restart):
        for here, there in zip(frame.exact_positions, whole[frame.index - 1], strict=True):
            np.testing.assert_array_equal(here, there)
    still = [f.exact_positions for f in simulate(everything(keyed=False), settings, 6)]
    assert all((np.abs(a - b) > 1e-6).any() for a, b in zip(still[-1], whole[-1], strict=True))


def test_values_keyed_to_what_they_are_change_no_bit():
    keyed, plain = everything(keyed=False), everything(keyed=False)
    for body in plain[:-1]:
        body.keyed = None
    plain[-1].friction = 0.4
    settings = Settings(iterations=8)
    for one, other in zip(simulate(keyed, settings, 4), simulate(plain, settings, 4), strict=True):
        for here, there in zip(one.exact_positions, other.exact_positions, strict=True):
            np.testing.assert_array_equal(here, there)


def test_a_value_that_cannot_be_keyed_is_refused_by_name():
    points, tets = box((1, 1, 1))
    with pytest.raises(ValueError, match="Cube: the keyed"):
        Solid(points, tets, keyed={"poisson_ratio": lambda time: 0.3}, name="Cube")
    with pytest.raises(ValueError, match="tear_strain"):
        Cloth(*grid(2), tear_strain=0.1, keyed={"density": lambda time: 1.0})
    with pytest.raises(ValueError, match="youngs_modulus is keyed, but the material has mu"):
        Solid(points, tets, Material.from_energy(mu=1e4, lam=1e5), keyed={"youngs_modulus": max})
    body = Solid(points, tets, keyed={"density": lambda time: -1.0})
    with pytest.raises(ValueError, match="density"):
        next(simulate([body], Settings(), 1))


@pytest.mark.parametrize("name", ["maximum_force", "strength"])
def test_the_keyed_limit_of_an_attachment_drops_its_load(name):
    points, tets = box((1, 1, 1), (0.1, 0.1, 0.1))
    cube = Solid(points, tets, Material(youngs_modulus=1e6, density=1000.0))
    limit = later(np.inf, 0.1, 4)
    tie = Attachment(cube, np.arange(8), 1e5, points=points, **{name: limit})
    frames = list(simulate([cube, tie], Settings(), 6))
    heights = [frame.exact_positions[0][:, 2].mean() for frame in frames]
    # A kilogram weighs 9.81 N, of which 8 rows of 0.1 N hold 0.8 N, and broken ones nothing.
    held = 0.8 if name == "maximum_force" else 0.0
    assert abs(heights[2] - 0.05) < 1e-3
    np.testing.assert_allclose(np.diff(heights[3:], n=2) / T**2, held - 9.81, rtol=0.02)
    broken = 8 if name == "strength" else 0
    assert [frame.stats.broken for frame in frames] == [0, 0, 0, broken, broken, broken]
