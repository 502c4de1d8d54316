# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid steps of islands: their candidates, the planes of pairs along them, and their fractions.

All of an island takes one fraction α: x + α (x' − x) is an affine map and keeps bodies separated.
"""

import warp as wp

from ..contact.detection.pair_counts import OF_EDGES, OF_VERTICES
from ..contact.feasibility.plane_bounds import SAFETY
from ..contact.feasibility.separating_planes import better, separating_normal, slack_between
from ..contact.feasibility.sliding_planes import approach_along, blocks_paths, sliding_normal
from ..contact.pairs import Pair, signed_weights, weighted
from ..device.options import OPTIONS
from ..device.thread_shares import share_of
from ..lattice.embedding import Embedding
from .islands import Islands

wp.set_module_options(OPTIONS)

# The most rounds of islands that continue, and of those stopped by held bodies only.
MOST = wp.constant(12)
AGAIN = wp.constant(2)


@wp.func
def rigid_step(start: wp.vec3, island: int, islands: Islands):
    """Rigid step of a vertex of an island from `start` [m]."""
    arm = wp.vec3d(start) - islands.center[island]
    turned = islands.turn[island] * arm
    step = wp.vec3(islands.shift[island] + (turned - arm))
    if islands.held[island] != 0 or not wp.isfinite(step):
        step = wp.vec3(0.0)
    return step


@wp.kernel
def move_islands(
    first: int,
    x: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    # out
    candidate: wp.array[wp.vec3],
):
    """Set the candidates of free islands. One thread per free vertex."""
    i = first + wp.tid()
    candidate[i] = x[i] + rigid_step(x[i], islands.island[owner[i]], islands)


@wp.kernel
def find_displacements(
    first: int,
    before: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    owner: wp.array[int],
    islands: Islands,
    embedding: Embedding,
    # out
    displacement: wp.array[wp.vec3],
):
    """Set the displacement that is left of the step of every surface vertex [m]. The offsets of
    smooth skins do not turn.
    """
    s = first + wp.tid()
    turned = before[s]
    if s >= embedding.first:
        turned -= embedding.offset[s - embedding.first]
    displacement[s] = before[s] + rigid_step(turned, islands.island[owner[s]], islands) - x[s]


@wp.func
def is_unmoved(s: int, displacement: wp.array[wp.vec3]):
    """1 for a surface vertex with zero displacement."""
    return int(wp.length_sq(displacement[s]) == 0.0)


@wp.kernel
def update_normals(
    first: int,
    shares: int,
    x: wp.array[wp.vec3],
    displacement: wp.array[wp.vec3],
    counts: wp.array[int],
    # in and out
    pairs: wp.array[Pair],
):
    """Update the normals of pairs that would limit displacements, so that they separate the current
    positions, or let the sides slide past each other. If both sides move, the planes stay.
    """
    begin, end = share_of(first + wp.tid(), shares, counts[OF_VERTICES] + counts[OF_EDGES])
    for p in range(begin, end):
        pair = pairs[p]
        v = pair.vertices
        n = pair.plane_normal
        meets = is_unmoved(v[0], displacement) == 0 and is_unmoved(v[3], displacement) == 0
        if not meets and approach_along(pair.kind, n, v, displacement) >= SAFETY * slack_between(
            pair.kind, pair, x
        ):
            weights = signed_weights(pair.kind, v, x)
            n = separating_normal(pair.kind, weights, v, x, weighted(weights, v, x))
            n = better(pair.kind, pair.plane_normal, n, v, x)
            if blocks_paths(pair.kind, n, v, x, displacement):
                n = sliding_normal(pair, n, weights, x, displacement)
            pairs[p].plane_normal = n


@wp.kernel
def move_by_fractions(
    first: int,
    candidate: wp.array[wp.vec3],
    body: wp.array[int],
    islands: Islands,
    least: wp.array[float],
    # in and out
    x: wp.array[wp.vec3],
):
    """Move every island by the fraction `least` of its step. One thread per free vertex."""
    i = first + wp.tid()
    fraction = least[islands.island[body[i]]]
    if fraction < 1.0:
        x[i] = x[i] + fraction * (candidate[i] - x[i])
    else:
        x[i] = candidate[i]


@wp.kernel
def decide(
    stopped: wp.array[int],
    meet: wp.array[int],
    leaves: wp.array[int],
    # in and out
    rounds: wp.array[int],
    # out
    continues: wp.array[int],
):
    """Decide on another round: while free islands meet or any `leaves` its trust regions, and once
    where anything else has stopped one. One thread.
    """
    rounds[0] = rounds[0] + 1
    most = wp.where(meet[0] != 0 or leaves[0] != 0, MOST, AGAIN)
    continues[0] = wp.where(stopped[0] != 0 and rounds[0] < most, 1, 0)
