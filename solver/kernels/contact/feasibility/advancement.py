# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of rigid bodies along their arcs, with planes that turn on the way.

A plane that is fixed for a step ends the rotation of a body that touches with long edges or large
faces: a small angle takes their far corners through it. Conservative advancement (Mirtich 1996)
follows the arc instead: it goes on as far as the gap along the present normal surely lasts, takes
the normal between the closest points there, and so on. The other side stands still, or is on a
rigid body that moves at the same time.
"""

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import Embedding
from ..pairs import Pair, signed_weights, weighted
from .plane_bounds import SAFETY
from .separating_planes import (
    FLOOR,
    better,
    gap_along,
    rounding_along,
    separating_normal,
)

wp.set_module_options(OPTIONS)

# Parts that an arc is followed in, at most.
PARTS = wp.constant(16)
# An arc is followed no further once a part is shorter than this fraction of it.
SHORT = wp.constant(0.01)


@wp.struct
class Arc:
    """The step of a rigid body: p(t) = center + t shift + exp(t angle) (p − center)."""

    first: int  # its first vertex
    center: wp.vec3  # [m]
    shift: wp.vec3  # [m]
    angle: wp.vec3  # [rad]


@wp.func
def arc_of(
    s: int,
    x: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    embedding: Embedding,
):
    """Return the `Arc` of the body of a point, from x to `candidate`."""
    arc = Arc()
    i = embedding.corners[(s - embedding.first) * embedding.width]
    arc.first = i
    arc.center = 0.25 * (x[i] + x[i + 1] + x[i + 2] + x[i + 3])
    end = 0.25 * (candidate[i] + candidate[i + 1] + candidate[i + 2] + candidate[i + 3])
    arc.shift = end - arc.center
    arc.angle = embedding.bend[(i - embedding.rigid_first) / 4]
    return arc


@wp.func
def is_on(v: int, arc: Arc, embedding: Embedding):
    """Return whether a surface vertex is on the body of an arc."""
    if v < embedding.first:
        return False
    return embedding.corners[(v - embedding.first) * embedding.width] == arc.first


@wp.func
def arm_at(t: float, arm: wp.vec3, angle: wp.vec3):
    """Return exp(t angle) arm (Rodrigues)."""
    size = wp.length(angle)
    turned = arm
    if size > 0.0:
        axis = angle / size
        s = wp.sin(t * size)
        c = wp.sin(0.5 * t * size)
        once = wp.cross(axis, arm)
        turned += s * once + 2.0 * c * c * wp.cross(axis, once)
    return turned


@wp.func
def part_of_arc(arc: Arc, fraction: float):
    """Return the first `fraction` of an arc."""
    part = arc
    part.shift = fraction * arc.shift
    part.angle = fraction * arc.angle
    return part


@wp.func
def place_on(t: float, p: wp.vec3, arc: Arc):
    """Return where a fraction t of its arc takes a point p of a body [m]."""
    arm = p - arc.center
    return p + t * arc.shift + (arm_at(t, arm, arc.angle) - arm)


@wp.func
def surely_ahead(slack: float, rate: float, bend: float):
    """Return a t for which rate t + ½ bend t² ≤ `slack`, if it is at most 1; not below 0."""
    return slack / wp.max(rate + 0.5 * bend, 1.0e-30)


@wp.func
def surely_apart(
    pair: Pair,
    n: wp.vec3,
    slack: float,
    t: float,
    frame: Arc,
    arc: Arc,
    place: wp.array[wp.vec3],
    embedding: Embedding,
):
    """Return how much further than t two arcs may go, so that the gap along n, which turns with
    `frame`, shrinks by at most `slack` [m] from that at the places [corner].

    In the frame a point at r from its center, with the velocity w, is accelerated by at most
    ρ θ² + |r| θ₀² + 2 |w| θ₀.
    """
    turn = wp.length(arc.angle)
    own = wp.length(frame.angle)
    shift = arc.shift - frame.shift
    between = arc.center + t * shift - frame.center
    ahead = float(1.0e30)
    for c in range(4):
        if is_on(pair.vertices[c], arc, embedding):
            toward = wp.where(c < pair.kind, -n, n)
            arm = place[c] - arc.center - t * arc.shift
            size = wp.length(arm)
            turning = wp.cross(arc.angle, arm) - wp.cross(frame.angle, arm + between)
            rate = wp.dot(toward, shift + turning)
            farthest = wp.length(between) + wp.length(shift) + size
            fastest = wp.length(shift) + turn * size + own * farthest
            bend = turn * turn * size + own * (own * farthest + 2.0 * fastest)
            ahead = wp.min(ahead, surely_ahead(slack, rate, bend))
    return ahead


@wp.func
def fraction_of_arcs(pair: Pair, frame: Arc, arc: Arc, x: wp.array[wp.vec3], embedding: Embedding):
    """Return the fraction in [0, 1] of two arcs that keeps both sides of a pair apart: one side is
    on the body of `arc`, the other on that of `frame`, or stands still where that is of length 0.
    A tenth of the gap is left.
    """
    place = wp.zeros(shape=(4,), dtype=wp.vec3)
    numbers = wp.vec4i(0, 1, 2, 3)
    n = pair.plane_normal
    t = float(0.0)
    kept = float(0.0)
    part = int(-1)
    while part + 1 < PARTS:  # a range of so few would be unrolled
        part += 1
        for c in range(4):
            v = pair.vertices[c]
            place[c] = x[v]
            if t > 0.0:
                if is_on(v, arc, embedding):
                    place[c] = place_on(t, x[v], arc)
                else:
                    place[c] = place_on(t, x[v], frame)
        weights = signed_weights(pair.kind, numbers, place)
        gap = weighted(weights, numbers, place)
        n = better(
            pair.kind, n, separating_normal(pair.kind, weights, numbers, place, gap), numbers, place
        )
        least = FLOOR * pair.radius
        least += rounding_along(n, place[0], place[1], place[2], place[3])
        slack = gap_along(pair.kind, n, numbers, place) - least
        if part == 0:
            kept = (1.0 - SAFETY) * slack
        if slack <= kept:
            return wp.where(part == 0, 0.0, t)
        ahead = surely_apart(pair, n, slack - kept, t, frame, arc, place, embedding)
        if ahead >= 1.0 - t:
            return 1.0
        t += SAFETY * ahead
        if ahead < SHORT:
            return t
    return t
