# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches that are recorded differently on a GPU, played on the CPU."""

from functools import partial

import numpy as np
import pytest
import warp as wp
from shapes import box, bumpy_ball, grid, in_cells

from vbd.benchmarks import contact_speed, depth, devices
from vbd.solver.bodies import Cloth, Collider, Pins, Solid
from vbd.solver.descent.iterations import Iterations
from vbd.solver.device.launches import Launches
from vbd.solver.kernels.device.blocks import block_sum, is_last_block
from vbd.solver.kernels.device.turns import TURNS, end_turn, take_turn, wait_for_turns
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation, simulate


def landing():
    """A block that lands on a sheet, which hangs over the edges of a smaller block."""
    points, tets = box((2, 2, 2))
    sheet, triangles = grid(6)
    material = Material(youngs_modulus=1e5, density=1000.0, collision_thickness=0.005)
    table, faces = box((1, 1, 1))
    return [
        Solid(0.2 * points + [0.4, 0.4, 0.12], tets, material),
        Cloth(sheet + [0.0, 0.0, 0.06], triangles, Material(density=0.2, self_contact=True)),
        Solid(0.5 * table + [0.25, 0.25, -0.5], faces, material),
        Collider(*floor()),
    ]


def floor():
    points, triangles = grid(1)
    return 4.0 * points - [1.5, 1.5, 0.51], triangles


def swinging():
    """A sheet that swings from two corners, and a bar beside it; they cannot touch."""
    points, tets = box((6, 2, 2), (0.6, 0.2, 0.2))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-6))
    sheet, triangles = grid(8)
    return [
        Solid(
            points + [0.0, 2.0, 0.0],
            tets,
            Material(youngs_modulus=1e5, self_contact=False),
            held,
            collides_with=(),
        ),
        Cloth(sheet, triangles, Material(density=0.3, self_contact=False), Pins([0, 8])),
    ]


def piled():
    """Two balls in cells that fall onto each other, over a floor."""
    points, triangles = bumpy_ball(0.3, rows=8)
    balls = [points + [0.0, 0.0, -0.18], points + [0.05, 0.02, 0.45]]
    return [*(in_cells(ball, triangles, 4) for ball in balls), Collider(*floor())]


def ends(bodies, **settings):
    *_, frame = simulate(bodies, Settings(**settings), 8, "cpu")
    return np.concatenate(frame.exact_positions)


# Sums in another order, and a landing that amplifies that.
@pytest.mark.parametrize(
    ("scene", "settings"),
    [
        (landing, {"iterations": 20, "accuracy": 0.0}),
        (piled, {"iterations": 20, "accuracy": 0.0}),
        (swinging, {"iterations": 20, "accuracy": 0.0}),
        (swinging, {"iterations": 40, "accuracy": 1e-3}),
        (swinging, {"iterations": 64, "accuracy": 1e-3, "quasistatic": True}),
    ],
)
def test_a_wide_device_gets_the_same_sums(monkeypatch, scene, settings):
    narrow = ends(scene(), **settings)
    start = np.concatenate([body.points for body in scene() if not isinstance(body, Collider)])
    monkeypatch.setattr(Launches, "are_wide", True)
    wide = ends(scene(), **settings)
    motion = np.linalg.norm(narrow - start)
    assert np.linalg.norm(wide - narrow) < 1e-3 * motion
    assert not np.array_equal(wide, narrow)


@pytest.mark.parametrize("scene", [landing, piled, swinging])
def test_all_colors_in_one_launch_give_the_bits_of_one_launch_each(monkeypatch, scene):
    # Without sums, nothing else differs.
    how = {"coarse_correction": False, "initial_guess": "inertia", "accuracy": 0.0}
    narrow = ends(scene(), **how)
    monkeypatch.setattr(Launches, "are_wide", True)
    played = []
    monkeypatch.setattr(depth.Launch, "play", noted(played, depth.Launch.play), raising=True)
    np.testing.assert_array_equal(ends(scene(), **how), narrow)
    assert any("sweep_vertices" in name for name in played)
    assert not any("solve_vertices" in name for name in played)


def noted(names, play):
    """`Launch.play` that notes the names of kernels at their first play."""

    def noting(launch):
        names.extend(how["kernel"].key for _, how in launch.pieces)
        play(launch)

    return noting


