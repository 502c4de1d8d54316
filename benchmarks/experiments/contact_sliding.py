# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that slide and blocks that stick, on planes and mesh slopes, at the default settings.

    python -m vbd.benchmarks.experiments.contact_sliding [slide] [stick] [--only WORD ...]

A block of 20 × 20 × 6 cm of tets, or of cubic cells and as wide, 10 kPa to 10 GPa, 8 to 484
vertices, turned on the slope as the slope is in the world, touches or is dropped from 3 mm. A
sliding block's center of mass has the acceleration g (sin − μ cos) − μ a_n, where a_n is the
acceleration off the slope: 0 but for soft blocks that bounce. A sticking one is at 99 % of the
friction limit.
"""

import argparse
import itertools
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vbd.solver.bodies import Cells, Cloth, Collider, Pins, Solid
from vbd.solver.scene.analytic_colliders import Plane
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

sys.path.append(str(Path(__file__).parents[2] / "tests"))

from shapes import box, cell_box, grid, rotation

SIZE = np.array([0.2, 0.2, 0.06])
REACH = 0.0025 * SIZE.max()
GRAVITY = 9.81
UP = np.array([0.0, 0.0, 1.0])
KINDS = {"tets": Solid, "cells": Cells}
MODULI = (1e4, 1e6, 1e8, 1e10)
DIVISIONS = ((1, 1, 1), (4, 4, 2), (10, 10, 3))
# Tangent of the slope and μ.
SLIDES = ((0.68, 0.15), (1.2, 0.6))
STICKS = ((0.5, 0.5 / 0.99), (0.2, 0.2 / 0.99))
DROPS = (0.0, 0.003)
SLIDE_FRAMES, LANDING_FRAMES, STICK_FRAMES = 12, 48, 240


def oblique(cells, size):
    """An irregular triangulation of a square of the xy plane, turned in it."""
    points, triangles = grid(cells, size)
    points = points - [0.5 * size, 0.5 * size, 0.0]
    points[:, :2] += np.random.default_rng(5).uniform(-0.2, 0.2, (len(points), 2)) * size / cells
    return points @ rotation(UP, 0.4).T, triangles


def centered(cells, size):
    points, triangles = grid(cells, size)
    return points - [0.5 * size, 0.5 * size, 0.0], triangles


def led(mesh, turn):
    points = mesh[0] @ turn.T
    return Collider(lambda _time: points, mesh[1])


def pinned(mesh, turn):
    """A sheet of cloth that is held everywhere."""
    points = mesh[0] @ turn.T
    material = Material(youngs_modulus=1e5, collision_thickness=REACH)
    return Cloth(points, mesh[1], material, Pins(np.arange(len(points)), points))


FLOORS = {
    "plane": lambda turn: Plane([0.0, 0.0, 0.0], turn @ UP),
    "two triangles": lambda turn: Collider((m := centered(1, 20.0))[0] @ turn.T, m[1]),
    "quads": lambda turn: led(centered(40, 4.0), turn),
    "oblique": lambda turn: Collider((m := oblique(80, 4.0))[0] @ turn.T, m[1]),
    "pinned": lambda turn: pinned(oblique(40, 4.0), turn),
}


@dataclass(frozen=True)
class Case:
    """One block on one slope."""

    kind: str
    modulus: float
    divisions: tuple
    floor: str
    drop: float
    tangent: float
    friction: float

    @property
    def turns(self):
        """Angles [rad] of the block about the normal, of the slope about the vertical, by case."""
        seed = zlib.crc32(str(self).encode())
        return np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 2)

    def bodies(self):
        """The block and its floor, and the directions downhill and off the slope."""
        spin, azimuth = self.turns
        turn = rotation(UP, azimuth) @ rotation([0.0, 1.0, 0.0], np.arctan(self.tangent))
        cubes = np.array(self.divisions) * SIZE[0] / self.divisions[0]
        make, size = (box, SIZE) if self.kind == "tets" else (cell_box, cubes)
        rest, elements = make(self.divisions, size)
        rest = rest - [*size[:2] / 2.0, 0.0]
        gap = (2.0 if self.floor == "pinned" else 1.0) * REACH * 1.02 + self.drop
        placed = (rest @ rotation(UP, spin).T + gap * UP) @ turn.T
        material = Material(youngs_modulus=self.modulus)
        block = KINDS[self.kind](placed, elements, material, rest_points=rest)
        return [block, FLOORS[self.floor](turn)], turn @ [1.0, 0.0, 0.0], turn @ UP

    def play(self, frames, **more):
        """Centers downhill and off the slope [m], [frame], and positions [frame, vertex, 3]."""
        bodies, downhill, normal = self.bodies()
        settings = Settings(friction=self.friction, threads=1, **more)
        x = np.array([f.exact_positions[0] for f in simulate(bodies, settings, frames)])
        share = shares(bodies[0])
        center = np.einsum("v,fvk->fk", share, x)
        return center @ downhill, center @ normal, x, settings

    def __str__(self):
        vertices = np.prod(np.array(self.divisions) + 1)
        start = "dropped" if self.drop else "touching"
        slope = f"tan {self.tangent} μ {self.friction:.3f}"
        return (
            f"{self.kind:5s} {self.modulus:.0e} {vertices:3d} {self.floor:13s} {start:8s} {slope}"
        )


def shares(body):
    """Fraction of the mass at every vertex, for boxes of equal elements."""
    counts = np.bincount(body.elements.ravel(), minlength=len(body.points)).astype(float)
    return counts / counts.sum()


def slide(case, **more):
    """Accelerations over those of the law: downhill, and corrected for bouncing; NaN if lost."""
    along, off, _x, settings = case.play(SLIDE_FRAMES, **more)
    angle = np.arctan(case.tangent)
    wanted = GRAVITY * (np.sin(angle) - case.friction * np.cos(angle))
    late = slice(SLIDE_FRAMES // 2 - 1, None)
    time = np.arange(SLIDE_FRAMES)[late] * settings.frame_time
    plain, full = (
        2.0 * np.polyfit(time, way[late], 2)[0] / wanted
        for way in (along, along + case.friction * off)
    )
    return plain, full


def stick(case, **more):
    """Displacements of the center and of the farthest vertex [m] in ten seconds after landing."""
    _along, _off, x, _settings = case.play(LANDING_FRAMES + STICK_FRAMES, **more)
    way = x[LANDING_FRAMES - 1 :] - x[LANDING_FRAMES - 1]
    return np.linalg.norm(way.mean(axis=1), axis=1).max(), np.linalg.norm(way, axis=2).max()


def cases(slopes):
    for tangent, friction in slopes:
        for one in itertools.product(KINDS, MODULI, DIVISIONS, FLOORS, DROPS):
            yield Case(*one, tangent, friction)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", default=["slide", "stick"])
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD")
    given = parser.parse_args()
    for what, slopes in (("slide", SLIDES), ("stick", STICKS)):
        if what not in given.what:
            continue
        for case in cases(slopes):
            if all(word in str(case) for word in given.only):
                if what == "slide":
                    plain, full = slide(case)
                    missed = "" if abs(full - 1.0) < 0.01 else "  MISSED"
                    print(f"{case}: a {plain:.4f}, with bouncing {full:.4f}{missed}", flush=True)
                else:
                    center, most = stick(case)
                    missed = "" if most < 1e-4 else "  MISSED"
                    far = f"{1e3 * center:.4f} mm, at most {1e3 * most:.4f}"
                    print(f"{case}: {far}{missed}", flush=True)


if __name__ == "__main__":
    main()
