# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope of the vertex terms along a coarse step: inertia, attachments, contacts.

Contacts act on one side only: their slopes are sampled. The slope of all terms at 0 is −f·d.
"""

from functools import cache

import numpy as np
import warp as wp

from ..contact.analytic_colliders import CLEARANCE_FACTOR, ContactModel, collider_force_hessian
from ..contact.law import ContactLaw
from ..contact.pair_forces import Contacts, prefetch_touches
from ..contact.pair_slope import pair_slope
from ..contact.pairs import Touch, gap_of
from ..device.options import OPTIONS
from ..scene.attachments import Attachments, gap, split_scale
from .coarse_step import Members
from .line_sums import SAMPLES, vec8

wp.set_module_options(OPTIONS)

# Where slopes are sampled, in parts of the way.
PARTS = wp.constant(vec8(*(np.arange(1, SAMPLES + 1) / SAMPLES)))


def no_contacts():
    """Empty `Contacts` and `ContactModel`."""
    return [Contacts(), ContactModel()]


@wp.func
def is_first_to_move(corner: int, touch: Touch, d: wp.array[wp.vec3]):
    """True where no corner before this one has a weight in the contact and moves."""
    first = int(corner)
    for c in range(corner):
        if touch.weights[c] != 0.0 and wp.length_sq(d[touch.vertices[c]]) > 0.0:
            first = wp.min(first, c)
    return first == corner


@cache
def slopes_of_touch(in_lanes: bool) -> wp.Function:
    """The function that samples the slope of a contact, side by side where it does so `in_lanes`:
    at α = longest · 1/8, … 8/8, less that at 0.
    """

    @wp.func
    def slopes_of(
        touch: Touch, gap: wp.vec3, change: wp.vec3, longest: float, law: ContactLaw
    ) -> vec8:
        parts = longest * PARTS
        slopes = vec8()
        begin = pair_slope(touch, gap, change, 0.0, law)
        if wp.static(in_lanes):
            slopes = pair_slope(touch, gap, change, parts, law)
        else:
            for n in range(SAMPLES):
                slopes[n] = pair_slope(touch, gap, change, parts[n], law)
        return slopes - vec8(begin)

    return slopes_of


@wp.func
def collider_slopes(
    i: int,
    x: wp.vec3,
    d: wp.vec3,
    x_start: wp.vec3,
    longest: float,
    model: ContactModel,
):
    """Slopes of analytic colliders at the samples of `slopes_of_touch`, less the slope at 0."""
    slopes = vec8()
    if CLEARANCE_FACTOR * model.clearance[i] > wp.length(x - x_start) + longest * wp.length(d):
        return slopes
    begin = float(0.0)
    for n in range(SAMPLES + 1):
        alpha = longest * float(n) / float(SAMPLES)
        force, _h, _count, _active_set, _margin = collider_force_hessian(
            i, x + alpha * d, wp.vec3(0.0), x_start, model
        )
        slope = -wp.dot(force, d)
        if n == 0:
            begin = slope
        else:
            slopes[n - 1] = slope - begin
    return slopes


@wp.func
def attachment_rise(i: int, d: wp.array[wp.vec3], attachments: Attachments):
    """Rise of the slope of the attachments of vertex i per α."""
    rise = float(0.0)
    for q in range(attachments.start[i], attachments.start[i + 1]):
        row = attachments.rows[attachments.row[q]]
        change = split_scale(row, 0, gap(row, wp.vec3(0.0), d, attachments))
        rise += attachments.weight[q] * wp.dot(d[i], change)
    return rise


@cache
def slopes_kernel(in_lanes: bool) -> wp.Kernel:
    """The kernel for the slopes of vertices; contacts may be sampled side by side `in_lanes`."""
    slopes_of = slopes_of_touch(in_lanes)

    @wp.func
    def contact_slopes(
        i: int,
        x: wp.array[wp.vec3],
        d: wp.array[wp.vec3],
        longest: float,
        contacts: Contacts,
        law: ContactLaw,
    ):
        """Slopes of the contacts whose first moving vertex is i."""
        slopes = vec8()
        for q in range(contacts.start[i], contacts.end[i]):
            touch = contacts.touches[contacts.entry[q] >> 2]
            if not is_first_to_move(contacts.entry[q] & 3, touch, d):
                continue
            gap = gap_of(touch, x)
            distance = wp.dot(touch.normal, gap)
            change = gap_of(touch, d)
            closing = wp.dot(touch.normal, change)
            nearest = wp.min(distance, distance + longest * closing)
            if nearest < touch.radius or touch.separates != 0:
                slopes += slopes_of(touch, gap, change, longest, law)
        return slopes

    @wp.kernel(module="unique", module_options=OPTIONS)
    def member_slopes(
        first: int,
        x: wp.array[wp.vec3],
        direction: wp.array[wp.vec3],
        force: wp.array[wp.vec3],
        inertia: wp.array[float],
        x_start: wp.array[wp.vec3],
        free: int,
        reach: wp.array[float],
        attachments: Attachments,
        contacts: Contacts,
        contact_model: ContactModel,
        # out
        members: Members,
    ):
        """Add, for chunks of vertices, the slope at 0, its rise by inertia and attachments, and
        samples of contacts up to α = `reach`.

        `force` includes all terms except elements.
        """
        chunk = first + wp.tid()
        longest = reach[0]
        total = wp.vec2d()
        samples = vec8()
        for q in range(members.start[chunk], members.start[chunk + 1]):
            i = members.vertex[q]
            d = direction[i]
            if i < free:
                rise = inertia[i] * wp.dot(d, d)
                if attachments.rows.shape[0] > 0:
                    rise += attachment_rise(i, direction, attachments)
                total += wp.vec2d(-wp.float64(wp.dot(force[i], d)), wp.float64(rise))
            if contacts.start.shape[0] > 0:
                if q + 2 < members.start[chunk + 1]:
                    prefetch_touches(contacts, members.vertex[q + 1], members.vertex[q + 2])
                samples += contact_slopes(i, x, direction, longest, contacts, contact_model.law)
            if contact_model.colliders.kind.shape[0] > 0:
                samples += collider_slopes(i, x[i], d, x_start[i], longest, contact_model)
        members.slope[chunk] = total
        members.samples[chunk] = samples

    return member_slopes
