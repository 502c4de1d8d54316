# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start as in a frame of an earlier bake (Apply as Start), from rest."""

from dataclasses import replace

import numpy as np

from ...solver.messages import message
from ..objects.start_shape import kept_points
from .start_velocity import carried

# Steps of the fit of a lattice to its surface: what they leave is below a thousandth of a cell.
STEPS = 50
# Fits in which a smooth skin comes to lie where the points were: most of what is left then are
# bends that the cells do not have.
FITS = 4


def start_as_kept(ob, target, body):
    """Give a body the start shape of its object, if it has one; its rest shape stays. Pinned
    vertices start where they are held.
    """
    points = kept_points(ob)
    if points is None:
        return
    count, now = len(points), len(target.start.points)
    if count != now:
        raise ValueError(message("mesh.start_points", name=ob.name, count=count, points=now))
    if ob.vbd.keeps_shape:
        raise ValueError(message("mesh.start_keeps_shape", name=ob.name))
    target.first = replace(target.start, points=points)
    places, held = target.first.world_points(), body.points
    if target.shape is not None:
        places = target.shape.points(target.first)
    elif target.lattice is not None:
        places = _under_skin(body.points, target, places)
    elif target.own is not None:
        places = places[target.own]
    body.points = np.array(places, dtype=np.float64)
    if body.pins is not None:
        body.points[body.pins.indices] = held[body.pins.indices]


def _under_skin(corners, target, places):
    """Corners of a lattice [corner, 3] that carries the points to their places [point, 3]."""
    moved = _lattice_of(corners, target, places)
    for _ in range(FITS - 1 if target.skin else 0):
        moved = _lattice_of(corners, target, places - target.skin.offsets(moved))
    return moved


def _lattice_of(corners, target, places):
    """Corners of a lattice [corner, 3] whose embedded points are at `places` [point, 3].

    Each corner first moves rigidly with the nearest points; then the smallest change that brings
    the points to their places is found by conjugate gradients.
    """
    moved = carried(corners, target.start.world_points(), places)
    which, weights = target.corners, target.weights[..., None]
    change = np.zeros_like(moved)
    left = places - (moved[which] * weights).sum(axis=1)

    def gathered(of_points):
        total = np.zeros_like(moved)
        np.add.at(total, which, weights * of_points[:, None])
        return total

    slope = direction = gathered(left)
    size = (slope * slope).sum()
    for _ in range(STEPS):
        if not size > 0.0:
            break
        seen = (direction[which] * weights).sum(axis=1)
        step = size / (seen * seen).sum()
        change += step * direction
        left -= step * seen
        slope = gathered(left)
        size, before = (slope * slope).sum(), size
        direction = slope + (size / before) * direction
    return moved + change
