# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial guess, drawn back towards the rigid motion of its component by a line search on G.

A component is a set of vertices joined by elements and attachments. Let x_g be the guess after the
first iterations, and x_r be xᵗ moved rigidly with the momenta of its component and with the part of
gravity that its center followed in the last step, or xᵗ where it is held. Iterations continue from

    x_r + α (x_g − x_r),   α ∈ [0, 1] where G is smallest by its slopes s_r, s_g at the two ends,
    α = s_r/(s_r − s_g),   s = −∂G/∂x · (x_g − x_r),

and from x_g where G still falls there. Motion that the iterations could not resolve would be kept
otherwise, and pump energy; falling and spinning are rigid and stay as they are. Where iterations
are few, x_g is also where the last of them ends. For a guess the forces at xᵗ are not computed
again: they gave the last step its acceleration, f = m ((vᵗ − vᵗ⁻¹)/h − g) with its gravity.
"""

import warp as wp

from ..device.blocks import block_mat33, block_sum, block_vec3
from ..device.options import OPTIONS
from .motion import adaptive_acceleration

wp.set_module_options(OPTIONS)

# Fraction of the trace of an inertia tensor added to it: rods and single points can turn freely.
THIN = wp.constant(wp.float64(1.0e-9))


@wp.struct
class Components:
    """Vertices by component, in chunks that are summed separately, and sums per chunk."""

    vertex: wp.array[int]  # free vertices, component by component
    chunk_start: wp.array[int]  # [chunk + 1] offsets in `vertex`
    first_chunk: wp.array[int]  # [component + 1]
    held: wp.array[int]  # [component]
    of: wp.array[int]  # [vertex] component of a free vertex
    weight: wp.array[wp.float64]  # Σ w, w = m/h² [N/m], shape [chunk], and so on
    center: wp.array[wp.vec3d]  # Σ w xᵗ
    motion: wp.array[wp.vec3d]  # Σ w vᵗ
    push: wp.array[wp.vec3d]  # Σ w (vᵗ − vᵗ⁻¹)/h
    spin: wp.array[wp.vec3d]  # Σ w xᵗ × vᵗ
    spread: wp.array[wp.mat33d]  # Σ w xᵗ xᵗᵀ
    slope: wp.array[wp.vec2d]  # Σ (s_r, s_g) [J]
    turn: wp.array[wp.mat33d]  # x_r = turn xᵗ + shift, shape [component]
    shift: wp.array[wp.vec3d]
    alpha: wp.array[float]  # α, shape [component]


@wp.func
def rotation_matrix(angle: wp.vec3d):
    """Return the rotation by |angle| about its direction (Rodrigues)."""
    one = wp.identity(n=3, dtype=wp.float64)
    size = wp.length(angle)
    turn = one
    if size > wp.float64(0.0):
        k = wp.skew(angle / size)
        turn = one + wp.sin(size) * k + (wp.float64(1.0) - wp.cos(size)) * (k * k)
    return turn


@wp.func
def rate_of_turn(spread: wp.mat33d, spin: wp.vec3d):
    """Return ω [rad/s] of the angular momentum Σ w r × v, with `spread` Σ w r rᵀ about the center.

    A straight body does not turn about its own axis, and a point does not turn at all.
    """
    rate = wp.vec3d()
    size = wp.trace(spread)
    one = wp.identity(n=3, dtype=wp.float64)
    tensor = (size * (wp.float64(1.0) + THIN)) * one - spread
    if wp.determinant(tensor) > wp.float64(0.0):
        rate = wp.inverse(tensor) * spin
    return rate


@wp.func
def rigidly_moved(x: wp.vec3, component: int, components: Components):
    """Return x_r [m] of a vertex at x."""
    moved = components.turn[component] * wp.vec3d(x) + components.shift[component]
    return wp.vec3(moved)


@wp.kernel
def add_moments(
    x_start: wp.array[wp.vec3],
    velocity: wp.array[wp.vec3],
    acceleration: wp.array[wp.vec3],
    inertia: wp.array[float],
    # in and out
    components: Components,
):
    """Sum up momentum, angular momentum and moments of a chunk. One block per chunk."""
    chunk, lane = wp.tid()
    weight = wp.float64(0.0)
    center = wp.vec3d()
    motion = wp.vec3d()
    push = wp.vec3d()
    spin = wp.vec3d()
    spread = wp.mat33d()
    first, end = components.chunk_start[chunk], components.chunk_start[chunk + 1]
    for q in range(first + lane, end, wp.block_dim()):
        i = components.vertex[q]
        w = wp.float64(inertia[i])
        x = wp.vec3d(x_start[i])
        v = wp.vec3d(velocity[i])
        weight += w
        center += w * x
        motion += w * v
        push += w * wp.vec3d(acceleration[i])
        spin += w * wp.cross(x, v)
        spread += w * wp.outer(x, x)
    weight, spread = block_sum(weight), block_mat33(spread)
    center, motion, push, spin = (
        block_vec3(center),
        block_vec3(motion),
        block_vec3(push),
        block_vec3(spin),
    )
    if lane == 0:
        components.weight[chunk] = weight
        components.center[chunk] = center
        components.motion[chunk] = motion
        components.push[chunk] = push
        components.spin[chunk] = spin
        components.spread[chunk] = spread


@wp.kernel
def find_rigid_motion(
    gravity: wp.array[wp.vec3],
    h: wp.float64,
    # in and out
    components: Components,
):
    """Find turn and shift of components, one block each. `gravity` [2]: now, in the last step."""
    component, lane = wp.tid()
    weight = wp.float64(0.0)
    center = wp.vec3d()
    motion = wp.vec3d()
    push = wp.vec3d()
    spin = wp.vec3d()
    spread = wp.mat33d()
    first, end = components.first_chunk[component], components.first_chunk[component + 1]
    for chunk in range(first + lane, end, wp.block_dim()):
        weight += components.weight[chunk]
        center += components.center[chunk]
        motion += components.motion[chunk]
        push += components.push[chunk]
        spin += components.spin[chunk]
        spread += components.spread[chunk]
    weight, spread = block_sum(weight), block_mat33(spread)
    center, motion, push, spin = (
        block_vec3(center),
        block_vec3(motion),
        block_vec3(push),
        block_vec3(spin),
    )
    turn = wp.identity(n=3, dtype=wp.float64)
    shift = wp.vec3d()
    if components.held[component] == 0 and weight > wp.float64(0.0):
        center /= weight
        spin -= wp.cross(center, motion)
        spread -= weight * wp.outer(center, center)
        turn = rotation_matrix(h * rate_of_turn(spread, spin))
        followed = adaptive_acceleration(wp.vec3(push / weight), gravity[0])
        moved = (h / weight) * motion + (h * h) * wp.vec3d(followed)
        shift = center + moved - turn * center
    if lane == 0:
        components.turn[component] = turn
        components.shift[component] = shift


@wp.kernel
def find_slopes(
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
    acceleration: wp.array[wp.vec3],
    inertia: wp.array[float],
    force: wp.array[wp.vec3],
    gravity: wp.array[wp.vec3],
    h: float,
    components: Components,
    # out
    slope: wp.array[wp.vec2],
):
    """Find −∂G/∂x_i · (x_g − x_r) [J] at x_r and at the guess x_g; `force` is −∂G/∂x [N] at x_g."""
    i = wp.tid()
    rigid = rigidly_moved(x_start[i], components.of[i], components)
    back = x[i] - rigid
    displacement = inertial[i] - rigid + (h * h) * (acceleration[i] - gravity[1])
    slope[i] = wp.vec2(inertia[i] * wp.dot(displacement, back), wp.dot(force[i], back))


@wp.kernel
def step_aside(
    x_start: wp.array[wp.vec3],
    components: Components,
    force: wp.array[wp.vec3],
    # in and out
    x: wp.array[wp.vec3],
    # out
    end: wp.array[wp.vec3],
    force_at_end: wp.array[wp.vec3],
):
    """Move x to x_r, and save position and force of the `end`. One thread per free vertex."""
    i = wp.tid()
    end[i] = x[i]
    force_at_end[i] = force[i]
    x[i] = rigidly_moved(x_start[i], components.of[i], components)


@wp.kernel
def find_slopes_between(
    x: wp.array[wp.vec3],
    end: wp.array[wp.vec3],
    force: wp.array[wp.vec3],
    force_at_end: wp.array[wp.vec3],
    # out
    slope: wp.array[wp.vec2],
):
    """Find −∂G/∂x_i · (end − x) [J] at x and at the end from the forces [N] there."""
    i = wp.tid()
    path = end[i] - x[i]
    slope[i] = wp.vec2(wp.dot(force[i], path), wp.dot(force_at_end[i], path))


@wp.kernel
def add_slopes(
    slope: wp.array[wp.vec2],
    # in and out
    components: Components,
):
    """Sum up the slopes of a chunk. One block per chunk."""
    chunk, lane = wp.tid()
    total = wp.vec2d()
    first, end = components.chunk_start[chunk], components.chunk_start[chunk + 1]
    for q in range(first + lane, end, wp.block_dim()):
        total += wp.vec2d(slope[components.vertex[q]])
    total = wp.vec2d(block_sum(total[0]), block_sum(total[1]))
    if lane == 0:
        components.slope[chunk] = total


@wp.kernel
def find_alphas(
    threshold: wp.array[float],
    # in and out
    components: Components,
):
    """Find α of every component, 1 where it is above `threshold` [component]. One block each."""
    component, lane = wp.tid()
    slope = wp.vec2d()
    first, end = components.first_chunk[component], components.first_chunk[component + 1]
    for chunk in range(first + lane, end, wp.block_dim()):
        slope += components.slope[chunk]
    slope = wp.vec2d(block_sum(slope[0]), block_sum(slope[1]))
    alpha = wp.float64(1.0)
    # Written so that slopes that are not numbers reject the guess.
    if not slope[1] >= wp.float64(0.0):
        alpha = wp.float64(0.0)
        if slope[0] > wp.float64(0.0):
            alpha = slope[0] / (slope[0] - slope[1])
    if lane == 0:
        components.alpha[component] = wp.where(
            alpha > wp.float64(threshold[component]), 1.0, float(alpha)
        )


@wp.kernel
def draw_back(
    x_start: wp.array[wp.vec3],
    components: Components,
    # in and out
    x: wp.array[wp.vec3],
):
    """x_r + α (x_g − x_r) of x_g, the positions x. One thread per free vertex."""
    i = wp.tid()
    component = components.of[i]
    alpha = components.alpha[component]
    if alpha < 1.0:
        rigid = rigidly_moved(x_start[i], component, components)
        drawn = wp.lerp(rigid, x[i], alpha)
        if wp.isfinite(drawn):
            x[i] = drawn
