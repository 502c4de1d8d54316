# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on the four points of rigid bodies: contacts and attachments are added up once for all
four.

Forces f at arms a act on the points X_k = c + y_k by their weights β_k = (1 + y_k·S⁻¹a)/4, with
S = Σ y_k y_kᵀ/4: f_k = (Σ f + (Σ f aᵀ) S⁻¹ y_k)/4.
"""

from functools import cache

import warp as wp

from ..descent.vertex_solve import ANALYTIC, ATTACHMENTS, FLOAT32, IN_CELLS, Objective
from ..device.options import OPTIONS
from .forces import RigidStep, forces_function
from .poses import RigidArrays, middle_of

wp.set_module_options(OPTIONS)


@cache
def residual_kernel(terms: int) -> wp.Kernel:
    """Return the kernel for an objective with `terms` (vertex_solve.py)."""
    width = 8 if terms & IN_CELLS else 4
    forces_on_body = forces_function(width, bool(terms & ANALYTIC), bool(terms & ATTACHMENTS))

    @wp.kernel(module="unique", module_options=OPTIONS)
    def residual_of_bodies(
        first: int,
        points: wp.array[wp.vec2i],
        x: wp.array[wp.vec3],
        objective: Objective,
        bodies: RigidArrays,
        # out
        residual: wp.array[wp.vec3],
        rounding: wp.array[float],
        touching: wp.array[int],
    ):
        """Find −∂G/∂x_i [N] of the four points of every body from number `first` on, a bound of
        their rounding errors [N], and the number of contacts of the body. One thread per body.
        """
        b = first + wp.tid()
        step = RigidStep()
        step.first = bodies.first + 4 * b
        step.center = middle_of(step.first, x)
        found = forces_on_body(
            points[b],
            step,
            x,
            objective.x_start,
            objective.contacts,
            objective.attachments,
            objective.contact_model,
        )
        spread = wp.mat33d()
        for k in range(4):
            arm = wp.vec3d(x[step.first + k]) - step.center
            spread += wp.float64(0.25) * wp.outer(arm, arm)
        slope = found.moment * wp.inverse(spread)
        stiffness = 3.0 * objective.inertia[step.first] + float(wp.trace(found.wrench.along))
        for k in range(4):
            i = step.first + k
            arm = wp.vec3d(x[i]) - step.center
            force = wp.vec3(wp.float64(0.25) * (found.wrench.force + slope * arm))
            inertia = objective.inertia[i] * (objective.inertial[i] - x[i])
            residual[i] = objective.load[i] + inertia + force
            rounding[i] = FLOAT32 * wp.length(x[i]) * stiffness
            touching[i] = found.touching

    return residual_of_bodies
