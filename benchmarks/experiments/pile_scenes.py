# SPDX-License-Identifier: GPL-3.0-or-later
"""Piles: many bodies that fall onto each other, or begin so; SI units."""

import numpy as np

from vbd.benchmarks.experiments import contact_shapes as shapes
from vbd.benchmarks.experiments.contact_scenes import Scene, cord, cotton, floor, line
from vbd.solver.bodies import Cells, Cloth, Collider, EmbeddedSurface, Rod
from vbd.solver.lattice.contact_mesh import contact_mesh
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material, Settings

SETTINGS = Settings(frame_time=1.0 / 24.0)
JELLY = Material(youngs_modulus=3e4, density=1000.0, damping=0.01, collision_thickness=0.005)
CELLS, VERTICES = 6, 10000
# Kinds of things in the order in which they are thrown: of twenty 13 are soft, 4 cloth, 3 ropes.
KINDS = "cube ball cloth ring cube rope ball".split()


def bowl(radius, depth, count=24):
    """A bowl that opens upwards, with its lowest point at the origin."""
    rings = np.linspace(0.06, 1.0, 8)
    angle = np.arange(count) * 2.0 * np.pi / count
    around = np.stack([np.cos(angle), np.sin(angle), np.ones(count)], axis=1)
    points = [around * [radius * r, radius * r, depth * r * r] for r in rings]
    wall = shapes.grid_triangles(len(rings), count, around=True) + 1
    k = np.arange(count)
    middle = np.stack([np.full(count, -1), k, (k + 1) % count], axis=1) + 1
    triangles = np.concatenate([middle, wall])
    points = np.concatenate([np.zeros((1, 3)), *points])
    corners = points[triangles]
    up = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] > 0.0
    triangles = np.where(up[:, None], triangles, triangles[:, ::-1])
    return Collider(points, triangles, name="Bowl")


def soft(name, points, triangles):
    """A soft body of `CELLS` cells along its longest side."""
    grid = lattice(points, triangles, CELLS)
    points, triangles = contact_mesh(points, triangles, grid.cell_size, VERTICES)
    surface = EmbeddedSurface(*embed(points, grid), triangles)
    return Cells(grid.points, grid.cells, JELLY, surface=surface, name=name)


def thing(kind, name, at, turn):
    """A thing of about 0.25 m with its center at a place [m], turned about z [radians]."""
    c, s = np.cos(turn), np.sin(turn)

    def placed(points):
        return points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + at

    if kind == "cloth":
        points, triangles = shapes.sheet((18, 18), (0.5, 0.5))
        return Cloth(placed(points), triangles, cotton(0.5 / 18), name=name)
    if kind == "rope":
        along = np.linspace(-0.3, 0.3, 31)
        points = np.stack([along, np.zeros(31), np.zeros(31)], axis=1)
        return Rod(placed(points), line(31), cord(0.02), name=name)
    points, triangles = {
        "cube": lambda: shapes.cuboid((0.22, 0.22, 0.22)),
        "ball": lambda: shapes.icosphere(2, 0.13),
        "ring": lambda: shapes.torus(0.1, 0.04, 24, 10),
    }[kind]()
    return soft(name, placed(points), triangles)


def into_a_bowl(count, frames=38):
    """Things that fall into a bowl, in layers of four, or of twelve for a hundred."""
    few = count <= 20
    layer, away = (4, 0.38) if few else (12, 0.9)
    bodies = [bowl(1.0, 0.7) if few else bowl(1.8, 1.2)]
    for k in range(count):
        angle = 2.0 * np.pi * (k % layer) / layer + 0.7 * (k // layer)
        out = away if few or k % 3 else 0.4 * away
        at = [out * np.cos(angle), out * np.sin(angle), 1.0 + 0.35 * (k // layer)]
        bodies.append(thing(KINDS[k % len(KINDS)], f"{k:02}", np.array(at), angle))
    return Scene(bodies, SETTINGS, frames)


def touching():
    """A block of 27 soft cubes, 1 mm beyond their contact distance, that falls onto the floor."""
    spacing = 0.22 + 2.0 * JELLY.collision_thickness + 1e-3
    places = np.stack(np.meshgrid(*3 * [np.arange(3)], indexing="ij"), axis=-1).reshape(-1, 3)
    centers = spacing * places - [spacing, spacing, 0.0] + [0.0, 0.0, 0.125]
    named = enumerate(centers)
    return Scene([floor()] + [thing("cube", f"{k:02}", at, 0.0) for k, at in named], SETTINGS, 38)


def box_of_balls():
    """Forty soft balls that fall into a box."""
    inner = np.array([0.9, 0.9, 0.8])
    points, triangles = shapes.open_box(inner, 0.1)
    bodies = [Collider(points, triangles, name="Box")]
    for k in range(40):
        at = [0.29 * (k % 3 - 1), 0.29 * (k // 3 % 3 - 1), 0.16 + 0.3 * (k // 9)]
        shift = 0.01 * np.array([np.sin(5.0 * k), np.cos(3.0 * k), 0.0])
        bodies.append(thing("ball", f"{k:02}", np.array(at) + shift, 0.4 * k))
    return Scene(bodies, SETTINGS, 38)


def on_a_chair():
    """Four cloths, one above the other, thrown onto a seat with a back."""
    seat = shapes.cuboid((0.6, 0.6, 0.08), (0.0, 0.0, 0.5))
    back = shapes.cuboid((0.6, 0.08, 0.6), (0.0, 0.4, 0.7))
    bodies = [floor(), Collider(*seat, name="Seat"), Collider(*back, name="Back")]
    for k in range(4):
        points, triangles = shapes.sheet((30, 30), (0.9, 0.9))
        c, s = np.cos(0.5 * k), np.sin(0.5 * k)
        turned = points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        at = [0.05 * k, 0.1, 1.2 + 0.12 * k]
        bodies.append(Cloth(turned + at, triangles, cotton(0.03), name=f"Cloth {k + 1}"))
    return Scene(bodies, SETTINGS, 48)


SCENES = {
    "bowl20": lambda: into_a_bowl(20),
    "bowl100": lambda: into_a_bowl(100, 60),
    "touching": touching,
    "balls": box_of_balls,
    "chair": on_a_chair,
}
