# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse step: prolongation of the step of aggregates to the vertices.

Forces are rotated back by the rotation R of every aggregate (`shapes.py`) and its step is rotated
forward again, as if the matrix had rotated with the body: z = R A⁻¹ Rᵀ Pᵀf.
"""

import warp as wp

from ..device.options import OPTIONS
from .line_sums import vec8
from .matrix import Patches, mat43

wp.set_module_options(OPTIONS)


@wp.struct
class Members:
    """Vertices of all aggregates, and sums per chunk of them."""

    vertex: wp.array[int]  # aggregate by aggregate
    start: wp.array[int]  # [chunk + 1] numbers in `vertex`
    first_chunk: wp.array[int]  # [aggregate + 1]
    arm: wp.array[wp.vec3]  # p without the constant mode; 0 for vertices that follow others
    shape: wp.array[wp.mat33]  # [chunk] Σ (x − x₀) pᵀ
    shape_before: wp.array[wp.mat33]  # [aggregate] that when its blocks were found
    slope: wp.array[wp.vec2d]  # [chunk] −Σ f·d without elements, and its rise per α
    samples: wp.array[vec8]  # [chunk] of contacts, less the slope at 0


@wp.struct
class ComponentSteps:
    """Step lengths of components, which are equal within islands of components that touch."""

    island: wp.array[int]  # [component] the first component of its island
    next: wp.array[int]  # the next one of its island, -1 behind the last
    last: wp.array[int]  # the last one, for the first of an island
    first_chunk: wp.array[int]  # [component + 1] chunks of `Members`
    step_length: wp.array[float]  # [component] α of the last step, 0 if it was skipped
    skipped: wp.array[int]  # [component] number of skipped steps
    collapsed: wp.array[int]  # [component] 1 where too many of its tets have collapsed
    ruined: wp.array[int]  # [component] 1 where any tet of its island has collapsed


@wp.struct
class Moves:
    """Arrays of a step [vertex]."""

    x: wp.array[wp.vec3]
    before: wp.array[wp.vec3]  # x as the step begins
    asleep: wp.array[int]
    direction: wp.array[wp.vec3]  # d
    moved: wp.array[wp.vec3]  # x + d, and x of vertices without aggregate; may be x itself
    component: wp.array[int]
    relaxation: wp.array[float]  # of sweeps, ...
    relaxed: wp.array[float]  # ... and in the next sweep: 1 where too many tets have collapsed


@wp.func
def prolong_chunk(
    chunk: int,
    solution: wp.array[wp.float64],
    members: Members,
    patches: Patches,
    moves: Moves,
):
    """Set d = P R z for a chunk of vertices, 0 for those asleep, and the positions x + d."""
    begin = members.start[chunk]
    k = patches.of[members.vertex[begin]]
    z = mat43()
    for m in range(patches.mode_count[k]):
        for i in range(3):
            z[m, i] = float(solution[patches.first[k] + 3 * m + i])
    z = z * wp.transpose(patches.turn[k])
    if not wp.isfinite(wp.ddot(z, z)):  # no decomposition
        z = mat43()
    for q in range(begin, members.start[chunk + 1]):
        i = members.vertex[q]
        d = patches.modes[i] * z
        if moves.asleep[i] != 0:
            d = wp.vec3(0.0)
        moves.direction[i] = d
        moves.moved[i] = moves.x[i] + d


@wp.kernel
def prolong(
    first: int,
    solution: wp.array[wp.float64],
    members: Members,
    patches: Patches,
    # in and out
    moves: Moves,
):
    """Set d and x + d of all vertices, a chunk per thread."""
    prolong_chunk(first + wp.tid(), solution, members, patches, moves)


@wp.kernel
def shorten(
    first: int,
    before: wp.array[wp.vec3],
    members: Members,
    component: wp.array[int],
    components: ComponentSteps,
    # out
    moved: wp.array[wp.vec3],
    # in and out
    direction: wp.array[wp.vec3],
):
    """Scale the direction of the vertices of aggregates to α d, and set the positions there."""
    i = members.vertex[first + wp.tid()]
    d = components.step_length[component[i]] * direction[i]
    direction[i] = d
    moved[i] = before[i] + d


@wp.kernel
def take_difference(
    first: int,
    before: wp.array[wp.vec3],
    after: wp.array[wp.vec3],
    # out
    direction: wp.array[wp.vec3],
):
    """Set the direction that is left after truncation."""
    i = first + wp.tid()
    direction[i] = after[i] - before[i]


@wp.func
def move_member(member: int, members: Members, components: ComponentSteps, moves: Moves):
    """Move a vertex of an aggregate to x + α d, and set the relaxation factor of its next sweep."""
    i = members.vertex[member]
    k = moves.component[i]
    step_length = components.step_length[k]
    moves.x[i] = moves.before[i]
    if step_length > 0.0:
        moves.x[i] = moves.before[i] + step_length * moves.direction[i]
    if i < moves.relaxed.shape[0]:
        moves.relaxed[i] = wp.where(components.collapsed[k] != 0, 1.0, moves.relaxation[i])


@wp.kernel
def move(
    first: int,
    members: Members,
    components: ComponentSteps,
    # in and out
    moves: Moves,
):
    """Move the vertices of aggregates to x + α d."""
    move_member(first + wp.tid(), members, components, moves)
