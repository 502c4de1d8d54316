# SPDX-License-Identifier: GPL-3.0-or-later
"""Finer surfaces inside the solids of a random scene, as subdivision gives them."""

from dataclasses import replace

import numpy as np

from vbd.solver.bodies import Cells, EmbeddedSurface, Solid
from vbd.solver.bodies.solids import CELL_CORNERS
from vbd.solver.lattice.contact_mesh import split

# Part of the solids that get such a surface.
PART = 0.25


def with_refined_surfaces(random, scene):
    """Copies of some solids of a scene, with a finer surface, by the id of those they replace."""
    new = {}
    for body in scene.bodies:
        if type(body) in (Solid, Cells) and body.surface is None and random.random() < PART:
            new[id(body)] = replace(body, surface=refined(random, body))
    return new


def refined(random, body):
    """A surface of edges half as long at most, or a third, that is drawn inwards a little."""
    rest = body.rest_points
    edges = rest[body.boundary] - rest[np.roll(body.boundary, 1, axis=1)]
    longest = np.linalg.norm(edges, axis=2).max() * random.choice([0.34, 0.51])
    points, triangles = split(rest, body.boundary, longest)
    used, number = np.unique(triangles, return_inverse=True)
    # All solids of random scenes are convex.
    places, middle = points[used], rest.mean(axis=0)
    places = places + random.choice([0.0, 1e-3, 0.1]) * (middle - places)
    corners, weights = within(body, places)
    return EmbeddedSurface(corners, weights, number.reshape(-1, 3))


def within(body, places):
    """Corners and weights [point, n] of the elements of a body that hold places at rest."""
    if isinstance(body, Cells):
        low = body.rest_points[body.elements[:, 0]]
        side = np.ptp(body.rest_points[body.elements[0]], axis=0).max()
        inner = (places[:, None] - low) / side  # [point, cell, 3]
        out = np.abs(inner - 0.5).max(axis=2)
        cell = np.argmin(out, axis=1)
        t = np.clip(inner[np.arange(len(places)), cell], 0.0, 1.0)[:, None]
        weights = np.where(CELL_CORNERS == 1, t, 1.0 - t).prod(axis=2)
        return body.elements[cell], weights
    corners = body.rest_points[body.elements]  # [tet, 4, 3]
    edges = np.linalg.inv(corners[:, 1:] - corners[:, :1])
    last = np.einsum("ptk,tkj->ptj", places[:, None] - corners[:, 0], edges)
    weights = np.concatenate([1.0 - last.sum(axis=2, keepdims=True), last], axis=2)
    tet = np.argmax(weights.min(axis=2), axis=1)
    found = np.maximum(weights[np.arange(len(places)), tet], 0.0)
    return body.elements[tet], found / found.sum(axis=1, keepdims=True)
