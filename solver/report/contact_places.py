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


def places(model):
    """Return the current `Places` of a model that has just been measured."""
    x, origin = model.x.numpy().astype(np.float64), model.assembly.origin
    points, normals, separating = _of_pairs(model, x)
    at_colliders = _at_colliders(model, x)
    stuck = [separating, x[: model.vertex_count][model.rejected.numpy() > 0]]
    if model.contact is not None:
        known = [one.place for one in model.contact.intersections.found]
        stuck.append(np.reshape(known, (-1, 3)) - origin)
    return Places(
        np.concatenate([points, at_colliders[0]]) + origin,
        np.concatenate([normals, at_colliders[1]]),
        np.concatenate(stuck) + origin,
    )


def _of_pairs(model, x):
    """Return places and normals of touching pairs, and places of separating ones."""
    none = np.zeros((0, 3))
    if not model.surface.can_touch:
        return none, none, none
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
    return (
        one_side[pushed],
        touches["normal"][pushed].astype(np.float64),
        one_side[touching & separating],
    )


def _at_colliders(model, x):
    """Return places and normals of contacts with analytic colliders."""
    none = np.zeros((0, 3))
    if not model.has_analytic_colliders:
        return none, none
    found = wp.zeros(len(model.x), dtype=wp.vec4, device=model.device)
    for first, count in model.surface_ranges():
        model.launches.run(
            find_at_colliders, count, [model.x, model.contact_model], [found], first=first
        )
    found = found.numpy().astype(np.float64)
    touching = found[:, 3] > 0.0
    return x[touching], found[touching, :3]
