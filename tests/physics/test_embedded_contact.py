# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact on a surface embedded in a lattice cage."""

import numpy as np
import pytest
from intersections import intersecting_pairs, joined
from shapes import plane

from vbd.solver.bodies import Collider, EmbeddedSurface, Solid
from vbd.solver.lattice import cage, embed
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate


def bumpy_ball(size, rows=14):
    """A closed surface that is not convex: a sphere with bumps, about `size` [m] in diameter."""
    theta, phi = np.meshgrid(
        np.linspace(0.0, np.pi, rows + 1)[1:-1], np.linspace(0.0, 2.0 * np.pi, 2 * rows + 1)[:-1]
    )
    theta, phi = theta.T.ravel(), phi.T.ravel()
    radius = 0.5 * size * (1.0 + 0.15 * np.sin(4.0 * phi) * np.sin(theta) ** 2)
    ring = np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=1
    )
    points = np.concatenate([radius[:, None] * ring, [[0, 0, 0.5 * size], [0, 0, -0.5 * size]]])
    n, top = 2 * rows, len(ring)
    quads = [
        (r * n + k, (r + 1) * n + k, (r + 1) * n + (k + 1) % n, r * n + (k + 1) % n)
        for r in range(rows - 2)
        for k in range(n)
    ]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    triangles += [(top, k, (k + 1) % n) for k in range(n)]
    last = (rows - 2) * n
    triangles += [(top + 1, last + (k + 1) % n, last + k) for k in range(n)]
    return points, np.array(triangles)


def caged(points, triangles, resolution=5, **more):
    """A `Solid` in a lattice cage that touches with its surface."""
    lattice = cage(points, triangles, resolution)
    surface = EmbeddedSurface(*embed(points, lattice), triangles)
    material = Material(youngs_modulus=3e4, collision_thickness=0.004, friction=0.4)
    return Solid(lattice.points, lattice.tets, material, surface=surface, **more)


def visible(bodies, positions):
    """The surfaces of bodies as meshes."""
    return [
        (b.surface.points(x), b.surface.triangles) for b, x in zip(bodies, positions, strict=False)
    ]


def test_the_visible_surfaces_never_meet():
    points, triangles = bumpy_ball(0.3)
    bodies = [
        caged(points + [0.0, 0.0, 0.2], triangles, name="Low"),
        caged(points + [0.05, 0.02, 0.56], triangles, name="High"),
    ]
    floor = Collider(*plane(2.0))
    settings = Settings(substeps=4, iterations=10)
    pairs = 0
    for frame in simulate([*bodies, floor], settings, 24):
        meshes = [*visible(bodies, frame.exact_positions), plane(2.0)]
        found = intersecting_pairs(*joined(meshes)[:2])
        print(frame.index, frame.stats.pairs, frame.stats.deepest, frame.stats.truncated, frame.stats.searches, frame.stats.seconds, [m[0][:,2].min() for m in meshes[:2]], len(found))
        assert not len(found), frame.index
        pairs = max(pairs, frame.stats.pairs)
    assert pairs > 10
    lowest = visible(bodies, frame.exact_positions)[0][0][:, 2].min()
    assert 0.0 < lowest < 0.005  # the cage alone would hold it higher
