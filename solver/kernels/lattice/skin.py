# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth skin: points in cells follow a surface whose slopes are continuous between cells.

At t in [0, 1]³ of a cell with the corners x̄_k the skin is, without mixed derivatives,

    Σ_k Π_a v_ka x̄_k + Σ_k Σ_a g_ka Π_{b≠a} v_kb s_ka,

the cubic Hermite interpolation with v = 1 − t²(3 − 2t), g = t (1 − t)² at corners where t is 0, and
mirrored at the others. The slope s_ka at a corner along axis a is half of the difference of its
neighbors (Catmull and Rom 1974), or the difference to the only one. x̄ are the corners x, smoothed
by (1, 6, 1)/8 along each axis where both neighbors are there. Affine motion is exact.

The skin differs from Σ w x by an offset. It is constant while vertices move, and updated between
two substeps by a motion of the points, within what their contacts allow.
"""

import warp as wp

from ..contact.analytic_colliders import ContactModel
from ..contact.feasibility.collider_bounds import keep_in_front
from ..contact.feasibility.plane_bounds import fraction_within
from ..device.options import OPTIONS
from .embedding import Embedding, point_position
from .skin_arrays import Skin

wp.set_module_options(OPTIONS)


@wp.kernel
def smooth_corners(
    first: int,
    axis: int,
    x: wp.array[wp.vec3],
    skin: Skin,
    smoothing: float,
    # out
    places: wp.array[wp.vec3],
):
    """Smooth the corners of cells with a smooth skin along an axis, x to `places` [m], by a
    fraction of their second differences.
    """
    place = first + wp.tid()
    i = skin.corners[place]
    below = skin.neighbors[6 * place + 2 * axis]
    above = skin.neighbors[6 * place + 2 * axis + 1]
    smoothed = x[i]
    if below != i and above != i:
        smoothed += smoothing * (x[below] + x[above] - 2.0 * x[i])
    places[i] = smoothed


@wp.kernel
def find_slopes(
    first: int,
    x: wp.array[wp.vec3],
    # out
    skin: Skin,
):
    """Find the slopes at smoothed corners x of cells with a smooth skin [m per cell]."""
    place = first + wp.tid()
    i = skin.corners[place]
    for axis in range(3):
        below = skin.neighbors[6 * place + 2 * axis]
        above = skin.neighbors[6 * place + 2 * axis + 1]
        scale = wp.where(below != i and above != i, 0.5, 1.0)
        skin.slopes[3 * i + axis] = scale * (x[above] - x[below])


@wp.func
def hermite(t: float, bit: int):
    """Return (v, g) of a corner, where t is `bit`."""
    s = wp.where(bit != 0, t, 1.0 - t)
    side = wp.where(bit != 0, -1.0, 1.0)
    return s * s * (3.0 - 2.0 * s), side * s * s * (1.0 - s)


@wp.func
def skin_offset(
    begin: int,
    x: wp.array[wp.vec3],
    corners: wp.array[int],
    weights: wp.array[float],
    skin: Skin,
):
    """Return the offset [m] of a point of a smooth skin, with its corners from `begin` on."""
    t = wp.vec3(0.0)
    for k in range(8):
        w = weights[begin + k]
        t += w * wp.vec3(float(k & 1), float(k >> 1 & 1), float(k >> 2))
    t = wp.max(wp.min(t, wp.vec3(1.0)), wp.vec3(0.0))
    base = x[corners[begin]]
    offset = wp.vec3(0.0)
    for k in range(8):
        i = corners[begin + k]
        v_x, g_x = hermite(t[0], k & 1)
        v_y, g_y = hermite(t[1], k >> 1 & 1)
        v_z, g_z = hermite(t[2], k >> 2)
        linear = wp.where((k & 1) != 0, t[0], 1.0 - t[0])
        linear *= wp.where((k >> 1 & 1) != 0, t[1], 1.0 - t[1])
        linear *= wp.where((k >> 2) != 0, t[2], 1.0 - t[2])
        offset += (v_x * v_y * v_z) * (skin.places[i] - base) - linear * (x[i] - base)
        offset += (g_x * v_y * v_z) * skin.slopes[3 * i]
        offset += (v_x * g_y * v_z) * skin.slopes[3 * i + 1]
        offset += (v_x * v_y * g_z) * skin.slopes[3 * i + 2]
    return offset


@wp.kernel
def find_steps(
    first: int,
    x: wp.array[wp.vec3],
    asleep: wp.array[int],
    model: ContactModel,
    has_regions: int,
    # in and out
    skin: Skin,
):
    """Find the step of every point of a smooth skin to where it should be, and how far it is [m],
    and shorten it where it would lead through an analytic collider or, if pairs were searched for,
    farther than the search has allowed.
    """
    p = skin.points[first + wp.tid()]
    s = model.embedding.first + p
    now = model.embedding.offset[p]
    corners, weights = model.embedding.corners, model.embedding.weights
    step = skin_offset(8 * p, x, corners, weights, skin) - now
    if asleep[model.body[s]] != 0 or not wp.isfinite(step):
        step = wp.vec3(0.0)
    skin.change[p] = wp.length(step)
    if has_regions != 0:
        step *= fraction_within(now - skin.searched[p], step, wp.vec3(0.0), skin.reach[p])
    step = keep_in_front(s, x[s], step, model)
    skin.step[p] = step


@wp.kernel
def take_steps(
    first: int,
    fraction: wp.array[float],
    skin: Skin,
    # in and out
    embedding: Embedding,
    # out
    x: wp.array[wp.vec3],
):
    """Let points of smooth skins take the allowed `fraction` of their steps."""
    p = skin.points[first + wp.tid()]
    s = embedding.first + p
    embedding.offset[p] = embedding.offset[p] + fraction[s] * skin.step[p]
    x[s] = point_position(s, x, embedding)


@wp.kernel
def move_rows(
    x: wp.array[wp.vec3],
    skin: Skin,
    # in and out
    offsets: wp.array[wp.vec3],
    point: wp.array[wp.vec3],
):
    """Let the goals p of rows of attachments [m] allow for the `offsets` of their ends on smooth
    skins, which were those before [row]. One thread per such row.
    """
    place = wp.tid()
    offset = wp.vec3(0.0)
    for end in range(skin.first_end[place], skin.first_end[place + 1]):
        moved = skin_offset(8 * end, x, skin.end_corners, skin.end_weights, skin)
        offset += skin.sign[end] * moved
    if wp.isfinite(offset):
        r = skin.rows[place]
        point[r] = point[r] - (offset - offsets[place])
        offsets[place] = offset


@wp.kernel
def find_largest(
    embedding: Embedding,
    # in and out
    skin: Skin,
):
    """Find the largest offset [m]; begins as 0."""
    wp.atomic_max(skin.largest, 0, wp.length(embedding.offset[skin.points[wp.tid()]]))
