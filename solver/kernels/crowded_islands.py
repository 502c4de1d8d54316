# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands of bodies that meet on their rigid steps, as parts of one that all of them make.

An island that goes with all of its parts changes no distance between these. So only pairs with what
is not in it, the trust regions and analytic colliders end its rigid step, and all of it goes
equally far: x + α (x' − x) is an affine map, which leaves apart what is apart.
"""

from functools import cache

import warp as wp

from .components import join
from .contact.analytic_colliders import ContactModel
from .contact.counts import OF_EDGES, OF_VERTICES
from .contact.pairs import Pair, Surface
from .contact.parting import gap_along
from .contact.passing import approach_along
from .contact.planes import fraction_to_plane, fraction_within, toward_plane
from .contact.points_in_front import fraction_function
from .contact.truncation import BY_TRUST_RADIUS
from .islands import Islands
from .options import QUICK
from .shares import share_of

wp.set_module_options(QUICK)

# The most rounds in which islands go on.
MOST = wp.constant(12)


@wp.kernel
def join_meeting(
    parts: int,
    x: wp.array[wp.vec3],
    way: wp.array[wp.vec3],
    counts: wp.array[int],
    pairs: wp.array[Pair],
    body: wp.array[int],
    # in and out
    islands: Islands,
    # out
    joined: wp.array[int],
):
    """Join free islands whose ways [m] would lead them within the contact distance of each other,
    and see whether there are any.

    Not where one that stands comes by more than that distance, in an impact: colliders give and
    take momentum, so nothing is lost with what it cannot take of its step, and a stack that lands
    would lean as a whole by what the iterations have left out.
    """
    for p in range(wp.tid(), counts[OF_VERTICES] + counts[OF_EDGES], parts):
        pair = pairs[p]
        v = pair.vertices
        one = islands.island[body[v[0]]]
        other = islands.island[body[v[3]]]
        if one != other and islands.held[one] == 0 and islands.held[other] == 0:
            approach = approach_along(pair.kind, pair.found_normal, v, way)
            gap = gap_along(pair.kind, pair.found_normal, v, x)
            stands = islands.stands[one] != 0 or islands.stands[other] != 0
            lands = stands and approach > pair.radius
            if approach > 0.0 and gap - approach < pair.radius and not lands:
                join(one, other, islands.parent)
                joined[0] = 1


@wp.kernel
def find_parts_to_planes(
    parts: int,
    x: wp.array[wp.vec3],
    way: wp.array[wp.vec3],
    counts: wp.array[int],
    pairs: wp.array[Pair],
    body: wp.array[int],
    islands: Islands,
    # in and out
    least: wp.array[float],
    # out
    stopped: wp.array[int],
):
    """The least part of their ways that planes between islands leave these, and whether any that
    are free stop each other.
    """
    begin, end = share_of(wp.tid(), parts, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        one = islands.island[body[v[0]]]
        other = islands.island[body[v[3]]]
        if one != other:
            approach = wp.vec4(0.0)
            for c in range(4):
                approach[c] = wp.max(wp.dot(toward_plane(c, pair), way[v[c]]), 0.0)
            for c in range(4):
                part = float(1.0)
                if approach[c] > 0.0:
                    part = fraction_to_plane(c, pair, approach, wp.vec2(0.0), x)
                if part < 1.0:
                    wp.atomic_min(least, islands.island[body[v[c]]], part)
                    if islands.held[one] == 0 and islands.held[other] == 0:
                        stopped[0] = 1


@cache
def parts_in_regions_kernel(width: int) -> wp.Kernel:
    """The kernel of scenes whose embedded points have so many corners, or 0."""
    fraction_in_front = fraction_function(width)

    @wp.kernel(module="unique", module_options=QUICK)
    def find_parts_in_regions(
        first: int,
        model: ContactModel,
        free_count: int,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        x_found: wp.array[wp.vec3],
        trusted: Surface,
        islands: Islands,
        # in and out
        least: wp.array[float],
        # out
        cut: wp.array[int],
        leaves: wp.array[int],
        stopped: wp.array[int],
    ):
        """The least part of its way to `candidate` on which an island stays in front of analytic
        colliders and in its trust regions, and whether any `leaves` these. One thread per free
        vertex.
        """
        i = first + wp.tid()
        step = candidate[i] - x[i]
        cut[i] = 0
        if wp.length_sq(step) > 0.0:
            island = islands.island[trusted.body[i]]
            offset = x[i] - x_found[i]
            part = fraction_within(offset, step, trusted.path[i], trusted.trust_radius[i])
            if part < 1.0:
                cut[i] = BY_TRUST_RADIUS
                leaves[0] = 1
                stopped[0] = 1
            if model.colliders.kind.shape[0] > 0:
                moving = wp.vec2i(0, free_count)
                in_front = fraction_in_front(i, moving, model, x, candidate, x_start)
                part = wp.min(part, in_front)
            if part < 1.0:
                wp.atomic_min(least, island, part)

    return find_parts_in_regions


@wp.kernel
def move_parts(
    first: int,
    candidate: wp.array[wp.vec3],
    body: wp.array[int],
    islands: Islands,
    least: wp.array[float],
    # in and out
    x: wp.array[wp.vec3],
):
    """Let every island take the `least` part of its step. One thread per free vertex."""
    i = first + wp.tid()
    part = least[islands.island[body[i]]]
    if part < 1.0:
        x[i] = x[i] + part * (candidate[i] - x[i])
    else:
        x[i] = candidate[i]


@wp.kernel
def decide(
    stopped: wp.array[int],
    # in and out
    rounds: wp.array[int],
    # out
    goes_on: wp.array[int],
):
    """Whether there is another round: only while islands stop each other. One thread."""
    rounds[0] = rounds[0] + 1
    goes_on[0] = wp.where(stopped[0] != 0 and rounds[0] < MOST, 1, 0)
