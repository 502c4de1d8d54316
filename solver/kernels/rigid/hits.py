# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that are hit too hard for a contact force, which acts only within its distance."""

import warp as wp

from ..contact.analytic_colliders import ContactModel
from ..contact.detection.pair_counts import ALL, OF_EDGES, OF_VERTICES
from ..contact.pairs import Pair, PairState
from ..device.options import OPTIONS
from ..device.union_find import join, root_of
from ..groups.islands import Islands
from .poses import RigidArrays

wp.set_module_options(OPTIONS)

# A body is hit where the force that nothing balances would move it in a substep by more than the
# contact distance, not counting this many times the fall h² g.
FALLS = wp.constant(4.0)
# What is late after an impact keeps its momentum for this many substeps.
KEPT = wp.constant(10)


@wp.struct
class Hits:
    """Groups of free rigid bodies with common pairs, [body] at their root: in the sweeps they have
    pushed each other, whether they touch at the end or not.
    """

    colliders: int  # the first body that is a collider
    rigid: wp.array[int]  # [body], number among rigid bodies, -1 for all others
    free: wp.array[int]  # [body], 1 for awake rigid bodies that nothing holds
    parent: wp.array[int]  # [body]
    mixed: wp.array[int]  # 1 where a body touches what yields without being free and rigid
    hit: wp.array[int]  # not 0 where a body is hit
    # KEPT where impulses change a velocity by as much, else what is left of it
    strong: wp.array[int]
    kept: wp.array[int]  # [rigid body], substeps for which it may still be late
    suspected: wp.array[int]  # 1 where any body is that far from its target
    any_hit: wp.array[int]


@wp.func
def is_driven(body: int, hits: Hits, bodies: RigidArrays):
    """Return whether animation alone moves all of a body."""
    if body >= hits.colliders:
        return True
    rigid = hits.rigid[body]
    if rigid >= 0:
        return bodies.driven[rigid] != 0
    return False


@wp.func
def is_beyond(path: float, point: int, radius: wp.array[float], h: float, g: wp.vec3):
    """Return whether a path [m] of a body with the embedded `point` is that of a hit."""
    return path > radius[point] + FALLS * h * h * wp.length(g)


@wp.kernel
def suspect_hits(
    point: wp.array[wp.vec2i],
    radius: wp.array[float],
    gravity: wp.array[wp.vec3],
    h: float,
    bodies: RigidArrays,
    # out
    hits: Hits,
):
    """Suspect a hit where a body is as far from its target as only hits explain. One thread per
    rigid body.
    """
    b = wp.tid()
    path = float(wp.length(bodies.target_center[b] - bodies.center[b]))
    left = wp.max(hits.kept[b] - 1, 0)
    if is_beyond(path, point[b][0], radius, h, gravity[0]):
        hits.suspected[0] = 1
    else:
        left = 0
    hits.kept[b] = left


@wp.kernel
def begin_hits(
    anchored: wp.array[int],
    asleep: wp.array[int],
    model: ContactModel,
    # in and out
    hits: Hits,
):
    """Make each body a group of its own, mixed if it leaves a collider in which it began. One
    thread per body or collider.
    """
    b = wp.tid()
    rigid = hits.rigid[b]
    hits.parent[b] = b
    hits.hit[b] = 0
    hits.strong[b] = 0
    hits.mixed[b] = 0
    hits.free[b] = 0
    if rigid < 0 or anchored[b] != 0 or asleep[b] != 0:
        return
    hits.free[b] = 1
    for k in range(model.colliders.kind.shape[0]):
        if model.depth[k * model.bodies + b] > 0.0:
            hits.mixed[b] = 1


@wp.kernel
def join_paired(
    shares: int,
    counts: wp.array[int],
    body: wp.array[int],
    pairs: wp.array[Pair],
    state: wp.array[PairState],
    bodies: RigidArrays,
    # in and out
    hits: Hits,
):
    """Join free rigid bodies with common pairs. Mark those near bodies that are neither free and
    rigid nor driven by animation, or that separate since they began in each other, as mixed.
    """
    parting = counts[OF_VERTICES] + counts[OF_EDGES]
    for p in range(wp.tid(), counts[ALL], shares):
        one = body[pairs[p].vertices[0]]
        other = body[pairs[p].vertices[3]]
        if hits.free[one] != 0 and hits.free[other] != 0:
            join(one, other, hits.parent)
        if state[p].near != 0:
            if p >= parting or not (hits.free[other] != 0 or is_driven(other, hits, bodies)):
                hits.mixed[one] = 1
            if p >= parting or not (hits.free[one] != 0 or is_driven(one, hits, bodies)):
                hits.mixed[other] = 1


@wp.kernel
def gather_mixed(
    # in and out
    hits: Hits,
):
    """Mark the groups of mixed bodies. One thread per body or collider."""
    b = wp.tid()
    if hits.mixed[b] != 0:
        hits.mixed[root_of(b, hits.parent)] = 1


@wp.kernel
def find_hits(
    number: wp.array[int],
    point: wp.array[wp.vec2i],
    radius: wp.array[float],
    gravity: wp.array[wp.vec3],
    h: float,
    force: wp.array[wp.vec3],
    bodies: RigidArrays,
    # in and out
    hits: Hits,
):
    """Mark the groups of hit bodies by the unbalanced `force` [vertex, N]. One thread per rigid
    body.
    """
    b = wp.tid()
    group = root_of(number[b], hits.parent)
    if hits.free[number[b]] != 0 and hits.mixed[group] == 0:
        total = wp.vec3()
        for k in range(4):
            total += force[bodies.first + 4 * b + k]
        path = h * h * wp.length(total) / float(bodies.mass[b])
        if is_beyond(path, point[b][0], radius, h, gravity[0]):
            hits.hit[group] = 1


@wp.func
def hit_body(body: int, hits: Hits):
    """Return the number of a rigid body whose group is hit, else -1."""
    if hits.hit[root_of(body, hits.parent)] == 0 or hits.free[body] == 0:
        return -1
    return hits.rigid[body]


@wp.kernel
def hold_hit_islands(
    # in and out
    islands: Islands,
    hits: Hits,
):
    """Mark the islands of hit bodies as held: they take no rigid step. Groups that impulses change
    little, and that no impact has made late, are not hit. One thread per body or collider.
    """
    b = wp.tid()
    hits.hit[b] = hits.strong[b]
    if hits.strong[root_of(b, hits.parent)] != 0:
        islands.held[islands.island[b]] = 1
        hits.any_hit[0] = 1
        if hits.free[b] != 0:
            hits.kept[hits.rigid[b]] = hits.strong[root_of(b, hits.parent)]
