# SPDX-License-Identifier: GPL-3.0-or-later
"""Piles: what takes the time where many bodies rest on each other, and how right they are.

    python -m vbd.benchmarks.piles [NAME ...] [--first N] [--frames N] [--every N]
        [--keep FILE]

Prints a line for every frame: CPU time of one thread, its shares by phase, searches of a substep,
contact pairs, and the longest edge over its rest length. With --every also how far the vertices of
every such frame's next substep are from where 300 iterations bring them, root mean square. Ends
with the mean of the frames from --first on. Scenes: `bowl20` and `bowl100`, soft bodies, cloth and
ropes that fall into a bowl; `touching`, cubes that begin near each other; `balls`, in a box;
`chair`, cloths on a chair.
"""

import argparse
import time
from dataclasses import replace

import numpy as np

from vbd.benchmarks.contact_speed import Profile
from vbd.benchmarks.experiments.pile_scenes import SCENES
from vbd.solver.descent.keeping import Restart
from vbd.solver.simulate import simulate
from vbd.solver.topology.graphs import edges_of

CONVERGED = 300
# Kernels by their folder below solver/kernels.
PHASES = {
    "contact.detection": "search",
    "contact.initial": "search",
    "contact.feasibility": "truncation",
    "contact": "pairs",
    "coarse": "coarse",
    "groups": "groups",
    "descent": "sweeps",
}


def phase_of(kernel):
    """The phase to which a kernel belongs."""
    folder = kernel.func.__module__.partition(".kernels.")[2].rpartition(".")[0]
    return next((phase for name, phase in PHASES.items() if folder.startswith(name)), "other")


def longest_edge(bodies, positions):
    """The longest edge of cloths and rods over its rest length."""
    found = 1.0
    for body, points in zip(bodies, positions, strict=True):
        triangles, edges = getattr(body, "triangles", None), getattr(body, "edges", None)
        if triangles is not None:
            edges = edges_of(triangles)[0]
        if edges is not None:
            ends = (np.asarray(p)[edges] for p in (points, body.points))
            length, rest = (np.linalg.norm(e[:, 0] - e[:, 1], axis=1) for e in ends)
            found = max(found, float((length / rest).max()))
    return found


def substep_error(scene, index, state):
    """Distance of the end of a substep from that with 300 iterations, root mean square [m]."""
    settings = scene.settings
    step_time = settings.frame_time / settings.substeps
    once = replace(settings, frame_time=step_time, substeps=1, threads=1)
    ends = []
    for how in (once, replace(once, iterations=CONVERGED, accuracy=0.0)):
        frame = next(iter(simulate(scene.bodies, how, index + 1, restart=Restart(index, state))))
        ends.append(np.concatenate(frame.positions))
    return float(np.sqrt(np.mean(np.sum((ends[0] - ends[1]) ** 2, axis=1))))


def keep(path, positions, **more):
    """Write the positions of all bodies [m] to a file, for examples/crowds.py."""
    counts = [len(points) for points in positions]
    np.savez_compressed(path, points=np.concatenate(positions), counts=counts, **more)


def tell(name, given):
    """Print the frames of a scene and their mean."""
    scene, phases = SCENES[name](), Profile(phase_of)
    count = given.frames or scene.frames
    settings = replace(scene.settings, threads=1)
    names = sorted(set(PHASES.values()) | {"other"})
    print(f"{name}: {sum(len(b.points) for b in scene.deformable)} vertices")
    print(
        "frame  seconds  " + "".join(f"{n:>11}" for n in names) + "  searches  pairs  edge  error"
    )
    rows, started = [], time.thread_time()
    for frame in simulate(scene.bodies, settings, count):
        seconds, shares = time.thread_time() - started, dict(phases.seconds)
        error = float("nan")
        if given.every and frame.index % given.every == 0:
            error = substep_error(scene, frame.index, frame.state())
        stats = frame.stats
        row = [seconds, *(shares.get(n, 0.0) for n in names), stats.searches / settings.substeps]
        row += [stats.pairs, longest_edge(scene.deformable, frame.positions), 1e3 * error]
        rows.append((frame.index, row))
        show(frame.index, row)
        if given.keep:
            keep(given.keep, frame.positions)
        phases.seconds.clear()
        started = time.thread_time()
    later = np.array([row for index, row in rows if index >= given.first])
    show(f"from {given.first}", np.nanmean(later, axis=0))


def show(label, row):
    """Print a row: seconds, then shares, searches, pairs, the longest edge, the error [mm]."""
    seconds, *shares, searches, pairs, edge, error = row
    print(
        f"{label:>5}  {seconds:7.3f}  "
        + "".join(f"{s:11.3f}" for s in shares)
        + f"  {searches:8.1f}  {pairs:5.0f}  {edge:4.2f}  {error:5.2f} mm",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["bowl20"])
    parser.add_argument("--frames", type=int, help="as many as the scene has, unless given")
    parser.add_argument("--first", type=int, default=14, help="first frame of the mean")
    parser.add_argument("--every", type=int, default=0, help="frames between two errors")
    parser.add_argument("--keep", help="file for the last frame, for a picture")
    given = parser.parse_args()
    for name in given.names:
        tell(name, given)


if __name__ == "__main__":
    main()
