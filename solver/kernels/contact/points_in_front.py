# SPDX-License-Identifier: GPL-3.0-or-later
"""Embedded points that stay in front of analytic colliders while all vertices move at once."""

from functools import cache

import warp as wp

from ..embedding import point_position, spread_of, surface_functions
from ..options import QUICK
from .analytic_colliders import CAUTION, FAR, KEPT, ContactModel, direction_and_distance, encloses

wp.set_module_options(QUICK)


@wp.kernel
def find_clearances(
    surface_vertices: wp.array[int],
    x_start: wp.array[wp.vec3],
    # in and out
    model: ContactModel,
):
    """The clearance of surface vertices, from where the step begins."""
    s = surface_vertices[wp.tid()]
    begun = x_start[s]
    if s >= model.embedding.first:
        begun = point_position(s, x_start, model.embedding)
    least = float(wp.inf)
    for k in range(model.colliders.kind.shape[0]):
        distance = direction_and_distance(model.colliders, k, begun)[3]
        # What acts nowhere near may do so a little farther on.
        least = wp.min(least, wp.where(distance < FAR, distance, 0.0))
    least -= model.state.radius[s] + model.state.multiplier[s]
    model.clearance[s] = least / spread_of(s, model.embedding)


@wp.kernel
def gather_clearances(
    # in and out
    model: ContactModel,
):
    """The clearance of vertices that carry points: the least of these."""
    i = wp.tid()
    if model.state.hidden[i] != 0:
        least = float(wp.inf)
        for slot in range(model.embedding.start[i], model.embedding.start[i + 1]):
            least = wp.min(least, model.clearance[model.embedding.carried[slot]])
        model.clearance[i] = least


@cache
def fractions_kernel(width: int) -> wp.Kernel:
    """The kernel of scenes whose embedded points have so many corners."""
    surface = surface_functions(width)

    @wp.kernel(module="unique", module_options=QUICK)
    def find_fractions_in_front(
        model: ContactModel,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
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
        needed = surface.farthest(i, candidate, x, model.embedding) / (CAUTION * KEPT)
        needed += surface.farthest(i, x, x_start, model.embedding)
        if model.clearance[i] > needed:
            end = begin
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if s >= model.embedding.first and model.clearance[s] <= needed:
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
