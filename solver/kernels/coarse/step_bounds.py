# SPDX-License-Identifier: GPL-3.0-or-later
"""Fraction of a coarse step that an island can take before a bound limits any of its vertices.

A long step that is truncated vertex by vertex would press bodies flat: all of an island takes the
smallest fraction of its vertices.
"""

import warp as wp

from ..contact.analytic_colliders import ContactModel
from ..contact.feasibility.collider_bounds import fraction_in_front
from ..device.options import OPTIONS
from .coarse_step import ComponentSteps, Members

wp.set_module_options(OPTIONS)

# The smallest such fraction: vertices already in contact are truncated one by one.
LEAST = wp.constant(0.0625)


@wp.kernel
def find_fractions(
    first: int,
    before: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    longest: wp.array[float],
    members: Members,
    contact_model: ContactModel,
    # out
    fractions: wp.array[float],
):
    """Find the fraction of the direction that all vertices of a chunk may take: no farther than
    `longest` [vertex], where given, nor through an analytic collider. One thread per chunk.
    """
    chunk = first + wp.tid()
    fraction = float(1.0)
    for q in range(members.start[chunk], members.start[chunk + 1]):
        i = members.vertex[q]
        d = direction[i]
        if i < longest.shape[0]:
            fraction = wp.min(fraction, longest[i] / wp.max(wp.length(d), 1.0e-30))
        if contact_model.colliders.kind.shape[0] > 0:
            fraction = wp.min(fraction, fraction_in_front(i, before[i], d, contact_model))
    fractions[chunk] = fraction


@wp.kernel
def choose_fractions(
    fractions: wp.array[float],
    # in and out
    components: ComponentSteps,
):
    """Set the smallest fraction of every island as its `step_length`. One thread per component."""
    island = wp.tid()
    if components.island[island] != island:
        return
    fraction = float(1.0)
    k = island
    while k >= 0:
        for chunk in range(components.first_chunk[k], components.first_chunk[k + 1]):
            fraction = wp.min(fraction, fractions[chunk])
        k = components.next[k]
    fraction = wp.max(fraction, LEAST)
    k = island
    while k >= 0:
        components.step_length[k] = fraction
        k = components.next[k]
