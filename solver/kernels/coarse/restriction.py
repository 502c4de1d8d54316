# SPDX-License-Identifier: GPL-3.0-or-later
"""Pᵀf: the forces on the modes of the aggregates, summed element by element.

An element pulls on the modes of an aggregate with Σ p_a f_aᵀ over its corners a there, f = −∂E/∂x.
Elements of a chunk with all corners in one aggregate are summed at once; for solids the sum is
−S Pᵀ with the sum P of their stresses and the slope S of the modes, which is equal for all.
Elements shared by several aggregates store their forces corner by corner. These are summed like the
forces on vertices: inertia, loads, attachments, contacts, bounds.
"""

import warp as wp

from ..device.blocks import block_vec3
from ..device.options import OPTIONS
from .matrix import ElementChunks, Patches, mat43

wp.set_module_options(OPTIONS)


@wp.struct
class Pulls:
    """Forces, and sums of p fᵀ: first over lists of forces, then over elements."""

    force: wp.array[wp.vec3]  # [N] on vertices, then on corners of shared elements
    slot: wp.array[int]  # slots of `force`, aggregate by aggregate
    vertex: wp.array[int]  # and their vertices, which give the modes
    start: wp.array[int]  # [chunk of these lists + 1]
    sums: wp.array[mat43]  # those over shared elements are not used
    elements: int  # first of the sums over elements
    first: wp.array[int]  # [aggregate + 1] slots of `term`
    term: wp.array[int]  # slots of `sums`


@wp.func
def sum_slot(chunk: int, chunks: ElementChunks, pulls: Pulls):
    return pulls.elements + chunks.offset + chunk


@wp.func
def corner_slot(chunk: int, element: int, corners: int, chunks: ElementChunks):
    """The slot of the forces on the corners of an element, or a negative number."""
    slot = chunks.corner[chunk]
    if slot >= 0:
        slot += corners * (element - chunks.start[chunk])
    return slot


@wp.func
def pull_of_stress(v: int, stress: wp.mat33, patches: Patches):
    """−S Pᵀ in the aggregate of vertex v; zero if it has none."""
    pull = mat43()
    k = patches.of[v]
    if k >= 0:
        pull = -(patches.slope[k] * wp.transpose(stress))
    return pull


@wp.func
def pull_at(v: int, force: wp.vec3, patches: Patches):
    """p fᵀ of a force on vertex v."""
    return wp.outer(patches.modes[v], force)


@wp.func
def sum_chunk(chunk: int, patches: Patches, pulls: Pulls):
    """Sum p fᵀ over a chunk of the lists of forces."""
    total = mat43()
    for q in range(pulls.start[chunk], pulls.start[chunk + 1]):
        total += pull_at(pulls.vertex[q], pulls.force[pulls.slot[q]], patches)
    pulls.sums[chunk] = total


@wp.func
def restrict_mode(
    k: int,
    m: int,
    lane: int,
    turn: wp.mat33,
    patches: Patches,
    pulls: Pulls,
    right: wp.array[wp.float64],
):
    """Set Pᵀf of mode m of aggregate k, rotated back by its `turn` to its orientation when the
    matrix was assembled. One block calls this.
    """
    if m < patches.mode_count[k]:
        force = wp.vec3d()
        for q in range(pulls.first[k] + lane, pulls.first[k + 1], wp.block_dim()):
            row = pulls.sums[pulls.term[q]][m]
            force += wp.vec3d(wp.float64(row[0]), wp.float64(row[1]), wp.float64(row[2]))
        force = block_vec3(force)
        if lane == 0:
            back = wp.transpose(turn)
            turned = back * wp.vec3(float(force[0]), float(force[1]), float(force[2]))
            for i in range(3):
                right[patches.first[k] + 3 * m + i] = wp.float64(turned[i])


@wp.kernel
def sum_forces(
    first: int,
    patches: Patches,
    # in and out
    pulls: Pulls,
):
    """Sum p fᵀ over every chunk of the lists of forces."""
    sum_chunk(first + wp.tid(), patches, pulls)


@wp.kernel
def restrict(
    patches: Patches,
    pulls: Pulls,
    # out
    right: wp.array[wp.float64],
):
    """Set Pᵀf of all aggregates. One block per aggregate and mode."""
    k, m, lane = wp.tid()
    restrict_mode(k, m, lane, patches.turn[k], patches, pulls, right)
