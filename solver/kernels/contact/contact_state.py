# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact knows of every vertex, whatever touches it."""

import warp as wp


@wp.struct
class ContactState:
    """Arrays per vertex of the scene: of bodies, of colliders, then embedded points."""

    radius: wp.array[float]  # what the surface keeps away by [m]
    multiplier: wp.array[float]  # λ/k, how much further it reaches under a load [m]
    friction: wp.array[float]
    stiffness: wp.array[float]  # the most that a contact of the vertex may have [N/m]
    push_out_stiffness: wp.array[
        float
    ]  # of what leads it out from behind an analytic collider [N/m]
    # How far it was pulled aside by what sticks there at the end of the last step [m],
    # [analytic collider * vertex].
    pulled: wp.array[wp.vec3]
    hidden: wp.array[int]  # 1 for vertices that embedded points stand for: nothing touches them
