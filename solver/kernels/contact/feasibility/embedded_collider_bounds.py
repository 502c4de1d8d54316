# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of many simultaneous steps that keep surfaces in front of analytic colliders."""

from functools import cache

import warp as wp

from ...device.options import OPTIONS
from ...lattice.embedding import Embedding, point_position, spread_of, surface_functions
from ..analytic_colliders import CLEARANCE_FACTOR, ContactModel, approach, direction_and_distance
from .collider_bounds import SAFETY, fraction_above, keep_in_front, least_height

wp.set_module_options(OPTIONS)


@wp.func
def place_of(s: int, x: wp.array[wp.vec3], embedding: Embedding):
    """Return the place of a surface vertex or embedded point, with the vertices at x [m]."""
    place = x[s]
    if s >= embedding.first:
        place = point_position(s, x, embedding)
    return place


@wp.kernel
def find_clearances(
    surface_vertices: wp.array[int],
    x_start: wp.array[wp.vec3],
    # in and out
    model: ContactModel,
):
    """Find the clearance of surface vertices, from where the step begins, to all of the way of
    colliders in it.
    """
    s = surface_vertices[wp.tid()]
    at_start = place_of(s, x_start, model.embedding)
    least = float(wp.inf)
    for k in range(model.colliders.kind.shape[0]):
        near = direction_and_distance(model.colliders, k, at_start)
        least = wp.min(least, near[3])
        if model.colliders.moves[k] != 0:
            least = wp.min(least, near[3] - approach(model.colliders, k, at_start, near))
    least -= model.state.radius[s] + model.state.multiplier[s]
    model.clearance[s] = least / spread_of(s, model.embedding)


@wp.kernel
def find_depths(
    surface_vertices: wp.array[int],
    x_start: wp.array[wp.vec3],
    # in and out
    model: ContactModel,
):
    """Find the depth of each body behind colliders where the step begins; begins as 0."""
    s = surface_vertices[wp.tid()]
    at_start = place_of(s, x_start, model.embedding)
    for k in range(model.colliders.kind.shape[0]):
        distance = direction_and_distance(model.colliders, k, at_start)[3]
        if distance < 0.0:
            wp.atomic_max(model.depth, k * model.bodies + model.body[s], -distance)


@wp.kernel
def gather_clearances(
    # in and out
    model: ContactModel,
):
    """Find the clearance of vertices that carry points: the least of these."""
    i = wp.tid()
    if model.state.hidden[i] != 0:
        least = float(wp.inf)
        for slot in range(model.embedding.start[i], model.embedding.start[i + 1]):
            least = wp.min(least, model.clearance[model.embedding.carried[slot]])
        model.clearance[i] = least


@cache
def fraction_function(width: int) -> wp.Function:
    """Make `surface_fraction` for scenes whose embedded points have `width` corners, or 0."""
    surface, embedded = surface_functions(width), width > 0

    @wp.func
    def surface_fraction(
        i: int,
        moving: wp.vec2i,
        model: ContactModel,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
    ):
        """Return the fraction of its step from x to `candidate` that keeps the surface of vertex i
        in front, while the vertices from moving[0] to moving[1] move.
        """
        least = float(1.0)
        begin, end = surface.carried_range(i, model.embedding)
        needed = float(0.0)
        if wp.static(embedded):
            needed = surface.farthest(i, candidate, x, model.embedding) / (
                CLEARANCE_FACTOR * SAFETY
            )
            needed += surface.farthest(i, x, x_start, model.embedding)
            if model.clearance[i] > needed:
                end = begin
        for slot in range(begin, end):
            s = surface.carried(slot, model.embedding)
            if wp.static(embedded):
                if model.clearance[s] > needed:
                    continue
            if s < model.embedding.first and model.state.hidden[s] != 0:
                continue
            now = surface.position(s, x, model.embedding)
            for k in range(model.colliders.kind.shape[0]):
                near = direction_and_distance(model.colliders, k, now)
                if near[3] > 0.0:
                    floor = least_height(model.colliders, k, model.state.radius[s], now)
                    toward = -wp.vec3(near[0], near[1], near[2])
                    fall = surface.displacement_along(
                        s, toward, moving, x, candidate, model.embedding
                    )
                    least = wp.min(least, fraction_above(near[3], fall, floor))
        return least

    return surface_fraction


@cache
def fractions_kernel(width: int) -> wp.Kernel:
    """Make the kernel for scenes whose embedded points have `width` corners."""
    surface_fraction = fraction_function(width)

    @wp.kernel(module="unique", module_options=OPTIONS)
    def find_fractions_in_front(
        model: ContactModel,
        x: wp.array[wp.vec3],
        candidate: wp.array[wp.vec3],
        x_start: wp.array[wp.vec3],
        # out
        fraction: wp.array[float],
    ):
        """Find the fraction of its step from x to `candidate` that each vertex may take when all
        move at once.
        """
        i = wp.tid()
        moving = wp.vec2i(0, fraction.shape[0])
        fraction[i] = surface_fraction(i, moving, model, x, candidate, x_start)

    return find_fractions_in_front


@wp.kernel
def take_fractions(
    x: wp.array[wp.vec3],
    fraction: wp.array[float],
    # in and out
    candidate: wp.array[wp.vec3],
):
    """Shorten every step from x to `candidate` to its allowed fraction."""
    i = wp.tid()
    if fraction[i] < 1.0:
        candidate[i] = wp.lerp(x[i], candidate[i], fraction[i])


@wp.kernel
def keep_steps_in_front(
    x: wp.array[wp.vec3],
    model: ContactModel,
    # in and out
    candidate: wp.array[wp.vec3],
):
    """Shorten the steps of free vertices from x that would take them through a collider."""
    i = wp.tid()
    candidate[i] = x[i] + keep_in_front(i, x[i], candidate[i] - x[i], model)
