# SPDX-License-Identifier: GPL-3.0-or-later
"""Depth of a substep on a GPU, estimated on a CPU: its launches, which wait for each other.

    python -m vbd.benchmarks.depth [NAME ...] [--frames N] [--shown N]

Launches are recorded as for a GPU, and played one by one on one CPU thread. Counted are, per
substep: launches; fills and copies; decisions (branches and loops, whose flags a GPU reads); the
launches of a single thread; the bytes of their arrays. The estimated time of a launch is LAUNCH
plus the time of its longest chain: SLOW times the CPU time of one of its threads, or block of
threads, which is shared out between them; and WAIT for every group of blocks that waits for the
blocks before (solver/kernels/device/turns.py). A row per kernel follows.

A CPU runs code slowly that it has not just run before: what that costs a kernel that adds two
numbers is taken off. Small launches would seem to take 100 µs otherwise.

The measured times, of frames on an H100, are those of docs/performance.md.
"""

import argparse
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from unittest.mock import patch

import numpy as np
import warp as wp

from vbd.benchmarks import contact_speed, devices
from vbd.benchmarks.experiments.device_path import BANDWIDTH, touched
from vbd.solver.descent import step
from vbd.solver.device.launches import Launch, Launches
from vbd.solver.device.threads import Call, Workers
from vbd.solver.kernels.coarse.substitution_gpu import groups_of
from vbd.solver.simulate import Simulation

# Time of a dependent launch in a graph [s], with its share of what decisions cost more, and the
# time of a GPU thread over that of a CPU thread for the same code: both as the H100's frames say
# (experiments/2026-11-28-depth.md).
LAUNCH, SLOW = 17e-6, 94.0
# Threads of a block that work side by side: they wait for each other. In turns they hardly do.
WARP = 32
# Time for the blocks of a group to see that those before have ended [s]: about that of a barrier of
# a whole V100 (Zhang et al., "A Study of Single and Multi-device Synchronization Methods in Nvidia
# GPUs", 2020); and time from a diagonal tile of a decomposition to the next: a wait, and 22 times
# that a block meets, with 0.1 to 0.2 µs of dependent arithmetic behind each.
WAIT, TILE = 2e-6, 5e-6
# The time of code that has not just run is asked for behind so many launches.
BETWEEN_PROBES = 37
SKIPPED, FRAMES, SHOWN = 6, 3, 14
# Fills and copies, which are launches as well, and reads of flags.
FILLS = ((wp.array, "fill_"), (wp.array, "zero_"), (wp, "copy"))
# Scenes, and measured times of a frame on an H100 [ms].
SCENES = {
    "hanging sheet of 64²": (partial(devices.hanging, 64), 57.0),
    "bar of 16 × 16 × 160 cells": (partial(devices.bar, 16), 75.0),
    "soft ball on the ground": (partial(devices.ball, 16), 98.0),
    "sheet of 64² on a sphere": (partial(devices.with_contact, contact_speed.sheet, 64), 83.0),
}


@wp.kernel(enable_backward=False)
def do_nothing(first: int):
    """Cost what every launch costs."""


@wp.kernel(enable_backward=False)
def add_one(first: int, number: wp.array[int]):
    """Cost what every launch costs whose code has not just run."""
    number[0] = number[0] + 1


def call_of(kernel, *arrays):
    """Return a call of a kernel by one thread."""
    return Call(Launches("cpu", Workers(1)).record(kernel, 1, arrays).recorded[0])


def call_of_nothing():
    """Return a call of a kernel that does nothing."""
    return call_of(do_nothing)


def call_of_probe():
    """Return a call of a kernel that adds two numbers."""
    return call_of(add_one, wp.zeros(1, dtype=int, device="cpu"))


# Groups of kernels that have always as many.
GROUPS = {"check_errors": 3, "choose_and_move": 2}


def groups_in(name, how):
    """Return how many groups of blocks of a launch wait for each other; None where none do."""
    if name in GROUPS:
        return GROUPS[name]
    if name == "sweep_vertices":
        return len(np.unique(how["inputs"][1].numpy()))
    if name == "decompose":
        return int(np.diff(how["inputs"][3].first.numpy()).max())
    if name == "solve":
        return 3 + groups_of(how["inputs"][1])
    return None


def time_of(function):
    """Return the CPU time of a call [s]."""
    started = time.thread_time()
    function()
    return time.thread_time() - started


@dataclass
class Kernel:
    """Plays of a kernel: their numbers of `threads`, and CPU times [s] with the number of threads
    that share them; `waits` [s] are those for other blocks.
    """

    threads: list = field(default_factory=list)
    shared: list = field(default_factory=list)
    waits: float = 0.0
    bytes: float = 0.0

    def chains(self, cold):
        """Return the time of one thread of all plays [s], less `cold` [s] for each play."""
        return sum(max(seconds - cold, 0.0) / threads for seconds, threads in self.shared)


