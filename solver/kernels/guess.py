# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial guess drawn back to the rigid motion of its piece, as far as G asks for it.

A piece is what elements and attachments join. Let x_g be the guess after the first iterations, and
x_r be xᵗ moved rigidly with the piece's momenta and with the part of gravity that its center
followed in the last step, or xᵗ itself where the piece is held. The iterations go on from

    x_r + α (x_g − x_r),   α ∈ [0, 1] where G is smallest by its slopes s_r, s_g at the two ends,
    α = s_r/(s_r − s_g),   s = −∂G/∂x · (x_g − x_r),

and from x_g where G still falls there. Motion that the iterations could not resolve would be kept
otherwise, and pump energy; falling and spinning are rigid and stay as they are. The forces at xᵗ
are not computed again: they gave the last step its acceleration, f = m ((vᵗ − vᵗ⁻¹)/h − g)
with the gravity of that step.

The same sums over a piece give the rigid motion that brings it to its momenta after the iterations
(momentum.py).
"""

import warp as wp

from .contact.analytic_colliders import ContactModel, keep_in_front
from .motion import adaptive_acceleration
from .options import QUICK

wp.set_module_options(QUICK)

# Part of the trace of an inertia tensor added to it: rods and single points can turn freely.
THIN = wp.constant(wp.float64(1.0e-9))


@wp.struct
class Pieces:
    """Vertices by piece, in chunks that are added up by themselves, and sums per chunk."""

    vertex: wp.array[int]  # free vertices, piece by piece
    chunk_start: wp.array[int]  # [chunk + 1] places in `vertex`
    first_chunk: wp.array[int]  # [piece + 1]
    held: wp.array[int]  # [piece]
    of: wp.array[int]  # [vertex] piece of a free vertex
    weight: wp.array[wp.float64]  # Σ w, w = m/h² [N/m], shape [chunk], and so on
    center: wp.array[wp.vec3d]  # Σ w xᵗ
    motion: wp.array[wp.vec3d]  # Σ w vᵗ
    push: wp.array[wp.vec3d]  # Σ w (vᵗ − vᵗ⁻¹)/h
    spin: wp.array[wp.vec3d]  # Σ w xᵗ × vᵗ
    spread: wp.array[wp.mat33d]  # Σ w xᵗ xᵗᵀ
    slope: wp.array[wp.vec2d]  # Σ (s_r, s_g) [J]
    turn: wp.array[wp.mat33d]  # x_r = turn xᵗ + shift, shape [piece]
    shift: wp.array[wp.vec3d]
    share: wp.array[float]  # α, shape [piece]


@wp.func
def rotation_matrix(angle: wp.vec3d):
    """The rotation by |angle| about its direction (Rodrigues)."""
    one = wp.identity(n=3, dtype=wp.float64)
    size = wp.length(angle)
    turn = one
    if size > wp.float64(0.0):
        k = wp.skew(angle / size)
        turn = one + wp.sin(size) * k + (wp.float64(1.0) - wp.cos(size)) * (k * k)
    return turn


@wp.func
def rigidly_moved(x: wp.vec3, piece: int, pieces: Pieces):
    """x_r [m] of a vertex at x."""
    moved = pieces.turn[piece] * wp.vec3d(x) + pieces.shift[piece]
    return wp.vec3(moved)


@wp.kernel
def add_moments(
    x_start: wp.array[wp.vec3],
    velocity: wp.array[wp.vec3],
    acceleration: wp.array[wp.vec3],
    inertia: wp.array[float],
    # in and out
    pieces: Pieces,
):
    """Momentum, angular momentum and moments of a chunk. One thread per chunk."""
    chunk = wp.tid()
    weight = wp.float64(0.0)
    center = wp.vec3d()
    motion = wp.vec3d()
    push = wp.vec3d()
    spin = wp.vec3d()
    spread = wp.mat33d()
    for q in range(pieces.chunk_start[chunk], pieces.chunk_start[chunk + 1]):
        i = pieces.vertex[q]
        w = wp.float64(inertia[i])
        x = wp.vec3d(x_start[i])
        v = wp.vec3d(velocity[i])
        weight += w
        center += w * x
        motion += w * v
        push += w * wp.vec3d(acceleration[i])
        spin += w * wp.cross(x, v)
        spread += w * wp.outer(x, x)
    pieces.weight[chunk] = weight
    pieces.center[chunk] = center
    pieces.motion[chunk] = motion
    pieces.push[chunk] = push
    pieces.spin[chunk] = spin
    pieces.spread[chunk] = spread


@wp.kernel
def find_rigid_motion(
    gravity: wp.array[wp.vec3],
    h: wp.float64,
    # in and out
    pieces: Pieces,
):
    """Turn and shift of every piece. `gravity` [2]: now, in the last step. One thread per piece."""
    piece = wp.tid()
    weight = wp.float64(0.0)
    center = wp.vec3d()
    motion = wp.vec3d()
    push = wp.vec3d()
    spin = wp.vec3d()
    spread = wp.mat33d()
    for chunk in range(pieces.first_chunk[piece], pieces.first_chunk[piece + 1]):
        weight += pieces.weight[chunk]
        center += pieces.center[chunk]
        motion += pieces.motion[chunk]
        push += pieces.push[chunk]
        spin += pieces.spin[chunk]
        spread += pieces.spread[chunk]
    one = wp.identity(n=3, dtype=wp.float64)
    turn = one
    shift = wp.vec3d()
    if pieces.held[piece] == 0 and weight > wp.float64(0.0):
        center /= weight
        spin -= wp.cross(center, motion)
        spread -= weight * wp.outer(center, center)
        size = wp.trace(spread)
        tensor = (size * (wp.float64(1.0) + THIN)) * one - spread
        if wp.determinant(tensor) > wp.float64(0.0):
            turn = rotation_matrix(h * (wp.inverse(tensor) * spin))
        followed = adaptive_acceleration(wp.vec3(push / weight), gravity[0])
        moved = (h / weight) * motion + (h * h) * wp.vec3d(followed)
        shift = center + moved - turn * center
    pieces.turn[piece] = turn
    pieces.shift[piece] = shift


@wp.kernel
def find_guess_slopes(
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
    acceleration: wp.array[wp.vec3],
    inertia: wp.array[float],
    force: wp.array[wp.vec3],
    gravity: wp.array[wp.vec3],
    h: float,
    pieces: Pieces,
    # out
    slope: wp.array[wp.vec2],
):
    """−∂G/∂x_i · (x_g − x_r) [J] at x_r and at the guess x_g; `force` [N] is −∂G/∂x at x_g."""
    i = wp.tid()
    rigid = rigidly_moved(x_start[i], pieces.of[i], pieces)
    back = x[i] - rigid
    ahead = inertial[i] - rigid + (h * h) * (acceleration[i] - gravity[1])
    slope[i] = wp.vec2(inertia[i] * wp.dot(ahead, back), wp.dot(force[i], back))


@wp.kernel
def add_slopes(
    slope: wp.array[wp.vec2],
    # in and out
    pieces: Pieces,
):
    """The slopes of a chunk. One thread per chunk."""
    chunk = wp.tid()
    total = wp.vec2d()
    for q in range(pieces.chunk_start[chunk], pieces.chunk_start[chunk + 1]):
        total += wp.vec2d(slope[pieces.vertex[q]])
    pieces.slope[chunk] = total


@wp.kernel
def find_shares(
    kept: float,
    # in and out
    pieces: Pieces,
):
    """α of every piece, 1 where it is above `kept`. One thread per piece."""
    piece = wp.tid()
    slope = wp.vec2d()
    for chunk in range(pieces.first_chunk[piece], pieces.first_chunk[piece + 1]):
        slope += pieces.slope[chunk]
    share = wp.float64(1.0)
    # Written so that slopes that are not numbers give up the guess.
    if not slope[1] >= wp.float64(0.0):
        share = wp.float64(0.0)
        if slope[0] > wp.float64(0.0):
            share = slope[0] / (slope[0] - slope[1])
    pieces.share[piece] = wp.where(share > wp.float64(kept), 1.0, float(share))


@wp.kernel
def step_aside(
    x_start: wp.array[wp.vec3],
    pieces: Pieces,
    force: wp.array[wp.vec3],
    # out
    x: wp.array[wp.vec3],
    end: wp.array[wp.vec3],
    force_at_end: wp.array[wp.vec3],
):
    """Go to x_r, and keep the place and the force of before. One thread per free vertex."""
    i = wp.tid()
    end[i] = x[i]
    force_at_end[i] = force[i]
    x[i] = rigidly_moved(x_start[i], pieces.of[i], pieces)


@wp.kernel
def find_slopes(
    x: wp.array[wp.vec3],
    end: wp.array[wp.vec3],
    force: wp.array[wp.vec3],
    force_at_end: wp.array[wp.vec3],
    # out
    slope: wp.array[wp.vec2],
):
    """−∂G/∂x_i · (end − x) [J] at x and at the end."""
    i = wp.tid()
    way = end[i] - x[i]
    slope[i] = wp.vec2(wp.dot(force[i], way), wp.dot(force_at_end[i], way))


@wp.kernel
def draw_back(
    x_start: wp.array[wp.vec3],
    pieces: Pieces,
    end: wp.array[wp.vec3],
    # out
    x: wp.array[wp.vec3],
):
    """x = x_r + α (x_g − x_r), x_g being `end`. One thread per free vertex."""
    i = wp.tid()
    piece = pieces.of[i]
    share = pieces.share[piece]
    place = end[i]
    if share < 1.0:
        rigid = rigidly_moved(x_start[i], piece, pieces)
        drawn = wp.lerp(rigid, place, share)
        if wp.isfinite(drawn):
            place = drawn
    x[i] = place


@wp.kernel
def find_ways(
    x: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
    # out
    way: wp.array[wp.vec3],
):
    """y − x [m] of every free vertex: what the forces of the step have kept it from."""
    i = wp.tid()
    way[i] = inertial[i] - x[i]


@wp.kernel
def move_rigidly(
    before: wp.array[wp.vec3],
    pieces: Pieces,
    contact_model: ContactModel,
    # out
    x: wp.array[wp.vec3],
):
    """Move every free vertex with its piece, as far as analytic colliders allow."""
    i = wp.tid()
    start = before[i]
    step = rigidly_moved(start, pieces.of[i], pieces) - start
    if pieces.held[pieces.of[i]] == 0 and wp.isfinite(step):
        x[i] = start + keep_in_front(i, start, step, contact_model)
