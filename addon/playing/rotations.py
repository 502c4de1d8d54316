# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as the channels of an object in its rotation mode, without jumps from frame to frame.

Computed in float64: the angles of single-precision matrices are noisy near a gimbal lock.
"""

import numpy as np
from mathutils import Matrix

PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
# The sine of an angle below which its axis is unknown, and that of a gimbal lock.
NO_AXIS = 1e-9


def rotation_path(ob):
    """The name of the rotation channels that an object uses."""
    return PATHS.get(ob.rotation_mode, "rotation_euler")


def own_rotation(ob):
    """The rotation [3, 3] of the channels of an object alone, without its delta."""
    if ob.rotation_mode == "QUATERNION":
        return np.array(ob.rotation_quaternion.normalized().to_matrix())
    if ob.rotation_mode == "AXIS_ANGLE":
        angle, *axis = ob.rotation_axis_angle
        return np.array(Matrix.Rotation(angle, 3, axis if any(axis) else (0.0, 1.0, 0.0)))
    return np.array(ob.rotation_euler.to_matrix())


def channels(rotations, mode, before):
    """The channels [frame, 3 or 4] of `rotations` [frame, 3, 3] in a rotation mode of Blender, each
    as near as possible to those of the frame before; `before` are those ahead of the first one.
    """
    following = {"QUATERNION": _quaternion, "AXIS_ANGLE": _axis_angle}.get(mode)
    result = []
    for rotation in rotations:
        before = following(rotation, before) if following else _euler(rotation, mode, before)
        result.append(before)
    return np.array(result)


def nearest_rotations(matrices):
    """The rotations nearest to `matrices` [matrix, 3, 3]: their polar factors."""
    u, _, vt = np.linalg.svd(matrices)
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    return u @ vt


def _quaternion(rotation, before):
    """w, x, y, z; by the largest of the four, which keeps all digits (Shepperd 1978)."""
    diagonal = np.diag(rotation)
    squares = 1.0 + np.array([diagonal.sum(), *(2.0 * diagonal - diagonal.sum())])
    largest = int(np.argmax(squares))
    x, y, z = (rotation[k - 1, k - 2] - rotation[k - 2, k - 1] for k in range(3))
    if largest == 0:
        q = np.array([squares[0], x, y, z])
    else:
        i = largest - 1
        q = np.empty(4)
        q[0] = (x, y, z)[i]
        q[1:] = rotation[i] + rotation[:, i]
        q[largest] = squares[largest]
    q /= np.linalg.norm(q)
    return -q if q @ np.asarray(before) < 0.0 else q


def _axis_angle(rotation, before):
    """The angle and the axis."""
    q = _quaternion(rotation, (1.0, 0.0, 0.0, 0.0))
    sine = np.linalg.norm(q[1:])
    last = np.asarray(before[1:], np.float64)
    if sine > NO_AXIS:
        axis = q[1:] / sine
    else:
        axis = last / np.linalg.norm(last) if last.any() else np.array([0.0, 1.0, 0.0])
    angle = 2.0 * np.arctan2(sine, q[0])
    if axis @ last < 0.0:
        axis, angle = -axis, -angle
    return np.array([_near(angle, before[0]), *axis])


def _euler(rotation, order, before):
    """The angles about x, y and z; `order` names the axes in the order of the turns."""
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    last = np.arctan2(sign * rotation[j, i], rotation[i, i])
    if np.hypot(rotation[j, i], rotation[i, i]) < NO_AXIS:
        last = before[k]  # gimbal lock: any angle will do
    found = []
    for angle in (last, last + np.pi):
        # With the last turn taken back, the others are exact even near a gimbal lock.
        rest = _turn(k, -angle) @ rotation
        angles = np.empty(3)
        angles[i] = np.arctan2(-sign * rest[j, k], rest[j, j])
        angles[j] = np.arctan2(-sign * rest[k, i], rest[i, i])
        angles[k] = angle
        found.append(_near(angles, np.asarray(before)))
    return min(found, key=lambda angles: np.abs(angles - before).sum())


def _turn(axis, angle):
    """The rotation [3, 3] by an angle about a coordinate axis."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    turn = np.eye(3)
    turn[j, j] = turn[k, k] = np.cos(angle)
    turn[k, j] = np.sin(angle)
    turn[j, k] = -turn[k, j]
    return turn


def _near(angle, before):
    """An angle plus whole turns that is nearest to the one before."""
    return angle - 2.0 * np.pi * np.round((angle - before) / (2.0 * np.pi))
