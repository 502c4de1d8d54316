# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of frames with contact, compared with other solvers and with an older version.

    python -m vbd.benchmarks.contact_speed sheet [--sides 64 128] [--wall] [--peer SCRIPT]
        [--python PYTHON]
    python -m vbd.benchmarks.contact_speed gallery [NAME ...] [--before FOLDER] [--meshes FOLDER]
    python -m vbd.benchmarks.contact_speed shares [NAME ...] [--meshes FOLDER]

`sheet`: a sheet of cotton, 2 m wide, falls 0.8 m onto a sphere, at default settings; SCRIPT does
the same with Blender's own cloth (`--scene drape --resolution N --frames N`, one JSON object as
output) where PYTHON has Blender as a module. `gallery`: scenes of the gallery with this version and
with another one, where FOLDER holds its checkout, named vbd. `shares`: time of one thread by
kernel.

All times are of separate processes that alternate frame by frame: CPU time of one thread, which
other programs disturb least, and for the sheet wall-clock time, with `--wall` that of two threads.
The first two frames, which compile and load, are not timed; `--frames` is the number of all.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import numpy as np

from vbd.benchmarks.experiments import contact_scenes, contact_shapes
from vbd.solver.bodies import Cloth
from vbd.solver.descent import step
from vbd.solver.device import launches
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

# Scenes, and frames of each: enough until everything has landed or is wound up.
GALLERY = {"twisted_beams": 90, "towel": 135, "layers": 60}
OF_MESHES = {"octopi": 40, "teapot": 45}
FRAMES, LOADING, RATE = 60, 2, 24.0
SHOWN = 12


def sheet(side):
    """A sheet of side² vertices on a sphere, of the preset Cotton."""
    points, triangles = contact_shapes.sheet((side - 1, side - 1), (2.0, 2.0))
    thickness = 0.00025
    cotton = Material(
        thickness=thickness,
        youngs_modulus=1000.0 / thickness,
        poisson_ratio=0.3,
        density=0.13,
        bending_stiffness=11.5e-6,
        damping=0.002,
        friction=0.45,
        drag=1.2,
        self_contact=True,
    )
    cloth = Cloth(points + [0.0, 0.0, 0.8], triangles, cotton, name="Sheet")
    ball = contact_scenes.sphere(0.5, subdivisions=5)
    return contact_scenes.Scene([cloth, ball], Settings(frame_time=1.0 / RATE), FRAMES)


def scene_named(name, meshes):
    """The scene of a name: `sheet64`, or one of the gallery."""
    if name.startswith("sheet"):
        return sheet(int(name.removeprefix("sheet")))
    if name in contact_scenes.SCENES_OF_MESHES:
        return contact_scenes.SCENES_OF_MESHES[name](meshes)
    return contact_scenes.SCENES[name]()


def play(name, frames, threads, meshes):
    """Simulate a frame whenever a line is read, and print its measurements as JSON."""
    scene = scene_named(name, meshes)
    settings = replace(scene.settings, threads=threads)
    played = simulate(scene.bodies, settings, frames)
    for _ in sys.stdin:
        cpu, wall = time.process_time(), time.perf_counter()
        stats = next(played).stats
        took = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        counts = {"searches": stats.searches / settings.substeps, "pairs": stats.pairs}
        print(json.dumps(took | counts), flush=True)


