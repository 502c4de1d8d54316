# SPDX-License-Identifier: GPL-3.0-or-later
"""Embedded points that stay in front of analytic colliders while all vertices move at once."""

from functools import cache

import warp as wp

from ..embedding import surface_functions
from ..options import QUICK
from .analytic_colliders import FAR, KEPT, ContactModel, direction_and_distance, encloses

wp.set_module_options(QUICK)


@cache
def fractions_kernel(width: int) -> wp.Kernel:
    """The kernel of scenes whose embedded points have so many corners."""
    surface = surface_functions(width)

    @wp.kernel(module="unique", module_options=QUICK)
    def find_fractions_in_front(
        model: ContactModel,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        # out
        fraction: wp.array[float],
    ):
        """The fraction of its step from x to `candidate` that each vertex may take when all move at
        once.

        Only embedded points ask for less than all.
        """
        i = wp.tid()
        moving = wp.vec2i(0, fraction.shape[0])
        least = float(1.0)
        begin, end = surface.carried_range(i, model.embedding)
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if s >= model.embedding.first:
                now = surface.position(s, x, model.embedding)
                for k in range(model.colliders.kind.shape[0]):
                    near = direction_and_distance(model.colliders, k, now)
                    if near[3] > 0.0 and near[3] < FAR:
                        toward = -wp.vec3(near[0], near[1], near[2])
                        fall = surface.path_along(s, toward, moving, x, candidate, model.embedding)
                        if encloses(model.colliders, k):
                            fall = surface.longest_path(s, moving, x, candidate, model.embedding)
                        if fall > KEPT * near[3]:
                            least = wp.min(least, KEPT * near[3] / fall)
        fraction[i] = least

    return find_fractions_in_front


@wp.kernel
def take_fractions(
    x: wp.array[wp.vec3],
    fraction: wp.array[float],
    # in and out
    candidate: wp.array[wp.vec3],
):
    """Go back to the allowed fraction of the step from x to `candidate`."""
    i = wp.tid()
    if fraction[i] < 1.0:
        candidate[i] = wp.lerp(x[i], candidate[i], fraction[i])
