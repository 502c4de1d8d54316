# SPDX-License-Identifier: GPL-3.0-or-later
"""Time of frames on the GPU and on all cores of the CPU of a machine.

    python -m vbd.benchmarks.devices [NAME ...] [--frames N] [--seconds S] [--meshes FOLDER]

Both simulate the same scenes alternately, frame by frame, until they have simulated N frames or
either has taken S seconds. Printed are medians of wall-clock time without the first two frames,
which load; the time of compilation; and the difference of the motions: the root mean square over
all vertices of the last frame that both have, as a fraction of that of the motion so far. Where
surfaces touch, rounding alone makes them differ more with every frame.
"""

import argparse
import sys
import time
import traceback
from functools import partial

import numpy as np
import warp as wp

from vbd.benchmarks import contact_speed
from vbd.benchmarks.experiments import contact_scenes, contact_shapes, convergence_scenes
from vbd.solver.bodies import Cells, Deformable, EmbeddedSurface
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

DEVICES = "cpu", "cuda"
FRAMES, SECONDS, LOADING = 36, 40.0, 2


def hanging(side):
    """A sheet of side² vertices that hangs by two corners."""
    return [convergence_scenes.hanging_sheet(side - 1)], Settings(frame_time=1.0 / 24.0)


def bar(cells):
    """A bar of tets that swings."""
    return [convergence_scenes.bar(cells)], Settings(frame_time=1.0 / 24.0)


def ball(resolution):
    """A soft ball of so many cells across that falls onto the ground, at default settings."""
    points, triangles = contact_shapes.icosphere(4, 0.5)
    cells = lattice(points, triangles, resolution)
    surface = EmbeddedSurface(*embed(points, cells), triangles)
    body = Cells(cells.points, cells.cells, Material(), surface=surface, name="Ball")
    settings = Settings(frame_time=1.0 / 24.0, use_ground=True, ground_height=-0.7)
    return [body], settings


def with_contact(build, *arguments):
    """Bodies and settings of a scene of other experiments."""
    scene = build(*arguments)
    return scene.bodies, scene.settings


def scenes(meshes):
    """Functions that build (bodies, settings), by name."""
    found = {}
    for side in (64, 128, 256):
        found[f"hanging sheet of {side}²"] = partial(hanging, side)
    for cells in (8, 16):
        name = f"bar of {cells} × {cells} × {10 * cells} cells of tets"
        found[name] = partial(bar, cells)
    for resolution in (16, 48):
        found[f"soft ball on the ground, {resolution} cells across"] = partial(ball, resolution)
    for side in (64, 128, 256):
        name = f"sheet of {side}² on a sphere, self contact"
        found[name] = partial(with_contact, contact_speed.sheet, side)
    for build in (
        contact_scenes.layers,
        contact_scenes.twisted_beams,
        contact_scenes.twisted_beams_large,
    ):
        found[build.__name__] = partial(with_contact, build)
    if meshes:
        for build in (contact_scenes.octopi, contact_scenes.teapot, contact_scenes.armadillo):
            found[build.__name__] = partial(with_contact, build, meshes)
    return found


class Player:
    """A scene on a device: `seconds` of its frames, `compiled` [s] before the first one."""

    def __init__(self, build, device, frames):
        bodies, settings = build()
        self.compiled, self.seconds, self.frame = 0.0, [], None
        self.started = None
        self.start = [body.points for body in bodies if isinstance(body, Deformable)]
        self.frames = simulate(bodies, settings, frames, device, compiling=self._compiling)

    def _compiling(self, done, count):
        if done == 0:
            self.started = time.perf_counter()
        if done == count:
            self.compiled = time.perf_counter() - self.started

    def step(self):
        """Simulate a frame."""
        started = time.perf_counter()
        self.frame = next(self.frames)
        self.seconds.append(time.perf_counter() - started)

    def median(self):
        """Median time of the frames behind the first ones [ms]."""
        return 1e3 * float(np.median(self.seconds[LOADING:]))


def difference(one, other):
    """Root mean square of the distance of two players' positions, as a fraction of the motion."""
    here, there = (np.concatenate(player.frame.exact_positions) for player in (one, other))
    motion = here - np.concatenate(one.start)
    return float(np.linalg.norm(here - there) / np.linalg.norm(motion))


def tell(name, build, given):
    """A row of the table."""
    players = [Player(build, device, given.frames) for device in DEVICES]
    for index in range(given.frames):
        for player in players:
            player.step()
        longest = max(sum(player.seconds[1:]) for player in players)
        if index >= LOADING and longest > given.seconds:
            break
    host, device = players
    vertices = sum(len(points) for points in host.frame.exact_positions)
    here, there = host.median(), device.median()
    print(
        f"| {name} | {vertices:,} | {index + 1} | {here:.1f} ms | {there:.1f} ms "
        f"| {here / there:.1f} | {difference(host, device):.1e} "
        f"| {host.compiled:.0f} s, {device.compiled:.0f} s |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of scenes")
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--meshes", help="a folder of tet meshes, for three more scenes")
    given = parser.parse_args()
    if given.frames <= LOADING:
        parser.error(f"the first {LOADING} frames load: at least {LOADING + 1} are needed")
    if not wp.is_cuda_available():
        sys.exit("There is no CUDA device to compare with.")
    print(wp.get_device("cuda").name)
    print("| scene | vertices | frames | CPU | GPU | CPU / GPU | differ by | compiling |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for name, build in scenes(given.meshes).items():
        if given.names and not any(part in name for part in given.names):
            continue
        try:
            tell(name, build, given)
        except (OSError, RuntimeError) as error:
            traceback.print_exc()
            print(f"| {name} | failed: {error} |", flush=True)


if __name__ == "__main__":
    main()
