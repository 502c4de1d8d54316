# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties of every vertex, for all its contacts."""

import warp as wp


@wp.struct
class ContactState:
    """Arrays per vertex of the scene: of bodies, of colliders, then embedded points."""

    radius: wp.array[float]  # contact distance [m]
    multiplier: wp.array[float]  # λ/k, increase of the contact distance under a load [m]
    friction: wp.array[float]
    # Static friction, and 1 for vertices with a pair that slides (friction_choice.py); without
    # entries where all static friction is dynamic friction.
    static_friction: wp.array[float]
    sliding: wp.array[int]
    stiffness: wp.array[float]  # the largest that a contact of the vertex may have [N/m]
    # of the push-out from behind an analytic collider [N/m]
    push_out_stiffness: wp.array[float]
    # Tangential displacement of its sticking contacts at the end of the last step [m],
    # [analytic collider * vertex].
    pulled: wp.array[wp.vec3]
    hidden: wp.array[int]  # 1 for vertices without contact: embedded points replace them
    asleep: wp.array[int]  # 1 for vertices of bodies that sleep (kernels/groups/sleep.py)


@wp.func
def static_friction(state: ContactState, i: int):
    """Return the static friction coefficient of vertex i, at least the dynamic one."""
    return wp.max(state.static_friction[i], state.friction[i])
