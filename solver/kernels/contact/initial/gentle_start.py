# SPDX-License-Identifier: GPL-3.0-or-later
"""Gentle start: bodies that begin within their contact distance are not thrown off.

A contact that is closed by d when a scene begins would open within one step h, with the velocity
d/h: 2 mm are 0.2 m/s at h = 1/96 s, and lift a sheet by 2 mm; 20 mm lift it by 20 cm. So a fraction
of the radius of its vertices is `missing` [vertex, m] at first. The radius grows slower and slower,
as push-out does (push_out.py), and twice as fast where both sides of a pair grow: weight keeps a
body on a support that brakes no faster than it falls.
"""

import warp as wp

from ...device.options import OPTIONS
from ...device.thread_shares import share_of
from ...lattice.embedding import point_position
from ..analytic_colliders import ContactModel, direction_and_distance
from ..contact_state import ContactState
from ..detection.pair_counts import OF_EDGES, OF_VERTICES
from ..pairs import Pair, exact_gap, signed_weights
from .push_out import push_out_step

wp.set_module_options(OPTIONS)


@wp.kernel
def find_missing_of_pairs(
    shares: int,
    x: wp.array[wp.vec3],
    counts: wp.array[int],
    pairs: wp.array[Pair],
    whole: wp.array[float],
    # in and out
    missing: wp.array[float],
):
    """Reduce the `whole` radii [vertex, m] of all vertices of pairs that are closed at x."""
    for p in range(wp.tid(), counts[OF_VERTICES] + counts[OF_EDGES], shares):
        pair = pairs[p]
        v = pair.vertices
        distance = pair.radius - pair.multiplier
        gap = wp.length(exact_gap(signed_weights(pair.kind, v, x), v, x))
        if gap < distance:
            for c in range(4):
                wp.atomic_max(missing, v[c], (1.0 - gap / distance) * whole[v[c]])


@wp.kernel
def find_missing_at_colliders(
    first: int,
    x: wp.array[wp.vec3],
    model: ContactModel,
    whole: wp.array[float],
    # in and out
    missing: wp.array[float],
):
    """Reduce the radii of surface vertices in front of analytic colliders. One thread each."""
    s = first + wp.tid()
    if model.state.hidden[s] != 0:
        return
    now = x[s]
    if s >= model.embedding.first:
        now = point_position(s, x, model.embedding)
    for k in range(model.colliders.kind.shape[0]):
        gap = direction_and_distance(model.colliders, k, now)[3]
        if gap >= 0.0 and gap < whole[s]:
            missing[s] = wp.max(missing[s], whole[s] - gap)


@wp.kernel
def shorten_pairs(
    first: int,
    shares: int,
    counts: wp.array[int],
    state: ContactState,
    # in and out
    pairs: wp.array[Pair],
):
    """Let the listed pairs reach no farther than both present radii."""
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        if pair.radius > 0.0:
            now = state.radius[pair.vertices[0]] + state.radius[pair.vertices[pair.kind]]
            pairs[p].radius = wp.min(pair.radius, now + pair.multiplier)


@wp.kernel
def grow(
    whole: wp.array[float],
    h: float,
    # in and out
    missing: wp.array[float],
    radius: wp.array[float],
):
    """Let every radius [vertex, m] grow for a time h [s]. One thread per vertex."""
    i = wp.tid()
    missing[i] = missing[i] - push_out_step(missing[i], h)
    radius[i] = whole[i] - missing[i]
