# SPDX-License-Identifier: GPL-3.0-or-later
"""Step bounds of contact pairs: the fractions that keep their sides apart.

Divide and truncate: the direction between the closest points of a pair, as of its search, separates
its two sides, and each side stays on its own side of a plane between them (Chen et al., "Offset
Geometric Contact", 2025, §3.5, in its planar form).

A corner queries its pair once a candidate of it has been farther than QUIET times the gap from its
place as gaps were measured. For quiet corners their pair keeps a reserve: the rest of that path.
The rest of the gap is shared by those that query and move at the same time, by how fast they
approach. A corner that comes back, or was truncated, still queries: others may have taken the
reserve that was kept for it.

With embedded surfaces a surface vertex may move with several vertices, each of which may take a
fraction of its own of its step. So its path to the plane of a pair is bounded by the sum of those
steps that go there; those that go back are not counted on.
"""

from functools import cache

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import (
    Embedding,
    body_of_point,
    is_rigid,
    is_rigid_point,
    surface_functions,
)
from ..pairs import PREFETCH_DISTANCE, QUIET, Pair, PairLists, prefetch_pair
from .advancement import Arc, arc_of, fraction_of_arcs, is_on
from .plane_bounds import fraction_to_plane, toward_plane
from .separating_planes import slack_between

wp.set_module_options(OPTIONS)

# Warp's own atomics are none on the CPU. Fractions are not negative, and so ordered as their bits.
LOWER = """
#if defined(__CUDA_ARCH__)
    atomicMin((int*)&fractions.data[at], __float_as_int(fraction));
#else
    auto* place = (int*)&fractions.data[at];
    int to;
    __builtin_memcpy(&to, &fraction, sizeof(to));
    auto now = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (now > to
           && !__atomic_compare_exchange_n(
               place, &now, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
#endif
"""


@wp.func_native(LOWER)
def lower(fractions: wp.array[float], at: int, fraction: float):
    """Lower a fraction ≥ 0 to at most `fraction`, atomically."""
    ...


@wp.struct
class Watch:
    """Places of surface vertices as gaps were measured, and the bounds that pairs set to steps."""

    x_measured: wp.array[wp.vec3]  # [vertex, m]
    farthest: wp.array[float]  # distance from there of their farthest candidate [vertex, m]
    least_gap: wp.array[float]  # the smallest of its pairs then, [vertex, m]
    unknown: wp.array[int]  # 1 if nothing is measured: pairs are new
    kinematic_start: int  # the first vertex that animation moves
    is_stale: wp.array[int]  # 1 if gaps must be measured
    # 1 where pairs with a rigid body do not need planes that stand still (rigid_pairs.py), [rigid
    # body], or none.
    together: wp.array[int]
    # Distance of each from its last check, from its place as measured, and its stride before [m];
    # and 1 if it gets other lists.
    displacements: wp.array[wp.vec4]
    changed: wp.array[int]
    # Fraction that pairs allow of each vertex's step, 1 where nothing moves.
    bound: wp.array[float]


@wp.func
def moves_together(pair: Pair, x: wp.array[wp.vec3], together: wp.array[int], embedding: Embedding):
    """Return whether only the relative motion of both sides of a pair counts: rigid bodies, at
    least one of which moves `together` [rigid body] with others. Not if they begin without a gap.
    """
    one = pair.vertices[0]
    other = pair.vertices[3]
    if together.shape[0] == 0 or wp.min(one, other) < embedding.first:
        return False
    if not is_rigid_point(one, embedding) or not is_rigid_point(other, embedding):
        return False
    a = together[body_of_point(one, embedding)]
    if wp.max(a, together[body_of_point(other, embedding)]) == 0:
        return False
    return slack_between(pair.kind, pair, x) > 0.0


