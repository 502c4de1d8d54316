# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of groups: poses follow them to the last digit, also where float32 is coarse."""

import warp as wp

from ..device.options import OPTIONS
from ..groups.free_flight import Flights
from ..scene.attachments import Attachments
from .poses import RigidArrays

wp.set_module_options(OPTIONS)


@wp.kernel
def fly_bodies(
    number: wp.array[int],
    flights: Flights,
    # in and out
    bodies: RigidArrays,
):
    """Move the bodies of flying groups by the motion of their group. One thread per body."""
    b = wp.tid()
    group = flights.group[number[b]]
    if flights.unmoved[group] == 0:
        bodies.center[b] = bodies.center[b] + wp.vec3d(flights.motion[group])


@wp.kernel
def restore_bodies(
    number: wp.array[int],
    group: wp.array[int],
    unmoved: wp.array[int],
    center: wp.array[wp.vec3d],
    turn: wp.array[wp.mat33d],
    # in and out
    bodies: RigidArrays,
):
    """Restore the saved poses of unmoved groups. One thread per body."""
    b = wp.tid()
    if unmoved[group[number[b]]] != 0:
        bodies.center[b] = center[b]
        bodies.turn[b] = turn[b]


@wp.func
def is_attached(first: int, attachments: Attachments, broken: wp.array[int]):
    """Return whether an unbroken attachment holds the body with the four vertices from `first`."""
    for i in range(first, first + 4):
        for k in range(attachments.start[i], attachments.start[i + 1]):
            if broken[attachments.row[k]] == 0:
                return True
    return False


@wp.kernel
def anchor_bodies(
    number: wp.array[int],
    bodies: RigidArrays,
    attachments: Attachments,
    broken: wp.array[int],
    # out
    anchored: wp.array[int],
):
    """Mark the bodies that animation leads or that attachments hold. One thread per body."""
    b = wp.tid()
    is_held = bodies.driven[b] != 0 or is_attached(bodies.first + 4 * b, attachments, broken)
    anchored[number[b]] = int(is_held)


@wp.kernel
def find_free(
    first_vertex: int,
    attachments: Attachments,
    broken: wp.array[int],
    # out
    free: wp.array[int],
):
    """Mark the bodies that no unbroken attachment holds. One thread per rigid body."""
    b = wp.tid()
    free[b] = int(not is_attached(first_vertex + 4 * b, attachments, broken))
