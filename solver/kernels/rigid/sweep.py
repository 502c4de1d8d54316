# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of rigid bodies in a sweep: one 6 × 6 Newton step per body, in float64.

With the target c̃, R̃ of inertia, and forces f at arms a (forces.py):

    F = m/h² (c̃ − c) + Σ f,   τ = axial(R J R̃ᵀ)/h² + Σ a × f
    K_uu = m/h² 1 + Σ H,   K_θθ = (tr W 1 − W) − Σ [a]ₓ H [a]ₓ,   W = R J Rᵀ/h²
"""

from functools import cache

import warp as wp

from ..descent.vertex_solve import ANALYTIC, ATTACHMENTS, IN_CELLS, Objective
from ..device.options import OPTIONS
from ..groups.rigid_steps import newton_step
from ..groups.wrench import axial
from .forces import RigidStep, forces_function
from .poses import RigidArrays, angle_of, image, part_of_turn, tensor_of, turned_by

wp.set_module_options(OPTIONS)

# The active contacts of a step are updated at most this many times.
PASSES = wp.constant(3)


@wp.func
def reach_of(shift: wp.vec3d, angle: wp.vec3d, size: float):
    """Return a bound of the displacement [m] of points within `size` [m] of the center."""
    return float(wp.length(shift)) + float(wp.length(angle)) * size


@cache
def body_kernel(terms: int) -> wp.Kernel:
    """Return the kernel for an objective with `terms` (vertex_solve.py)."""
    width = 8 if terms & IN_CELLS else 4
    forces_on_body = forces_function(width, bool(terms & ANALYTIC), bool(terms & ATTACHMENTS))

    @wp.func
    def body_step(
        b: int,
        points: wp.vec2i,
        size: float,
        color: wp.vec2i,
        x: wp.array[wp.vec3],
        h: wp.float64,
        objective: Objective,
        bodies: RigidArrays,
    ):
        """Return the step of body b, shift [m] and angle [rad], and the number of its contacts.

        Contacts act on one side only: the step is solved again with those at its end until they no
        longer change, at most PASSES times.
        """
        weight = bodies.mass[b] / (h * h)
        turn = bodies.turn[b]
        moment = turn * bodies.second[b]
        tensor = tensor_of(moment * wp.transpose(turn) / (h * h))
        force = weight * (bodies.target_center[b] - bodies.center[b])
        torque = axial(moment * wp.transpose(bodies.target_turn[b])) / (h * h)
        step = RigidStep()
        step.first = bodies.first + 4 * b
        step.center = bodies.center[b]
        step.color = color
        shift = wp.vec3d()
        angle = wp.vec3d()
        touching = int(0)
        active_before = int(0)
        passes = int(0)
        while passes <= PASSES:
            found = forces_on_body(
                points,
                step,
                x,
                objective.x_start,
                objective.contacts,
                objective.attachments,
                objective.contact_model,
            )
            if passes > 0 and found.active_set == active_before:
                break
            active_before = found.active_set
            touching = wp.max(touching, found.touching)
            wrench = found.wrench
            shift, angle = newton_step(
                weight, tensor, force + wrench.force, torque + wrench.torque, wrench
            )
            fraction = part_of_turn(angle)
            shift *= fraction
            angle *= fraction
            step.shift = wp.vec3(shift)
            step.angle = wp.vec3(angle)
            passes += 1
            if passes == 1 and reach_of(shift, angle, size) < found.margin:
                break
        return shift, angle, touching

    @wp.kernel(module="unique", module_options=OPTIONS)
    def solve_bodies(
        first: int,
        color: wp.vec2i,
        points: wp.array[wp.vec2i],
        size: wp.array[float],
        h: wp.float64,
        objective: Objective,
        # in and out
        bodies: RigidArrays,
        # out
        x: wp.array[wp.vec3],
        moved: wp.array[wp.vec3],
        touched: wp.array[int],
        rejected: wp.array[int],
    ):
        """Set the candidates of every body of a range of one color by its own Newton step. One
        thread per body. Animation leads driven bodies to their targets.
        """
        b = first + wp.tid()
        at = bodies.first + 4 * b
        shift = wp.vec3d()
        angle = wp.vec3d()
        touching = int(0)
        if bodies.driven[b] != 0:
            shift = bodies.target_center[b] - bodies.center[b]
            angle = angle_of(bodies.target_turn[b] * wp.transpose(bodies.turn[b]))
            fraction = part_of_turn(angle)
            shift *= fraction
            angle *= fraction
        elif objective.contact_model.state.asleep[at] == 0:
            shift, angle, touching = body_step(
                b, points[b], size[b], color, x, h, objective, bodies
            )
        if not wp.isfinite(shift) or not wp.isfinite(angle):
            shift = wp.vec3d()
            angle = wp.vec3d()
            rejected[at] = rejected[at] + 1
        bodies.shift[b] = shift
        bodies.angle[b] = angle
        turn = turned_by(angle, bodies.turn[b])
        for k in range(4):
            moved[at + k] = image(k, bodies.center[b] + shift, turn, bodies.root[b])
            if touching > 0:
                touched[at + k] = 1

    return solve_bodies
