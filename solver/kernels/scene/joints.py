# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of joints whose direction turns with a body, and whose place slides on it.

A guide holds a point P of one body at a coordinate s along a direction n of another one, which the
frame (R, c) of its four control points carries: q = Rᵀ (P − c) is the point in that frame.

    slide along an axis:  s = axis·(q − place)           n = R axis
    turn about an axis:   s = arm·angle                  n = R (axis × r), r the radial part of q

Its row of an attachment then has the gap C = (s − goal) n, which acts on both bodies at P: momentum
is kept. A limit (one-sided) is left out while it only pulls.
"""

import warp as wp

from ..device.options import OPTIONS
from .attachments import AttachmentRow, Attachments, release, row_force, split_scale

wp.set_module_options(OPTIONS)

mat43 = wp.types.matrix(shape=(4, 3), dtype=float)

# What a goal means.
PLACE, SPEED = wp.constant(0), wp.constant(1)
PI = wp.constant(3.14159265)


@wp.struct
class Guide:
    """A row of a joint; lengths, places and directions are those of the other body at rest."""

    row: int
    first: int  # of the other body's four corners in `Attachments.corner`; -1 in space
    slots: wp.vec4i  # of their weights in `Attachments.weight`
    center: wp.vec3  # of the corners [m]
    gradient: mat43  # ∂β_k/∂r of their weights [1/m]
    axis: wp.vec3
    zero: wp.vec3  # direction of the angle 0
    place: wp.vec3  # a point of the axis or plane [m]
    arm: float  # distance of P from the axis [m]; 0 where it slides
    sign: float  # of a limit: 1 keeps the coordinate above the goal, -1 below; 0 on both sides
    aim: int  # PLACE: the goal is given; SPEED: its change per second is
    slack: float  # a motor lags by a step, or by so much [m], before its goal waits
    middle: float  # angles are counted within π of it
    stiffness: wp.vec2  # (k_eff, s)


@wp.struct
class BodyFrame:
    """The place of the other body: its center [m] and rotation."""

    center: wp.vec3
    rotation: wp.mat33


@wp.func
def own_point(row: AttachmentRow, x: wp.array[wp.vec3], attachments: Attachments):
    """P [m]: the four corners of the attached point come first in a row."""
    total = wp.vec3(0.0)
    for k in range(row.begin, row.begin + 4):
        total += attachments.share[k] * x[attachments.corner[k]]
    return total


@wp.func
def frame_of(guide: Guide, x: wp.array[wp.vec3], attachments: Attachments):
    """The frame of the other body at x."""
    frame = BodyFrame()
    frame.rotation = wp.mat33(0.0)
    frame.center = wp.vec3(0.0)
    for k in range(4):
        corner = x[attachments.corner[guide.first + k]]
        frame.center += 0.25 * corner
        frame.rotation += wp.outer(corner, guide.gradient[k])
    return frame


@wp.func
def frame_in_space(start: wp.transform, end: wp.transform, guide: Guide, fraction: float):
    """The frame of an animated place at a fraction of the frame time."""
    frame = BodyFrame()
    turned = wp.quat_slerp(
        wp.transform_get_rotation(start), wp.transform_get_rotation(end), fraction
    )
    frame.rotation = wp.quat_to_matrix(turned)
    frame.center = wp.lerp(
        wp.transform_get_translation(start), wp.transform_get_translation(end), fraction
    )
    return frame


@wp.func
def coordinate(q: wp.vec3, guide: Guide):
    """(n, s): direction in the other body's frame, and the coordinate along it [m]."""
    arm = q - guide.place
    along = guide.axis
    s = wp.dot(along, arm)
    if guide.arm > 0.0:
        radial = wp.normalize(arm - s * guide.axis)
        along = wp.cross(guide.axis, radial)
        side = wp.cross(guide.axis, guide.zero)
        angle = wp.atan2(wp.dot(radial, side), wp.dot(radial, guide.zero)) - guide.middle
        angle -= 2.0 * PI * wp.round(angle / (2.0 * PI))
        s = guide.arm * (angle + guide.middle)
    return along, s


@wp.func
def nearest_turn(length: float, arm: float):
    """A length of arc [m] without whole turns."""
    whole = 2.0 * PI * arm
    nearest = length
    if arm > 0.0:
        nearest -= whole * wp.round(length / whole)
    return nearest


