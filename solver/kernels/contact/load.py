# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts under load: they get stiffer, and their contact distance grows, so that nothing sinks.

A contact may be STIFFEST times as stiff as the lighter of its two sides (surface.py), so that a
load comes below the contact distance. If the load lasts, the multiplier λ of an augmented
Lagrangian takes it over, λ ← max(0, λ + ρ k (r − d)). It is stored as λ/k, which is added to the
contact distance (Powell, "A method for nonlinear constraints in minimization problems", 1969), one
for each vertex, that of its deepest contact. ρ is small: a multiplier that follows within a tenth
of a second makes stacks hop.

The multiplier is at most LARGEST_MULTIPLIER of the contact distance. Under heavier loads the
contact gets stiffer instead, up to the stiffness of the contacts of the heaviest body nearby, and
slowly, so that impacts gain no energy from it. Such contacts, and those of rods with edges, stay
that deep: with both, heavy bodies on light ones tremble.
"""

import warp as wp

from ..device.options import OPTIONS
from .analytic_colliders import ContactModel, direction_and_distance
from .law import load_stiffness
from .pair_forces import Contacts
from .pairs import EDGE_EDGE, Pair, gap_of

wp.set_module_options(OPTIONS)

# The contact distance grows by up to this fraction of itself.
LARGEST_MULTIPLIER = wp.constant(0.3)


@wp.func
def needed_stiffness(d: float, distance: float, multiplier: float, stiffness: float):
    """Return the stiffness [N/m] that carries a load at the contact distance with the largest
    multiplier, if `stiffness` carries it at the distance d with `multiplier`.
    """
    needed = float(0.0)
    if d < distance + multiplier:
        load, _ = load_stiffness(d, distance + multiplier, stiffness)
        needed = load / (LARGEST_MULTIPLIER * distance)
    return needed


@wp.func
def any_sleeps(i: int, contacts: Contacts, asleep: wp.array[int]):
    """Return whether vertex i sleeps, or any vertex that is near it."""
    sleeps = asleep[i]
    if contacts.start.shape[0] > 0:
        for k in range(contacts.start[i], contacts.end[i]):
            touch = contacts.touches[contacts.entry[k] / 4]
            sleeps = wp.max(sleeps, wp.max(asleep[touch.vertices[0]], asleep[touch.vertices[3]]))
    return sleeps != 0


@wp.func
def load_of_pairs(
    i: int,
    x: wp.array[wp.vec3],
    contacts: Contacts,
    pairs: wp.array[Pair],
    pressing_stiffness: wp.array[float],
):
    """Return the stiffness that carries the load of the pairs of vertex i, the largest one allowed
    [N/m], their depth below the contact distance without multiplier, and the largest multiplier
    [m], 0 where none may change.
    """
    needed = float(0.0)
    largest_stiffness = pressing_stiffness[i]
    deepest = float(-wp.inf)
    longest = float(0.0)
    begin = int(0)
    end = int(0)
    if contacts.start.shape[0] > 0:
        begin = contacts.start[i]
        end = contacts.end[i]
    for k in range(begin, end):
        pair = pairs[contacts.entry[k] / 4]
        touch = contacts.touches[contacts.entry[k] / 4]
        if touch.separates == 0:
            d = wp.dot(touch.normal, gap_of(touch, x))
            distance = pair.radius - pair.multiplier
            stiffness_under_load = needed_stiffness(
                d, distance, pair.multiplier, pair.full_stiffness
            )
            needed = wp.max(needed, stiffness_under_load)
            # A triangle reaches as far as the vertices that come near it.
            reaches = pair.kind == EDGE_EDGE or touch.vertices[0] == i
            if d < pair.radius and reaches and pair.with_rod == 0:
                deepest = wp.max(deepest, distance - d)
                longest = wp.max(longest, LARGEST_MULTIPLIER * distance)
            for c in range(4):
                largest_stiffness = wp.max(largest_stiffness, pressing_stiffness[touch.vertices[c]])
    return needed, largest_stiffness, deepest, longest


@wp.func
def load_at_colliders(i: int, x: wp.vec3, stiffness: float, multiplier: float, model: ContactModel):
    """Return the stiffness, depth and multiplier of `load_of_pairs` at analytic colliders."""
    needed = float(0.0)
    deepest = float(-wp.inf)
    longest = float(0.0)
    distance = model.state.radius[i]
    count = model.colliders.kind.shape[0]
    if model.state.hidden[i] != 0:
        count = 0
    for k in range(count):
        d = direction_and_distance(model.colliders, k, x)[3]
        needed = wp.max(needed, needed_stiffness(d, distance, multiplier, stiffness))
        if d > 0.0 and d < distance + multiplier:
            deepest = wp.max(deepest, distance - d)
            longest = wp.max(longest, LARGEST_MULTIPLIER * distance)
    return needed, deepest, longest


@wp.kernel
def follow_load(
    first: int,
    x: wp.array[wp.vec3],
    contacts: Contacts,
    pairs: wp.array[Pair],
    model: ContactModel,
    least: wp.array[float],
    pressing_stiffness: wp.array[float],
    growth: float,
    ascent: float,
    # in and out
    stiffness: wp.array[float],
    multiplier: wp.array[float],
):
    """Let the stiffness [N/m] and the multiplier [m] of every vertex follow its load.

    The stiffness grows by up to a factor `growth`, and stays as long as anything touches the
    vertex: falling with the load it would make a body hop. Then it falls back to `least` [vertex,
    N/m]. It is at most the unloaded stiffness of all vertices that press on this one,
    `pressing_stiffness` [vertex, N/m]. Other multipliers change by `ascent`, ρ, times the depth.
    Both stay where a body sleeps, whose depth would not follow.
    """
    i = first + wp.tid()
    if any_sleeps(i, contacts, model.state.asleep):
        return
    now = stiffness[i]
    needed, largest_stiffness, deepest, longest = load_of_pairs(
        i, x, contacts, pairs, pressing_stiffness
    )
    n, depth, length = load_at_colliders(i, x[i], now, multiplier[i], model)
    needed = wp.max(needed, n)
    deepest = wp.max(deepest, depth)
    longest = wp.max(longest, length)
    if longest > 0.0 and now <= least[i]:
        multiplier[i] = wp.clamp(multiplier[i] + ascent * deepest, 0.0, longest)
    else:
        multiplier[i] = multiplier[i] / growth
    if needed == 0.0:
        stiffness[i] = wp.max(now / growth, least[i])
    elif needed > now:
        stiffness[i] = wp.max(now, wp.min(wp.min(needed, largest_stiffness), now * growth))