@wp.kernel(enable_backward=False)
def sum_of_squares(
    values: wp.array[wp.float64],
    sums: wp.array[wp.float64],
    ended: wp.array[int],
    total: wp.array[wp.float64],
):
    block, lane = wp.tid()
    value = wp.float64(0.0)
    if lane == 0:
        value = values[block] * values[block]
    sums[block] = block_sum(value)
    if is_last_block(values.shape[0], ended):
        for k in range(values.shape[0]):
            total[0] = total[0] + sums[k]


def test_the_last_block_sees_the_sums_of_all_and_counts_from_zero_again():
    numbers = np.arange(1.0, 8.0)
    values = wp.array(numbers, dtype=wp.float64, device="cpu")
    sums, total = wp.zeros_like(values), wp.zeros(1, dtype=wp.float64, device="cpu")
    ended = wp.zeros(1, dtype=int, device="cpu")
    launches = Launches("cpu", None)
    launch = launches.record(
        sum_of_squares, len(numbers), [values], [sums, ended, total], tile_threads=64
    )
    for times in (1, 2, 3):
        launch()
        assert total.numpy()[0] == times * (numbers**2).sum() and ended.numpy()[0] == 0


@wp.kernel(enable_backward=False)
def pass_on(blocks: int, values: wp.array[int], turns: wp.array[int]):
    turn = take_turn(turns)
    wait_for_turns(turn, turns)
    values[turn + 1] = values[turn] + 1
    end_turn(blocks, turns)


def test_blocks_take_turns_and_count_from_zero_again():
    """Their numbers only: on a CPU blocks run one after the other, and none waits."""
    values, turns = (wp.zeros(count, dtype=int, device="cpu") for count in (6, TURNS))
    launches = Launches("cpu", None)
    launch = launches.record(pass_on, 5, [5], [values, turns], tile_threads=64)
    for times in (1, 2):
        launch()
        assert values.numpy().tolist() == list(range(6))
        assert turns.numpy().tolist() == [0, 0, times]


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_what_waits_together_is_called_where_it_is_due(monkeypatch, watched, fixed, wide):
    model = Simulation(swinging(), Settings(iterations=5), "cpu", None).model
    monkeypatch.setattr(Launches, "are_wide", wide)
    iterations, called = Iterations(model), []

    def noting(name):
        return lambda: called.append((int(iterations.number.numpy()[0]), name))

    due = iterations.when_due
    run = iterations.in_turn(
        [
            due(lambda number: number == 1, noting("second")),
            due(lambda number: number >= 3, noting("watched"), watched=True),
            due(lambda number: number in (1, 3, 4), noting("most")),
            noting("always"),
            due(lambda number: number == 0, noting("first"), when_fixed=lambda number: number == 4),
        ]
    )
    iterations.record()
    iterations.has_fixed_period.fill_(int(fixed))
    model.fraction.fill_(1.0 if watched else 0.5)
    iterations.run(run)
    wanted = []
    for number in range(5):
        wanted += [(number, "second")] * (number == 1)
        wanted += [(number, "watched")] * (number >= 3 and watched)
        wanted += [(number, "most")] * (number in (1, 3, 4))
        wanted += [(number, "always")]
        wanted += [(number, "first")] * (number == (4 if fixed else 0))
    assert called == wanted


# Launches, fills, copies and decisions per iteration: some more than there are, since their number
# differs from one iteration to another. More of them are time on a GPU, where each takes about
# 17 µs (benchmarks/depth.py).
SCENES = {
    "sheet": (partial(devices.hanging, 16), 12.0),
    "bar": (partial(devices.bar, 3), 11.0),
    "ball": (partial(devices.ball, 6), 23.0),
    "sheet on a sphere": (partial(devices.with_contact, contact_speed.sheet, 16), 26.0),
}


@pytest.mark.parametrize("name", SCENES)
def test_launches_of_an_iteration_do_not_grow(name):
    build, most = SCENES[name]
    bodies, settings = build()
    counts = depth.counted(bodies, settings, skipped=2, frames=2)
    assert counts.steps == 2 * settings.substeps and counts.iterations >= counts.steps
    assert 8.0 < counts.inner / counts.iterations <= most
    alone = {kernel for kernel, number in counts.alone.items() if number > counts.steps}
    assert not alone, f"single threads: {alone}"