@wp.kernel
def begin_guides(
    guides: wp.array[Guide],
    starts: wp.array[wp.transform],
    ends: wp.array[wp.transform],
    given: wp.array[wp.vec2],
    fraction: wp.array[wp.float64],
    substep: float,
    step_time: float,
    x: wp.array[wp.vec3],
    attachments: Attachments,
    # in and out
    goal: wp.array[float],
):
    """Find the goal [m] of every guide at the end of this substep, one thread each.

    `given` are the goals, or speeds, at both ends of the frame [m or m/s]; x [m] is where the
    substep begins. The goal of a speed advances with it: what a compliant row lacks is not lost,
    while a motor that is too weak does not wind up.
    """
    g = wp.tid()
    guide = guides[g]
    over = float(fraction[0])
    value = wp.lerp(given[g][0], given[g][1], over)
    if guide.aim == SPEED:
        row = attachments.rows[guide.row]
        frame = BodyFrame()
        if guide.first >= 0:
            frame = frame_of(guide, x, attachments)
        else:
            frame = frame_in_space(starts[g], ends[g], guide, over - substep)
        point = own_point(row, x, attachments)
        q = wp.transpose(frame.rotation) * (point - frame.center) + guide.center
        _n, s = coordinate(q, guide)
        ahead = nearest_turn(goal[g] - s, guide.arm)
        most = wp.max(step_time * wp.abs(value), guide.slack)
        value = s + wp.clamp(ahead, -most, most) + step_time * value
    goal[g] = value


@wp.kernel
def follow_bodies(
    guides: wp.array[Guide],
    starts: wp.array[wp.transform],
    ends: wp.array[wp.transform],
    goal: wp.array[float],
    fraction: wp.array[wp.float64],
    broken: wp.array[int],
    x: wp.array[wp.vec3],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
):
    """Turn the normals of rows, and move their places, to where bodies are. One thread a guide."""
    g = wp.tid()
    guide = guides[g]
    r = guide.row
    if broken[r] != 0:
        return
    row = attachments.rows[r]
    frame = BodyFrame()
    if guide.first >= 0:
        frame = frame_of(guide, x, attachments)
    else:
        frame = frame_in_space(starts[g], ends[g], guide, float(fraction[0]))
    point = own_point(row, x, attachments)
    q = wp.transpose(frame.rotation) * (point - frame.center) + guide.center
    along, s = coordinate(q, guide)
    off = s - goal[g]
    if guide.sign == 0.0:
        off = nearest_turn(off, guide.arm)
    place = q - off * along
    if guide.first >= 0:
        for k in range(4):
            weight = 0.25 + wp.dot(guide.gradient[k], place - guide.center)
            attachments.share[guide.first + k] = -weight
            attachments.weight[guide.slots[k]] = -weight
    else:
        attachments.point[r] = frame.center + frame.rotation * (place - guide.center)
    # The multiplier turns with the normal.
    turned = wp.normalize(frame.rotation * along)
    size = wp.dot(multiplier[r], row.normal)
    stiffness = guide.stiffness
    if guide.sign != 0.0:
        size = guide.sign * wp.min(guide.sign * size, 0.0)
        if guide.sign * (stiffness[0] * off + stiffness[1] * size) >= 0.0:
            stiffness = wp.vec2(0.0)
            size = 0.0
    row.normal = turned
    row.along = stiffness
    attachments.rows[r] = row
    multiplier[r] = size * turned
    attachments.pull[r] = stiffness[1] * size * turned


@wp.kernel
def temper_multipliers(
    rows: wp.array[int],
    fraction: wp.array[float],
    cut: wp.array[int],
    before: wp.array[wp.vec3],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
):
    """Raise multipliers only by the part of their steps that bodies took in the last sweep: those
    of a body that contact holds would grow without bound. One thread per row of a joint.
    """
    r = rows[wp.tid()]
    row = attachments.rows[r]
    part = float(1.0)
    for k in range(row.begin, row.end):
        i = attachments.corner[k]
        if cut[i] != 0:
            part = wp.min(part, fraction[i])
    if part < 1.0:
        multiplier[r] = wp.lerp(before[r], multiplier[r], part)
        attachments.pull[r] = split_scale(row, 1, multiplier[r])


@wp.kernel
def break_joints(
    begin: wp.array[int],
    end: wp.array[int],
    arm: wp.array[float],
    strength: wp.array[float],
    x: wp.array[wp.vec3],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
    broken: wp.array[int],
):
    """Release the rows of a joint where its force, and its moment over `arm` [m], add up to more
    than its strength [N]. One thread a joint.
    """
    j = wp.tid()
    middle = wp.vec3(0.0)
    for r in range(begin[j], end[j]):
        middle += own_point(attachments.rows[r], x, attachments) / float(end[j] - begin[j])
    force = wp.vec3(0.0)
    moment = wp.vec3(0.0)
    for r in range(begin[j], end[j]):
        f = row_force(r, x, attachments)
        force += f
        moment += wp.cross(own_point(attachments.rows[r], x, attachments) - middle, f)
    if wp.length(force) + wp.length(moment) / arm[j] > strength[j]:
        for r in range(begin[j], end[j]):
            release(r, attachments, multiplier, broken)


@wp.kernel
def part_bodies(
    row: wp.array[int],
    one: wp.array[int],
    other: wp.array[int],
    bodies: int,
    broken: wp.array[int],
    # out
    may_touch: wp.array[wp.int8],
):
    """Let two bodies touch once the joint between them is broken. One thread a joint."""
    j = wp.tid()
    a = wp.int64(one[j])
    b = wp.int64(other[j])
    touch = wp.int8(broken[row[j]])
    may_touch[a * wp.int64(bodies) + b] = touch
    may_touch[b * wp.int64(bodies) + a] = touch
