# SPDX-License-Identifier: GPL-3.0-or-later
"""Static or dynamic friction of each contact: it is static until the contact slides.

A contact slides if its tangential displacement has reached ε_v h at the end of the last step
(law.py): friction is then dynamic in the whole of this step. So the coefficient is constant while a
step is solved, and the objective stays convex. As soon as the bristle relaxes, the contact sticks
again. A pair without a displacement of its own, as on the next triangle, slides if another one of
its vertices did.
"""

import warp as wp

from ..device.options import OPTIONS
from ..device.thread_shares import share_of
from .contact_state import ContactState, static_friction
from .detection.pair_counts import OF_EDGES, OF_VERTICES
from .law import slides
from .pairs import Pair, Touch

wp.set_module_options(OPTIONS)


@wp.kernel
def mark_sliding(
    first: int,
    shares: int,
    pairs: wp.array[Pair],
    pulled: wp.array[wp.vec3],
    counts: wp.array[int],
    slip: float,
    # out
    sliding: wp.array[int],
):
    """Mark the vertices of all pairs that slide; `slip` is ε_v h [m]."""
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        if slides(pulled[p], slip):
            for c in range(4):
                sliding[pairs[p].vertices[c]] = 1


@wp.kernel
def choose_friction(
    first: int,
    shares: int,
    pulled: wp.array[wp.vec3],
    counts: wp.array[int],
    state: ContactState,
    slip: float,
    # in and out
    pairs: wp.array[Pair],
    # out
    touches: wp.array[Touch],
):
    """Give every pair the friction of this step; `slip` is ε_v h [m]."""
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        v = pairs[p].vertices
        other = v[pairs[p].kind]
        is_sliding = slides(pulled[p], slip)
        if wp.length_sq(pulled[p]) == 0.0:
            is_sliding = state.sliding[v[0]] != 0 or state.sliding[other] != 0
        friction = wp.sqrt(state.friction[v[0]] * state.friction[other])
        if not is_sliding:
            friction = wp.sqrt(static_friction(state, v[0]) * static_friction(state, other))
        pairs[p].friction = friction
        touches[p].friction = friction
