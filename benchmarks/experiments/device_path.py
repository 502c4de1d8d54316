# SPDX-License-Identifier: GPL-3.0-or-later
"""Launches and bytes of a substep that runs without the host, and its estimated time on a GPU.

    python -m vbd.benchmarks.experiments.device_path [folder with tet meshes]

The demo needs Blender as a Python module, the armadillo its tet mesh; a message takes the place of
a row whose input is missing.

For some scenes, per substep: launches (those of loops as often as they run), branches and loops in
the graph, bytes that kernels touch, and the kernels with the largest share of the time of one CPU
thread. The bytes are an estimate: every thread is assumed to touch its share of all arrays of its
kernel. The time on a GPU is that of launches at 3 µs and of the bytes at its bandwidth, both in
full.
"""

import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import warp as wp

import vbd
from vbd.benchmarks.experiments import contact_scenes, convergence_scenes
from vbd.solver.descent import step
from vbd.solver.device import launches
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation

LAUNCH = 3e-6  # [s]
GPU, BANDWIDTH = "an H100 SXM (3.35 TB/s)", 3.35e12  # [B/s]
SKIPPED, COUNTED, SHOWN = 12, 7, 5
# Beside the checkout.
MESHES = Path(vbd.__file__).resolve().parents[1] / "shared" / "data"


def arrays_of(values):
    """The Warp arrays among arguments, and in structs."""
    for value in values:
        if isinstance(value, wp.array):
            yield value
        elif hasattr(value, "_cls"):
            yield from arrays_of(getattr(value, name) for name in value._cls.vars)


def touched(how):
    """Bytes of the arrays of a launch that its threads can reach."""
    found = [array for array in arrays_of([*how["inputs"], *how["outputs"]]) if array.size]
    threads, longest = how["dim"], max((array.shape[0] for array in found), default=1)
    if not isinstance(threads, int):
        threads = threads[0]
    return min(threads / longest, 1.0) * sum(array.size * array.strides[-1] for array in found)


class Counts:
    """Launches, decisions, bytes and seconds by kernel, while `on`."""

    def __init__(self):
        self.on, self.steps, self.launches, self.decisions, self.bytes = False, 0, 0, 0, 0.0
        self.seconds = Counter()

    def play(self, launch):
        """Replacement of `Launch.play` that counts its single part."""
        if launch.pieces:
            ((kind, how),) = launch.pieces
            name, play = how["kernel"].key.split("__")[-1], kind(**how, record_cmd=True).launch
            launch.play = partial(self._count, play, touched(how), name)
        else:
            launch.play = launches.nothing
        launch.pieces = ()
        launch.play()

    def _count(self, play, size, name):
        started = time.thread_time()
        play()
        if self.on:
            self.seconds[name] += time.thread_time() - started
            self.launches += 1
            self.bytes += size


def decisions_in(graph_of):
    """Branches and loops in the graph that is captured by a call."""
    found, kinds = [], ("capture_if", "capture_while")
    kept = [getattr(wp, kind) for kind in kinds]

    def counting(capture):
        def counted(*arguments, **ways):
            found.append(capture)
            capture(*arguments, **ways)

        return counted

    for kind, capture in zip(kinds, kept, strict=True):
        setattr(wp, kind, counting(capture))
    try:
        graph_of()
    finally:
        for kind, capture in zip(kinds, kept, strict=True):
            setattr(wp, kind, capture)
    return len(found)


def measured(bodies, settings, skipped, counted):
    """`Counts` of the substeps of some frames behind those skipped, launched one by one."""
    counts = Counts()
    launches.Launch.play = lambda launch: counts.play(launch)
    simulation = Simulation(bodies, settings)
    stepper, frames = simulation.stepper, simulation.frames(skipped + counted)
    for _ in range(skipped):
        next(frames)
    solve = stepper.solve

    def watched():
        counts.on = True
        counts.steps += 1
        solve()
        counts.on = False

    stepper.solve = watched
    for _ in range(counted):
        next(frames)
    counts.decisions = decisions_in(lambda: stepper.model.launches.graph(solve))
    return counts


def row(name, build, skipped=SKIPPED, counted=COUNTED):
    """A line of the table, of the scene that `build` returns as (bodies, settings)."""
    try:
        bodies, settings = build()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        print(f"| {name} | skipped: {error} |", flush=True)
        return
    settings = Settings(**{**vars(settings), "threads": 1})
    counts = measured(bodies, settings, skipped, counted)
    steps = counts.steps
    total = sum(counts.seconds.values())
    shares = [
        f"{kernel} {100 * seconds / total:.0f} %"
        for kernel, seconds in counts.seconds.most_common(SHOWN)
    ]
    number, size = counts.launches / steps, counts.bytes / steps
    gpu = 1e3 * (number * LAUNCH + size / BANDWIDTH)
    print(
        f"| {name} | {number:.0f} | {counts.decisions} | {size / 1e6:.0f} MB "
        f"| {1e3 * total / steps:.1f} ms | {gpu:.1f} ms | {', '.join(shares)} |",
        flush=True,
    )


def sheet():
    """A sheet that hangs."""
    return [convergence_scenes.hanging_sheet(63)], Settings()


def drape():
    """It falls onto a sphere."""
    scene = contact_scenes.cloth_on_sphere(63)
    return scene.bodies, scene.settings


def armadillo(folder):
    """It begins flat."""
    scene = contact_scenes.armadillo(folder)
    return scene.bodies, scene.settings


def demo():
    """Bodies and settings of the demo's bake."""
    sys.path.append(str(Path(vbd.__file__).parent / "examples"))
    import demo as scene

    from vbd.addon.gathering.gather import gather, participants, prepared

    vbd.register()
    scene.build_scene()
    context = scene.bpy.context
    objects = participants(context.scene)
    with prepared(context.scene, objects):
        gathered = gather(context, objects)
    reader = gathered.reader
    reader.wake = reader.fill  # a frame that is taken makes room for another
    while reader.has_room():
        reader.fill()
    return gathered.bodies, gathered.settings


def main(folder=MESHES):
    step.can_capture = lambda device: False
    print(f"| scene | launches | decisions | bytes | CPU, one thread | {GPU} | kernels |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    row("hanging sheet of 64²", sheet)
    row("the same falling onto a sphere, with self contact", drape)
    row("the demo, as its bodies land", demo)
    of_tets = partial(armadillo, folder)
    row("armadillo of 62,770 tets that begins flat, second frame", of_tets, skipped=1, counted=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
