# SPDX-License-Identifier: GPL-3.0-or-later
"""A substep runs without the host: nothing is read, allocated or launched, and bits are equal.

Between substeps the host searches for intersections, at the start of a frame and as long as there
are any, and splits cloth where the device has found that it tears.
"""

from collections import Counter

import numpy as np
import pytest
import warp as wp
from shapes import box, bumpy_ball, chain, grid, in_cells, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.descent import step
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation


def moved(points, by):
    return points + np.asarray(by, float)


def everything():
    """Cloth that swings and tears, a rod tied to a soft body, which passes through another one at
    the start, over a floor that rises, a balloon, and a collider that falls onto the cloth.
    """
    sheet, triangles = grid(8, 0.8)
    left = np.flatnonzero(sheet[:, 0] < 1e-6)
    right = np.flatnonzero(sheet[:, 0] > 0.8 - 1e-6)
    held = np.concatenate([left, right])
    apart = np.zeros((len(held), 3))
    apart[len(left) :, 0] = 0.6
    sheet = moved(sheet, [0.0, 0.0, 1.0])

    def swing(time):
        return sheet[held] + time * apart + [0.0, 0.1 * np.sin(7.0 * time), 0.0]

    pins = Pins(held, swing)
    weak = Material(density=0.3, youngs_modulus=2e4, damping=1e-3)
    cloth = Cloth(sheet, triangles, weak, pins, tear_strain=0.12)
    points, tets = box((3, 3, 3))
    size = np.ptp(points)
    cubes = [
        Solid(moved(0.3 * points / size, corner), tets, Material(youngs_modulus=3e4))
        for corner in ([0.2, 0.2, 0.4], [0.4, 0.3, 0.55])
    ]
    line, edges = chain(8, 0.05)
    rod = Rod(moved(line, [1.0, 0.2, 0.6]), edges, Material(thickness=0.01))
    tie = Attachment(
        cubes[0],
        [26],
        1e3,
        other=rod,
        corners=[[0]],
        weights=[[1.0]],
        strength=50.0,
        damping=2e-3,
        length=0.2,
        shrink_speed=0.1,
    )
    floor, faces = plane(4.0, 0.1)
    ball, shell = bumpy_ball(0.3, rows=6)
    tight = Material(density=0.3, pressure=50.0, keep_volume=True, shrink=0.1)
    return [
        cloth,
        *cubes,
        rod,
        tie,
        Cloth(moved(ball, [-1.2, -1.2, 0.5]), shell, tight),
        Collider(lambda time: moved(floor, [0.0, 0.0, 0.1 * time]), faces),
        Collider(lambda time: moved(ball, [0.4 + 0.2 * time, 0.4, 1.3 - 0.4 * time]), shell),
    ]


def frames_of(bodies, count=48, **settings):
    """Positions of all frames, True if any substep was captured, and the last frame."""
    simulation = Simulation(bodies, Settings(**settings))
    found, captured = [], False
    for last in simulation.frames(count):
        found.append(np.concatenate(last.exact_positions))
        captured |= simulation.stepper.graph is not None
    return np.array(found), captured, last


def test_all_at_once_gives_the_bits_of_plain_launches(monkeypatch):
    found, captured, last = frames_of(everything(), threads=2)
    assert captured and np.isfinite(found).all()
    assert (last.elements[0] != everything()[0].triangles).any(), "nothing has torn"
    alone, _, _ = frames_of(everything(), threads=1)
    np.testing.assert_array_equal(found, alone)
    monkeypatch.setattr(step, "can_capture", lambda device: False)
    wanted, captured, _ = frames_of(everything(), threads=1)
    assert not captured
    np.testing.assert_array_equal(found, wanted)


def let_go():
    """A ball in cells on a floor that falls away: no island is free in the first substeps, which
    are launched one by one before the capture.
    """
    points, triangles = bumpy_ball(0.3, rows=8)
    body = in_cells(moved(points, [0.0, 0.0, 0.152]), triangles, 4)
    floor, faces = plane()
    return [body, Collider(lambda time: floor - [0.0, 0.0, 3.0 * max(time - 0.1, 0.0)], faces)]


def test_a_way_that_is_first_taken_in_a_graph_gives_the_bits_of_plain_launches(monkeypatch):
    how = {"coarse_correction": False, "threads": 1}
    found, captured, _ = frames_of(let_go(), 12, **how)
    assert captured
    monkeypatch.setattr(step, "can_capture", lambda device: False)
    wanted, _, _ = frames_of(let_go(), 12, **how)
    np.testing.assert_array_equal(found, wanted)


def hanging():
    """A sheet that swings from pins, onto a ball that rises; nothing needs the host."""
    points, triangles = grid(6, 0.5)
    pins = Pins([0, 6], lambda time: points[[0, 6]] + [0.0, 0.1 * np.sin(9.0 * time), 0.0])
    ball, shell = bumpy_ball(0.2, rows=6)
    ball = moved(ball, [0.25, 0.25, -0.15])
    rising = Collider(lambda time: moved(ball, [0.0, 0.0, 0.01 * time]), shell)
    return [Cloth(points, triangles, Material(damping=1e-3), pins), rising]


def stretched():
    """Cloth over a floor, pinned beyond its tearing strain by vertices that never split."""
    points, triangles = grid(1)
    up = [0.0, 0.0, 3.0]
    points, wide = moved(points, up), moved(points * [1.2, 1.0, 1.0], up)
    how = {"rest_points": points, "pins": Pins([0, 1, 2]), "tear_strain": 0.1}
    return [Cloth(wide, triangles, Material(), **how), Collider(*plane())]


def watched(monkeypatch):
    """Count how often Warp reads, allocates and launches through Python from now on."""
    counts, context = Counter(), wp._src.context

    def count(owner, name, what):
        function = getattr(owner, name)

        def counting(*args, **kwargs):
            counts[what] += 1
            return function(*args, **kwargs)

        monkeypatch.setattr(owner, name, counting)

    for name in ("numpy", "list", "__array__"):
        count(wp.array, name, "reads")
    count(wp._src.types.array, "_init_new", "allocations")
    count(wp._src.types.array, "_init_from_data", "allocations")
    for owner, name in ((context, "invoke"), (wp, "copy"), (wp, "launch_tiled")):
        count(owner, name, "launches")
    for name in ("fill_", "zero_", "assign"):
        count(wp.array, name, "launches")
    for name in ("array_scan", "radix_sort_pairs", "array_sum"):
        count(wp.utils, name, "launches")
    return counts


@pytest.mark.parametrize(("scene", "threads"), [(hanging, 1), (hanging, 2), (stretched, 1)])
def test_the_host_has_no_part_in_a_substep(scene, threads, monkeypatch):
    simulation = Simulation(scene(), Settings(threads=threads))
    stepper, frames = simulation.stepper, simulation.frames(100)
    for _ in range(10):
        next(frames)
    stepper.begin_frame(11, 11 / 24)
    stepper.step()
    assert stepper.graph is not None
    before = stepper.model.x.numpy().copy()
    counts = watched(monkeypatch)
    for _ in range(3):
        stepper.step()
    assert not counts
    assert (stepper.model.x.numpy() != before).any()


def test_what_the_host_does_is_counted(monkeypatch):
    monkeypatch.setattr(step, "can_capture", lambda device: False)
    simulation = Simulation(hanging(), Settings(threads=1))
    stepper, frames = simulation.stepper, simulation.frames(100)
    next(frames)
    counts = watched(monkeypatch)
    stepper.step()
    wp.zeros(3, dtype=float, device="cpu")
    assert counts["reads"] and counts["allocations"] and counts["launches"] > 100