@dataclass
class Counts:
    """Counts while `on`, in so many `steps` and `iterations`; `kernels` by name. Within iterations
    there are `inner` launches, fills, copies and decisions, and `alone`, by name, of one thread.
    """

    kernels: dict = field(default_factory=lambda: defaultdict(Kernel))
    alone: Counter = field(default_factory=Counter)
    fills: int = 0
    decisions: int = 0
    steps: int = 0
    iterations: int = 0
    inner: int = 0
    on: bool = False
    is_inner: bool = False
    nothing: Call = field(default_factory=call_of_nothing)
    probe: Call = field(default_factory=call_of_probe)
    probes: list = field(default_factory=list)
    calls: dict = field(default_factory=dict)

    def play(self, play, launch):
        """Play a launch, and count it; the time of a launch of nothing is taken off."""
        if not (self.on and launch.pieces):
            play(launch)
            return
        ((_, how),) = launch.pieces
        call = self.calls.setdefault(launch, Call(launch.recorded[0]))
        self.nothing()
        if self.launches % BETWEEN_PROBES == 0:
            self.probes.append(time_of(self.probe) - time_of(self.nothing))
        seconds = time_of(call) - time_of(self.nothing)
        name = how["kernel"].key.split("__")[-1]
        kernel = self.kernels[name]
        blocks, block = int(np.prod(how["dim"])), how.get("block_dim", 1)
        kernel.threads.append(blocks * block)
        kernel.bytes += touched(how)
        self.inner += self.is_inner
        self.alone[name] += self.is_inner and blocks * block == 1
        self.on = False  # what this reads is no decision
        groups = groups_in(name, how)
        self.on = True
        if name == "decompose":  # as long as its chain of tiles
            kernel.waits += TILE * groups
            return
        if groups is None:
            kernel.shared.append((seconds, blocks * min(block, WARP)))
        else:
            kernel.shared.append((seconds, blocks * block / groups))
            kernel.waits += WAIT * (groups - 1)

    def count(self, name, function, *arguments, **how):
        """Call a function, and count that."""
        if self.on:
            setattr(self, name, getattr(self, name) + 1)
            self.inner += self.is_inner
        return function(*arguments, **how)

    @property
    def launches(self):
        return sum(len(kernel.threads) for kernel in self.kernels.values())

    @property
    def single(self):
        """Launches of one thread."""
        return sum(kernel.threads.count(1) for kernel in self.kernels.values())

    @property
    def depth(self):
        """Estimated time on a GPU [s]."""
        kernels = sum(map(self.estimate, self.kernels.values()))
        return kernels + LAUNCH * (self.fills + self.decisions)

    @property
    def cold(self):
        """CPU time of a kernel that adds two numbers, whose code has not just run [s]."""
        return float(np.median(self.probes))

    def chains(self, kernel):
        """Return the time of the chains of all plays of a kernel on a GPU [s]."""
        return SLOW * kernel.chains(self.cold) + kernel.waits

    def estimate(self, kernel):
        """Return the estimated time of all plays of a kernel on a GPU [s]."""
        chains = max(self.chains(kernel), kernel.bytes / BANDWIDTH)
        return LAUNCH * len(kernel.threads) + chains


def counted(bodies, settings, skipped, frames):
    """Return the `Counts` of all substeps of so many frames behind those skipped."""
    counts = Counts()

    def counting(owner, name, what):
        function = getattr(owner, name)

        def counted(*arguments, **how):
            return counts.count(what, function, *arguments, **how)

        return patch.object(owner, name, counted)

    plain = Launch.__call__
    with ExitStack() as stack:
        enter = stack.enter_context
        enter(patch.object(Launches, "are_wide", True))
        enter(patch.object(step, "can_capture", lambda device: False))
        enter(patch.object(Launch, "__call__", lambda launch: counts.play(plain, launch)))
        for owner, name in FILLS:
            enter(counting(owner, name, "fills"))
        enter(counting(wp.array, "numpy", "decisions"))
        simulation = Simulation(bodies, replace(settings, threads=1))
        stepper, played = simulation.stepper, simulation.frames(skipped + frames)
        for _ in range(skipped):
            next(played)
        solve = stepper.solve

        def watched():
            counts.on = True
            solve()
            counts.on = False
            counts.steps += 1
            counts.iterations += stepper.convergence.done

        run = stepper.iterations.run

        def within(body):
            counts.is_inner = True
            run(body)
            counts.is_inner = False

        stepper.solve, stepper.iterations.run = watched, within
        for _ in range(frames):
            next(played)
    return counts


def tell(name, counts, substeps, measured, shown):
    """Print a scene: its row, and those of its kernels."""
    steps = counts.steps
    numbers = counts.launches, counts.fills, counts.decisions, counts.single
    row = " | ".join(f"{number / steps:.0f}" for number in numbers)
    iterations = counts.iterations / steps
    print(
        f"| {name} | {iterations:.1f} | {row} "
        f"| {1e3 * counts.depth / steps:.2f} ms | {measured / substeps:.1f} ms |"
    )
    kernels = sorted(counts.kernels.items(), key=lambda item: -counts.estimate(item[1]))
    for kernel, plays in kernels[:shown]:
        number, each = len(plays.threads), 1e3 * counts.estimate(plays) / steps
        print(
            f"    {kernel:28s} {each:7.3f} ms {number / steps:6.1f} × "
            f"{min(plays.threads)} to {max(plays.threads)} threads, longest chain "
            f"{1e6 * counts.chains(plays) / number:.0f} µs, {plays.bytes / steps / 1e6:.1f} MB",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of scenes")
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--shown", type=int, default=SHOWN, help="kernels of each scene")
    given = parser.parse_args()
    print("per substep:")
    print("| scene | iterations | launches | fills | decisions | single | estimated | measured |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, (build, measured) in SCENES.items():
        if given.names and not any(part in name for part in given.names):
            continue
        bodies, settings = build()
        counts = counted(bodies, settings, SKIPPED, given.frames)
        tell(name, counts, settings.substeps, measured, given.shown)


if __name__ == "__main__":
    main()
