# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts that carry a load do not sink: they get stiffer and reach further.

A contact may be STIFFEST times as stiff as the lighter of what it holds apart (surface.py), so that
a load comes below the contact distance. Where it lasts, the multiplier λ of an augmented Lagrangian
takes it over, λ ← max(0, λ + ρ k (r − d)). It is kept as λ/k, by which the contact distance is
longer (Powell, "A method for nonlinear constraints in minimization problems", 1969), one for each
vertex, that of its deepest contact. ρ is small: a multiplier that follows within a tenth of a
second makes stacks hop.

The multiplier is at most MOST of the contact distance. Under what is heavier than that the contact
gets stiffer instead, but no more than the contacts of the heaviest thing around are, and slowly, so
that impacts gain no energy from it. Such contacts, and those of rods with edges, stay that deep:
with both, heavy things on light ones tremble.
"""

import warp as wp

from ..device.options import HOT
from .analytic_colliders import ContactModel, direction_and_distance
from .law import load_stiffness
from .pair_forces import Contacts
from .pairs import EDGE_EDGE, Pair, gap_of

wp.set_module_options(HOT)

# A contact reaches further by up to this part of the contact distance.
MOST = wp.constant(0.3)


@wp.func
def needed_stiffness(d: float, distance: float, multiplier: float, stiffness: float):
    """The stiffness [N/m] that carries a load at the contact distance with the largest multiplier,
    which `stiffness` carries at the distance d with `multiplier`.
    """
    needed = float(0.0)
    if d < distance + multiplier:
        load, _ = load_stiffness(d, distance + multiplier, stiffness)
        needed = load / (MOST * distance)
    return needed


@wp.func
def load_of_pairs(
    i: int,
    x: wp.array[wp.vec3],
    contacts: Contacts,
    pairs: wp.array[Pair],
    firm: wp.array[float],
):
    """What the pairs of vertex i ask for: the stiffness that carries their load, the most it may
    be [N/m], how far they are below the contact distance without multiplier, and the longest
    multiplier [m], 0 where none may change.
    """
    needed = float(0.0)
    most = firm[i]
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
            stiff = needed_stiffness(d, distance, pair.multiplier, pair.full_stiffness)
            needed = wp.max(needed, stiff)
            # A triangle reaches as far as the vertices that come near it.
            reaches = pair.kind == EDGE_EDGE or touch.vertices[0] == i
            if d < pair.radius and reaches and pair.with_rod == 0:
                deepest = wp.max(deepest, distance - d)
                longest = wp.max(longest, MOST * distance)
            for c in range(4):
                most = wp.max(most, firm[touch.vertices[c]])
    return needed, most, deepest, longest


@wp.func
def load_at_colliders(i: int, x: wp.vec3, stiffness: float, multiplier: float, model: ContactModel):
    """The same of analytic colliders, which set no limit to the stiffness."""
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
            longest = wp.max(longest, MOST * distance)
    return needed, deepest, longest


@wp.kernel
def follow_load(
    first: int,
    x: wp.array[wp.vec3],
    contacts: Contacts,
    pairs: wp.array[Pair],
    model: ContactModel,
    least: wp.array[float],
    firm: wp.array[float],
    growth: float,
    ascent: float,
    # in and out
    stiffness: wp.array[float],
    multiplier: wp.array[float],
):
    """Let the stiffness [N/m] and the multiplier [m] of every vertex follow what it carries.

    The stiffness grows by up to a factor `growth`, and stays as long as anything touches the
    vertex: what would fall with the load would make a body hop. It falls back to `least` [vertex,
    N/m] then. The most it can be is what those have without a load that press on the vertex, `firm`
    [vertex, N/m]. The multiplier of the others changes by the part `ascent`, ρ, of the depth.
    """
    i = first + wp.tid()
    now = stiffness[i]
    needed, most, deepest, longest = load_of_pairs(i, x, contacts, pairs, firm)
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
        stiffness[i] = wp.max(now, wp.min(wp.min(needed, most), now * growth))
