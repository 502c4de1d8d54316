# SPDX-License-Identifier: GPL-3.0-or-later
"""Places where surfaces touch or are stuck, for a viewport."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact.detection.pair_counts import ALL
from ..kernels.contact.measure import find_at_colliders


@dataclass(frozen=True)
class Places:
    """Places of one frame in the world [m], float64."""

    contacts: np.ndarray
    """Points of contact on the surfaces that are pushed away, [contact, 3]."""
    normals: np.ndarray
    """Directions in which they are pushed, unit vectors [contact, 3]."""
    stuck: np.ndarray
    """Intersections of surfaces that are being separated, and vertices whose steps were rejected,
    [place, 3]."""
    deepest: int | None
    """Number of the body that is deepest in another surface; None without contact."""


def places(model):
    """Return the current `Places` of a model that has just been measured."""
    x, origin = model.x.numpy().astype(np.float64), model.assembly.origin
    of_pairs, separating = _of_pairs(model, x)
    at_colliders = _at_colliders(model, x)
    points, normals, bodies, depths = map(np.concatenate, zip(of_pairs, at_colliders, strict=True))
    stuck = [separating, x[: model.vertex_count][model.rejected.numpy() > 0]]
    if model.contact is not None:
        known = [one.place for one in model.contact.intersections.found]
        stuck.append(np.reshape(known, (-1, 3)) - origin)
    deepest = int(bodies[depths.argmax()]) if len(depths) else None
    return Places(points + origin, normals, np.concatenate(stuck) + origin, deepest)


def _nothing():
    """Places, normals, numbers of bodies and depths of no contact."""
    return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, np.int32), np.zeros(0)


def _of_pairs(model, x):
    """Return places, normals, bodies and depths [m] of touching pairs, and places of separating
    ones.
    """
    if not model.surface.can_touch:
        return _nothing(), np.zeros((0, 3))
    lists = model.lists
    count = int(lists.counts.numpy()[ALL])
    touches, near = lists.touches[:count].numpy(), lists.state[:count].numpy()["near"] != 0
    touches = touches[near]
    corners, weights = x[touches["vertices"]], touches["weights"].astype(np.float64)
    gap = np.einsum("pk,pki,pi->p", weights, corners - corners[:, :1], touches["normal"])
    touching = gap < touches["radius"]
    one_side = np.einsum("pk,pki->pi", np.maximum(weights, 0.0), corners)
    separating = touches["separates"] != 0
    pushed = touching & ~separating
    bodies = model.surface.body[touches["vertices"][pushed]].min(axis=1)  # before colliders
    depths = (touches["radius"] - gap)[pushed]
    normals = touches["normal"][pushed].astype(np.float64)
    return (one_side[pushed], normals, bodies, depths), one_side[touching & separating]


def _at_colliders(model, x):
    """Return places, normals, bodies and depths [m] of contacts with analytic colliders."""
    if not model.has_analytic_colliders:
        return _nothing()
    found = wp.zeros(len(model.x), dtype=wp.vec4, device=model.device)
    for first, count in model.surface_ranges():
        model.launches.run(
            find_at_colliders, count, [model.x, model.contact_model], [found], first=first
        )
    found = found.numpy().astype(np.float64)
    touching = np.flatnonzero(found[:, 3] > 0.0)
    bodies = model.surface.body[touching]
    return x[touching], found[touching, :3], bodies, found[touching, 3]
