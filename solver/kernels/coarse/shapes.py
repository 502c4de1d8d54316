# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of aggregates: their rotation since the blocks of the coarse matrix were found, and
whether these blocks still do.

Blocks of bodies of solids alone rotate with their aggregates. They are found again when a frame
begins, when an aggregate has been strained, and after coarse steps that were cut short.
"""

import warp as wp

from ..device.blocks import block_mat33
from ..device.options import OPTIONS
from .coarse_step import ComponentSteps, Members
from .matrix import Patches

wp.set_module_options(OPTIONS)

# Most iterations for the rotation of an aggregate; within a substep it turns little.
TURNS = wp.constant(20)
# Blocks are kept up to this strain of an aggregate, and this step length α.
MOST_STRAIN = wp.constant(0.1)
LEAST_STEP = wp.constant(0.5)


@wp.func
def sum_shape(chunk: int, x: wp.array[wp.vec3], patches: Patches, members: Members):
    """Sum (x − x₀) pᵀ over a chunk of vertices. Σ p is 0: a near x₀ keeps the most digits."""
    begin = members.start[chunk]
    k = patches.of[members.vertex[begin]]
    origin = x[members.vertex[members.start[members.first_chunk[k]]]]
    total = wp.mat33(0.0)
    for q in range(begin, members.start[chunk + 1]):
        total += wp.outer(x[members.vertex[q]] - origin, members.arm[q])
    members.shape[chunk] = total


@wp.kernel
def sum_shapes(
    first: int,
    x: wp.array[wp.vec3],
    patches: Patches,
    # out
    members: Members,
):
    """Sum up the shapes of chunks."""
    sum_shape(first + wp.tid(), x, patches, members)


@wp.func
def shape_of(k: int, members: Members):
    """Σ (x − x₀) pᵀ of aggregate k."""
    total = wp.mat33(0.0)
    for chunk in range(members.first_chunk[k], members.first_chunk[k + 1]):
        total += members.shape[chunk]
    return total


@wp.func
def scaled(shape: wp.mat33):
    """A shape scaled to norm 1."""
    size = wp.sqrt(wp.ddot(shape, shape))
    if size > 0.0:
        shape /= size
    return shape


@wp.func
def turn_between(before: wp.mat33, after: wp.mat33, modes: int):
    """The rotation R that maps the shape `before` of an aggregate closest to the one `after`.

    R is rotated by ω = Σ r × a/|Σ r·a| over the columns r of R and a of the product of both shapes,
    until ω is small (Müller et al. 2016). Flat and straight patches have R = I: they turn by much
    more than their neighbors, and the elements between them would seem to be stretched.
    """
    r = wp.identity(n=3, dtype=float)
    if modes < 4:
        return r
    a = scaled(after) * wp.transpose(scaled(before))
    passes = int(0)
    while passes < TURNS:
        passes += 1
        omega = wp.vec3(0.0)
        along = float(0.0)
        for n in range(3):
            r_n = wp.vec3(r[0, n], r[1, n], r[2, n])
            a_n = wp.vec3(a[0, n], a[1, n], a[2, n])
            omega += wp.cross(r_n, a_n)
            along += wp.dot(r_n, a_n)
        omega /= wp.abs(along) + 1.0e-9
        angle = wp.length(omega)
        if not (angle > 1.0e-6):
            break
        r = wp.quat_to_matrix(wp.quat_from_axis_angle(omega / angle, angle)) * r
    return r


@wp.func
def strain_between(before: wp.mat33, after: wp.mat33, r: wp.mat33):
    """The largest change of a column of a shape but by the rotation R, relative to the column."""
    change = after - r * before
    most = float(0.0)
    for n in range(3):
        length = wp.length(wp.vec3(before[0, n], before[1, n], before[2, n]))
        if length > 0.0:
            moved = wp.length(wp.vec3(change[0, n], change[1, n], change[2, n]))
            most = wp.max(most, moved / length)
    return most


@wp.func
def turn_by_block(k: int, lane: int, patches: Patches, members: Members):
    """Return the rotation of aggregate k since its blocks were found, by a block."""
    turn = patches.turn[k]
    if patches.mode_count[k] == 4:
        total = wp.mat33d()
        first, end = members.first_chunk[k] + lane, members.first_chunk[k + 1]
        for chunk in range(first, end, wp.block_dim()):
            total += wp.mat33d(members.shape[chunk])
        turn = turn_between(members.shape_before[k], wp.mat33(block_mat33(total)), 4)
    return turn


@wp.kernel
def find_turns(
    members: Members,
    shape: wp.array[wp.mat33],
    # out
    patches: Patches,
):
    """Find the rotation of every aggregate since its `shape` was saved."""
    k = wp.tid()
    now = shape_of(k, members)
    patches.turn[k] = turn_between(shape[k], now, patches.mode_count[k])


@wp.kernel
def check_blocks(
    members: Members,
    shape: wp.array[wp.mat33],
    component: wp.array[int],
    components: ComponentSteps,
    # in and out
    patches: Patches,
    # out
    is_due: wp.array[int],
):
    """Choose the bodies whose blocks must be found again, and find the turns of the others;
    `component` [aggregate].
    """
    k = wp.tid()
    body, c = patches.body[k], component[k]
    if patches.is_kept[body] != 0:
        now = shape_of(k, members)
        r = turn_between(shape[k], now, patches.mode_count[k])
        patches.turn[k] = r
        fits = strain_between(shape[k], now, r) < MOST_STRAIN
        if fits and components.step_length[c] >= LEAST_STEP and components.ruined[c] == 0:
            return
    patches.is_kept[body] = 0
    is_due[0] = 1


@wp.kernel
def save_shapes(
    members: Members,
    # out
    shape: wp.array[wp.mat33],
    patches: Patches,
):
    """Save the shapes of the aggregates whose blocks are found now."""
    k = wp.tid()
    if patches.is_kept[patches.body[k]] == 0:
        shape[k] = shape_of(k, members)
        patches.turn[k] = wp.identity(n=3, dtype=float)


@wp.kernel
def keep_blocks(
    # out
    patches: Patches,
    is_due: wp.array[int],
):
    """Keep the blocks of all bodies."""
    body = wp.tid()
    patches.is_kept[body] = 1
    if body == 0:
        is_due[0] = 0
