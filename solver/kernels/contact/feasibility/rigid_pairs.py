# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of rigid bodies that move at once: only the motion of two bodies relative to each other
counts.

Planes that stand still would hold back bodies that fall together. So each body takes a fraction of
its arc at a constant rate, and every pair is followed along both arcs (advancement.py). Where that
ends early, the body with the larger fraction gets a smaller one, until all pairs reach their ends.

Two bodies that joints hold keep their planes: these would be torn open where one of them lands and
the other goes on.
"""

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import Embedding, body_of_point
from ..pairs import QUIET, Pair, PairLists
from .advancement import arc_of, fraction_of_arcs, part_of_arc
from .pair_bounds import Watch, lower, moves_together

wp.set_module_options(OPTIONS)

# The most rounds; all planes stand still if fractions change even then.
ROUNDS = wp.constant(24)
# From this round on, both bodies of a pair get smaller fractions.
BOTH = wp.constant(8)


@wp.struct
class Fractions:
    """Fractions of their arcs that rigid bodies take at once, [rigid body] each, and numbers."""

    taken: wp.array[float]
    lowered: wp.array[float]  # by the present round
    has_changed: wp.array[int]  # 1 where the last round has lowered it
    together: wp.array[int]  # 1 where no joint holds the body
    goes_on: wp.array[int]  # 1 while any is lowered
    is_unsettled: wp.array[int]  # 1 where the most rounds were not enough
    round: wp.array[int]


@wp.func
def is_quiet(v: int, quiet: float, watch: Watch):
    """Return whether an embedded point stays within `quiet` [m] of its measured place, as its last
    bounds have found (pair_bounds.py).
    """
    return watch.unknown[0] == 0 and watch.farthest[v] <= quiet


@wp.func
def lower_both(mine: int, theirs: int, t: float, fractions: Fractions):
    """Lower the fractions of two bodies that may go on up to t of both."""
    a = fractions.taken[mine]
    b = fractions.taken[theirs]
    if fractions.round[0] >= BOTH or a == b:
        lower(fractions.lowered, mine, t * a)
        lower(fractions.lowered, theirs, t * b)
    elif a > b:
        lower(fractions.lowered, mine, wp.max(b, t * a))
    else:
        lower(fractions.lowered, theirs, wp.max(a, t * b))


@wp.func
def acts(corner: int, pair: Pair, quiet: float, watch: Watch):
    """Return whether a corner is the first one of a pair that is not quiet."""
    for c in range(4):
        if c <= corner:
            if is_quiet(pair.vertices[c], quiet, watch) == (c == corner):
                return False
    return True


@wp.kernel
def lower_fractions(
    first: int,
    moving: wp.vec2i,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    lists: PairLists,
    embedding: Embedding,
    watch: Watch,
    # in and out
    fractions: Fractions,
):
    """Lower the fractions of bodies whose pairs would not reach their ends. One thread per embedded
    point of a rigid body.
    """
    s = first + wp.tid()
    if is_quiet(s, QUIET * watch.least_gap[s], watch):
        return
    mine = body_of_point(s, embedding)
    arc = part_of_arc(arc_of(s, x, candidate, embedding), fractions.taken[mine])
    for k in range(lists.start[s], lists.start[s + 1]):
        pair = lists.pairs[lists.entry[k] / 4]
        corner = lists.entry[k] % 4
        if not moves_together(pair, x, fractions.together, embedding):
            continue
        other = pair.vertices[wp.where(corner < pair.kind, 3, 0)]
        theirs = body_of_point(other, embedding)
        if fractions.has_changed[mine] == 0 and fractions.has_changed[theirs] == 0:
            continue
        if not acts(corner, pair, QUIET * lists.gap[k], watch):
            continue
        frame = part_of_arc(arc_of(other, x, candidate, embedding), fractions.taken[theirs])
        t = float(1.0)
        if wp.length_sq(frame.angle) > wp.length_sq(arc.angle):
            t = fraction_of_arcs(pair, arc, frame, x, embedding)
        else:
            t = fraction_of_arcs(pair, frame, arc, x, embedding)
        if t < 1.0:
            lower_both(mine, theirs, t, fractions)
