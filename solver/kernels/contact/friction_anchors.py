# SPDX-License-Identifier: GPL-3.0-or-later
"""Sticking friction: the tangential displacement of each contact between steps (law.py)."""

import warp as wp

from ..device.options import OPTIONS
from ..device.thread_shares import share_of
from .analytic_colliders import (
    ContactModel,
    carried_along,
    direction_and_distance,
    distance_at_start,
)
from .detection.pair_counts import OF_EDGES, OF_VERTICES
from .law import ContactLaw, pulled_aside, tangential
from .pairs import Anchor, Pair, PairState, Touch, gap_of

wp.set_module_options(OPTIONS)


@wp.kernel
def anchor_pairs(
    first: int,
    shares: int,
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    touches: wp.array[Touch],
    state: wp.array[PairState],
    law: ContactLaw,
    # out
    pulled: wp.array[wp.vec3],
):
    """Find the tangential displacement [m] of A against B of touching pairs, 0 of others."""
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        aside = wp.vec3(0.0)
        if state[p].near != 0:
            touch = touches[p]
            gap = gap_of(touch, x)
            if wp.dot(touch.normal, gap) < touch.radius:
                aside = pulled_aside(gap - touch.start_gap, touch.normal, law)
        pulled[p] = aside


@wp.kernel
def anchor_at_colliders(
    first: int,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    # in and out
    model: ContactModel,
):
    """Find the tangential displacements at all analytic colliders. One thread per vertex."""
    s = first + wp.tid()
    now = x[s]
    at_start = x_start[s]
    vertices = model.state.radius.shape[0]
    radius = model.state.radius[s] + model.state.multiplier[s]
    for k in range(model.colliders.kind.shape[0]):
        near = direction_and_distance(model.colliders, k, now)
        normal = wp.vec3(near[0], near[1], near[2])
        pulled = wp.vec3(0.0)
        is_pushed_out = near[3] < 0.0 or distance_at_start(model.colliders, k, at_start) < 0.0
        if near[3] < radius and not is_pushed_out:
            before = tangential(model.state.pulled[k * vertices + s], normal)
            motion = now - carried_along(model.colliders, k, at_start)
            pulled = pulled_aside(motion + before, normal, model.law)
        model.state.pulled[k * vertices + s] = pulled


@wp.kernel
def remember_pairs(
    first: int,
    shares: int,
    pairs: wp.array[Pair],
    pulled: wp.array[wp.vec3],
    counts: wp.array[int],
    # out
    anchors: wp.array[Anchor],
):
    """Save the partners, tangential displacements, contact distances and separating normals of all
    pairs before a search replaces their list.
    """
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        anchors[p].other = pairs[p].other
        anchors[p].pulled = pulled[p]
        anchors[p].radius = pairs[p].radius
        anchors[p].multiplier = pairs[p].multiplier
        anchors[p].normal = pairs[p].plane_normal
