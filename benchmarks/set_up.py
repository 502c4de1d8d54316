# SPDX-License-Identifier: GPL-3.0-or-later
"""Set-up of large scenes: seconds by part up to the first frame, and memory.

    python -m vbd.benchmarks.set_up [tets | cells | cube] [--along N] [--threads N] [--profile]

`tets`: a cube of 6 N³ tets, 998,250 by default; `cells`: a ball with an embedded surface of 81,920
triangles, in N cells along it, 315,403 by default; `cube`: the smallest body, a cube of 8 vertices.
Prints CPU time of the main thread and clock time of every part, and the peak memory without that of
the imports. Kernels must be compiled: run it twice.
"""

import argparse
import cProfile
import pstats
import resource
import time

import numpy as np
import warp as wp

from vbd.benchmarks.experiments.contact_shapes import icosphere
from vbd.solver.bodies import CELL_CORNERS, Cells, EmbeddedSurface, Solid
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate
from vbd.solver.topology.meshes import KUHN

ALONG = {"tets": 55, "cells": 83, "cube": 1}
SHOWN = 30


class Watch:
    """Prints what each part takes."""

    def __init__(self):
        self.base, self.part = peak(), "Points"
        self.begin = self.last = time.thread_time(), time.perf_counter()

    def next(self, part):
        """End the last part and begin another."""
        self._show(self.part, self.last)
        self.part, self.last = part, (time.thread_time(), time.perf_counter())

    def _show(self, part, since):
        thread, clock = time.thread_time() - since[0], time.perf_counter() - since[1]
        print(f"{part:28}{thread:8.2f} s {clock:8.2f} s", flush=True)

    def end(self, count, kind):
        """Print the totals for `count` elements."""
        self._show(self.part, self.last)
        self._show("all", self.begin)
        taken = (peak() - self.base) / count
        print(f"{count} {kind}, peak {peak() / 1e9:.2f} GB, {taken / 1e3:.2f} kB each")


def peak():
    """Most memory that the process has had [byte]."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def tets(along):
    """Points and tets of a cube."""
    vertex = np.arange((along + 1) ** 3).reshape(3 * (along + 1,))
    points = np.stack(np.unravel_index(vertex.ravel(), vertex.shape), axis=1) / along
    ends = [tuple(slice(k, along + k) for k in corner) for corner in CELL_CORNERS]
    cells = np.stack([vertex[end].ravel() for end in ends], axis=1)
    return points + [0.0, 0.0, 1.0], cells[:, KUHN].reshape(-1, 4).astype(np.int32)


def make(kind, along, watch):
    """The body of a scene."""
    jelly = Material(youngs_modulus=1e5, density=1000.0)
    if kind == "tets":
        points, elements = tets(along)
        watch.next("Reading the mesh")
        return Solid(points, elements, jelly)
    if kind == "cube":
        return Cells(CELL_CORNERS + [0.0, 0.0, 1.0], [range(8)], jelly)
    points, triangles = icosphere(6)
    points = points + [0.0, 0.0, 1.5]
    watch.next("Filling the lattice")
    grid = lattice(points, triangles, along)
    watch.next("Embedding the surface")
    surface = EmbeddedSurface(*embed(points, grid), triangles)
    watch.next("Reading the cells")
    return Cells(grid.points, grid.cells, jelly, filling=grid.filling, surface=surface)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=ALONG, default="tets")
    parser.add_argument("--along", type=int, help="cells along a side")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    wp.config.quiet = True
    wp.init()
    watch, profile = Watch(), cProfile.Profile(time.thread_time)
    if given.profile:
        profile.enable()
    body = make(given.kind, given.along or ALONG[given.kind], watch)
    settings = Settings(use_ground=True, threads=given.threads)

    def compiling(done, count):
        watch.next(f"Compiling {done} of {count}")

    def preparing(text):
        watch.next(text)

    for _ in simulate([body], settings, 1, compiling=compiling, preparing=preparing):
        watch.end(len(body.elements), "tets" if given.kind == "tets" else "cells")
    if given.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(SHOWN)


if __name__ == "__main__":
    main()