@cache
def bounds_function(width: int) -> wp.Function:
    """Make `lower_bounds` for scenes whose embedded points have `width` corners; 0 without any."""
    surface, embedded = surface_functions(width), width > 0

    @wp.func
    def reach(
        s: int,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
        watch: Watch,
    ):
        """Return the largest distance [m] of surface vertex s from its measured place, if this step
        and all before were taken in full.
        """
        far = wp.length(x[s] - watch.x_measured[s])
        if s >= moving[0] and s < moving[1]:
            far = wp.length(candidate[s] - watch.x_measured[s])
        elif wp.static(embedded):
            far += surface.largest_displacement(s, moving, x, candidate, embedding)
        return wp.max(watch.farthest[s], far)

    @wp.func
    def path_and_reserve(
        s: int,
        toward: wp.vec3,
        quiet: float,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
        watch: Watch,
    ):
        """Return how far corner s of a pair goes along `toward` [m]: in this step if it queries,
        and else at most while quiet, up to `quiet` from its measured place.
        """
        path = float(0.0)
        reserve = float(0.0)
        is_still = s >= watch.kinematic_start and s < embedding.first and s >= moving[1]
        if watch.unknown[0] != 0 or reach(s, moving, x, candidate, embedding, watch) > quiet:
            path = surface.displacement_along(s, toward, moving, x, candidate, embedding)
        elif not is_still:
            reserve = quiet - wp.dot(toward, x[s] - watch.x_measured[s])
        return path, reserve

    @wp.func
    def lower_movers(
        s: int,
        toward: wp.vec3,
        fraction: float,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
        bound: wp.array[float],
    ):
        """Lower the fraction of every vertex whose step takes surface vertex s along `toward`."""
        if wp.static(embedded):
            if s >= embedding.first:
                begin = (s - embedding.first) * wp.static(width)
                if is_rigid(begin, embedding):
                    lower(bound, embedding.corners[begin], fraction)
                    return
                for c in range(begin, begin + wp.static(width)):
                    k = embedding.corners[c]
                    if k >= moving[0] and k < moving[1]:
                        if embedding.weights[c] * wp.dot(toward, candidate[k] - x[k]) > 0.0:
                            lower(bound, k, fraction)
                return
        lower(bound, s, fraction)

    @wp.func
    def stands_still(
        pair: Pair,
        arc: Arc,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        embedding: Embedding,
    ):
        """Return whether the side of a pair that is not on the body of an arc stands still."""
        farthest = float(0.0)
        for c in range(4):
            v = pair.vertices[c]
            if not is_on(v, arc, embedding):
                path = surface.largest_displacement(v, moving, x, candidate, embedding)
                farthest = wp.max(farthest, path)
        return farthest == 0.0

    @wp.func
    def lower_bounds(
        s: int,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        lists: PairLists,
        embedding: Embedding,
        watch: Watch,
    ):
        """Lower the bounds of the steps that move surface vertex s to what its pairs allow, while
        the vertices from moving[0] to moving[1] go from x to `candidate`.
        """
        unknown = watch.unknown[0] != 0
        far = reach(s, moving, x, candidate, embedding, watch)
        watch.farthest[s] = far  # those that read the old value find the same
        if not unknown and far <= QUIET * watch.least_gap[s]:
            return
        if lists.start[s] < lists.start[s + 1]:
            watch.is_stale[0] = 1
        for k in range(lists.start[s], lists.start[s + 1]):
            prefetch_pair(lists, k + PREFETCH_DISTANCE)
            quiet = QUIET * lists.gap[k]
            if not unknown and far <= quiet:
                continue
            pair = lists.pairs[lists.entry[k] / 4]
            corner = lists.entry[k] % 4
            toward = toward_plane(corner, pair)
            if surface.displacement_along(s, toward, moving, x, candidate, embedding) <= 0.0:
                continue
            if wp.static(embedded):
                if moves_together(pair, x, watch.together, embedding):
                    continue
            approach = wp.vec4(0.0)
            reserve = wp.vec2(0.0)
            for c in range(4):
                side = wp.where(c < pair.kind, 0, 1)
                path, left = path_and_reserve(
                    pair.vertices[c],
                    toward_plane(c, pair),
                    quiet,
                    moving,
                    x,
                    candidate,
                    embedding,
                    watch,
                )
                approach[c] = path
                reserve[side] = wp.max(reserve[side], left)
            fraction = fraction_to_plane(corner, pair, approach, reserve, x)
            if wp.static(embedded):
                if fraction < 1.0 and s >= embedding.first and is_rigid_point(s, embedding):
                    arc = arc_of(s, x, candidate, embedding)
                    if stands_still(pair, arc, moving, x, candidate, embedding):
                        still = Arc()
                        still.first = -1
                        free = fraction_of_arcs(pair, still, arc, x, embedding)
                        fraction = wp.max(fraction, free)
            if fraction < 1.0:
                lower_movers(s, toward, fraction, moving, x, candidate, embedding, watch.bound)

    return lower_bounds


@cache
def points_kernel(width: int) -> wp.Kernel:
    """Make the kernel for embedded points with `width` corners."""
    lower_bounds = bounds_function(width)

    @wp.kernel(module="unique", module_options=OPTIONS)
    def lower_bounds_of_points(
        first: int,
        moving: wp.vec2i,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        lists: PairLists,
        embedding: Embedding,
        # in and out
        watch: Watch,
    ):
        """Lower the bounds of the steps that move embedded points to what their pairs allow."""
        lower_bounds(first + wp.tid(), moving, x, candidate, lists, embedding, watch)

    return lower_bounds_of_points
