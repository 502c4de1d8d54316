# SPDX-License-Identifier: GPL-3.0-or-later
"""Where surfaces touch, and where they are stuck: what a viewport draws of a frame."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.contact.detection.pair_counts import ALL
from ..kernels.contact.measure import find_at_colliders


@dataclass(frozen=True)
class Places:
    """Places of one frame in the world [m], float64."""

    contacts: np.ndarray
    """On the surfaces that are pushed away, [contact, 3]."""
    normals: np.ndarray
    """Where they are pushed to, unit vectors [contact, 3]."""
    stuck: np.ndarray
    """Where surfaces pass through each other and are led apart, and vertices that could not be
    solved and kept their place, [place, 3]."""


def places(model):
    """The `Places` of a model as of now, which has just been measured."""
    x, origin = model.x.numpy().astype(np.float64), model.assembly.origin
    points, normals, apart = _of_pairs(model, x)
    at_colliders = _at_colliders(model, x)
    stuck = [apart, x[: model.vertex_count][model.rejected.numpy() > 0]]
    if model.contact is not None:
        named = [one.place for one in model.contact.intersections.found]
        stuck.append(np.reshape(named, (-1, 3)) - origin)
    return Places(
        np.concatenate([points, at_colliders[0]]) + origin,
        np.concatenate([normals, at_colliders[1]]),
        np.concatenate(stuck) + origin,
    )


def _of_pairs(model, x):
    """Places and normals of pairs that touch, and places of those that are led apart."""
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
    apart = touches["separates"] != 0
    mine = touching & ~apart
    return one_side[mine], touches["normal"][mine].astype(np.float64), one_side[touching & apart]


def _at_colliders(model, x):
    """Places and normals of what touches analytic colliders."""
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