class Player:
    """A process that simulates a scene frame by frame, with the version in a `folder` or with this
    one; `rows` are its measurements.
    """

    def __init__(self, name, frames, threads, meshes=None, folder=None):
        command = [sys.executable, __file__, "play", name, "--frames", frames]
        command += ["--threads", threads, *(["--meshes", meshes] if meshes else [])]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        if folder:
            environment["PYTHONPATH"] = str(folder)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        words = [str(word) for word in command]
        self.process = subprocess.Popen(words, env=environment, text=True, **pipes)
        self.rows = []

    def step(self):
        """Simulate a frame."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("{"):
                self.rows.append(json.loads(line))
                return
        raise SystemExit("a scene has failed")

    def end(self):
        """Close the process; medians and means of its rows behind the first ones."""
        self.process.stdin.close()
        self.process.wait()
        rows = self.rows[LOADING:]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        median = {name: float(np.median(values)) for name, values in columns.items()}
        return median | {f"mean_{name}": float(np.mean(v)) for name, v in columns.items()}


def in_turns(frames, *players):
    """Results of all players when they simulate so many frames and alternate after each."""
    for _ in range(frames):
        for player in players:
            player.step()
    return [player.end() for player in players]


def peer_times(script, python, side, frames):
    """Times [s] of Blender's own cloth, None where that has failed."""
    options = ["--scene", "drape", "--resolution", side, "--frames", frames, "--quality", 5]
    command = [python, script, *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return None
    result = json.loads(run.stdout.splitlines()[-1])
    cpu, wall = result["cpu_seconds_per_frame_median"], result["seconds_per_frame_median"]
    return {"cpu": cpu, "wall": wall}


def tell_sheet(given):
    frames = given.frames or FRAMES
    print(f"| sheet on a sphere, {frames} frames | CPU a frame | time | searches a substep |")
    print("| --- | --- | --- | --- |")
    for side in given.sides:
        threads = (1, 2) if given.wall else (1,)
        runs = in_turns(frames, *(Player(f"sheet{side}", frames, n) for n in threads))
        searches = f"{runs[0]['searches']:.2f} (mean {runs[0]['mean_searches']:.2f})"
        tell_row(f"VBD, {side}²", runs[0]["cpu"], runs[-1]["wall"], searches)
        peer = None
        if given.peer:
            peer = peer_times(given.peer, given.python, side, frames)
        if peer:
            tell_row(f"Blender's own cloth, {side}²", peer["cpu"], peer["wall"], "")
        else:
            why = "its script has failed" if given.peer else "no --peer"
            print(f"| Blender's own cloth | not measured: {why} | | |", flush=True)


def tell_row(name, cpu, wall, searches):
    """A line of the table of sheets; times [s]."""
    print(f"| {name} | {1e3 * cpu:.0f} ms | {1e3 * wall:.0f} ms | {searches} |", flush=True)


def wanted(given):
    """The names of scenes and how many frames of each."""
    scenes = GALLERY | (OF_MESHES if given.meshes else {})
    if not given.meshes:
        print(f"Without --meshes there are no {' and '.join(OF_MESHES)}.", flush=True)
    names = given.names or scenes
    return {name: given.frames or scenes.get(name, FRAMES) for name in names}


def tell_gallery(given):
    print("| scene | frames | before | now | before / now | searches a substep, median, mean |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, frames in wanted(given).items():
        how = name, frames, 1, given.meshes
        players = [Player(*how, given.before)] if given.before else []
        *before, now = in_turns(frames, *players, Player(*how))
        theirs, ratio = "not measured", ""
        if before:
            theirs = f"{1e3 * before[0]['mean_cpu']:.0f} ms"
            ratio = f"{before[0]['mean_cpu'] / now['mean_cpu']:.2f}"
        searches = f"{now['searches']:.2f}, {now['mean_searches']:.2f}"
        ours = f"{1e3 * now['mean_cpu']:.0f} ms"
        print(f"| {name} | {frames} | {theirs} | {ours} | {ratio} | {searches} |", flush=True)


def kernel_name(kernel):
    """The name of a kernel without those of the functions that made it."""
    return kernel.key.split("__")[-1]


class Profile:
    """CPU time by kernel, or by what `name_of` returns for it, of kernels launched one by one from
    here on.
    """

    def __init__(self, name_of=kernel_name):
        self.seconds, self.times, self.name_of = Counter(), Counter(), name_of
        step.can_capture = lambda device: False
        launches.Launch.play = lambda launch: self.play(launch)

    def timed(self, name, call):
        """A function that calls another one and records its time."""

        def noted(*arguments, **options):
            started = time.thread_time()
            result = call(*arguments, **options)
            self.seconds[name] += time.thread_time() - started
            self.times[name] += 1
            return result

        return noted

    def play(self, launch):
        """Replacement of `Launch.play` that times its single part."""
        if launch.pieces:
            ((kind, how),) = launch.pieces
            name = self.name_of(how["kernel"])
            launch.play = self.timed(name, kind(**how, record_cmd=True).launch)
        else:
            launch.play = int
        launch.pieces = ()
        launch.play()


def tell_shares(given):
    """Print the kernels with the largest times, launched one by one on one thread."""
    for name, frames in wanted(given).items():
        profile = Profile()
        scene = scene_named(name, given.meshes)
        count = given.frames or frames
        for frame in simulate(scene.bodies, replace(scene.settings, threads=1), count):
            if frame.index == LOADING:
                profile.seconds.clear()
                profile.times.clear()
        total = sum(profile.seconds.values())
        each = 1e3 * total / (count - LOADING)
        print(f"{name}: {each:.0f} ms a frame in kernels")
        for kernel, seconds in profile.seconds.most_common(given.most):
            number = profile.times[kernel]
            print(
                f"  {kernel:32} {100 * seconds / total:5.1f} %  {number:6} x "
                f"{1e6 * seconds / number:.0f} µs",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("sheet", "gallery", "shares", "play"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sides", type=int, nargs="*", default=(64, 128))
    parser.add_argument("--wall", action="store_true", help="two threads, too")
    parser.add_argument("--frames", type=int)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, default=SHOWN)
    for path in ("--peer", "--before", "--meshes"):
        parser.add_argument(path)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    if given.what == "play":
        play(given.names[0], given.frames, given.threads, given.meshes)
    else:
        {"sheet": tell_sheet, "gallery": tell_gallery, "shares": tell_shares}[given.what](given)


if __name__ == "__main__":
    main()
