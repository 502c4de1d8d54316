# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts that carry a load do not sink: they get stiffer and reach further.

A contact may be STIFFEST times as stiff as the lighter of what it holds apart (surface.py), so that
a load comes below the contact distance. Where it lasts, the multiplier λ of an augmented Lagrangian
takes it over, λ ← max(0, λ + ρ k (r − d)). It stands as a lift λ/k of the contact distance (Powell,
"A method for nonlinear constraints in minimization problems", 1969), one for each vertex, led by
its deepest contact. ρ is small: a lift that follows within a tenth of a second makes stacks hop.

The lift is at most SHARE of the contact distance. Under what is heavier than that the contact gets
stiffer instead, but no more than the contacts of the heaviest thing around are, and slowly, so that
impacts gain no energy from it. Such contacts, and those of rods with edges, stay that deep: with
both, heavy things on light ones tremble.
"""

import warp as wp

from ..options import QUICK
from .bounds import Bounds, direction_and_distance
from .law import Contacts, load_stiffness
from .pairs import EDGE_EDGE, Pair, gap_of

wp.set_module_options(QUICK)

# A contact reaches further by up to this part of the contact distance.
SHARE = wp.constant(0.3)


@wp.func
def needed_stiffness(d: float, distance: float, lift: float, stiffness: float):
    """The stiffness [N/m] that carries a load at the contact distance with the largest lift, which
    `stiffness` carries at the distance d with `lift`."""
    needed = float(0.0)
    if d < distance + lift:
        load, _ = load_stiffness(d, distance + lift, stiffness)
        needed = load / (SHARE * distance)
    return needed


@wp.kernel
def follow_load(
    first: int,
    x: wp.array[wp.vec3],
    contacts: Contacts,
    pairs: wp.array[Pair],
    bounds: Bounds,
    least: wp.array[float],
    firm: wp.array[float],
    growth: float,
    ascent: float,
    # out
    stiffness: wp.array[float],
    lift: wp.array[float],
):
    """Let the stiffness [N/m] and the lift [m] of every vertex follow what it carries.

    The stiffness grows by up to a factor `growth`, and stays as long as anything touches the
    vertex: what would fall with the load would make a body hop. It falls back to `least` [vertex,
    N/m] then. The most it can be is what those have without a load that press on the vertex, `firm`
    [vertex, N/m]. The lift of the others changes by the part `ascent`, ρ, of the depth.
    """
    i = first + wp.tid()
    now = stiffness[i]
    needed = float(0.0)
    most = firm[i]
    deepest = float(-wp.inf)  # below the contact distance without lift
    longest = float(0.0)
    for k in range(contacts.start[i], contacts.end[i]):
        pair = pairs[contacts.entry[k] / 4]
        touch = contacts.touches[contacts.entry[k] / 4]
        if touch.leads == 0:
            d = wp.dot(touch.normal, gap_of(touch, x, x[i]))
            distance = pair.radius - pair.lift
            needed = wp.max(needed, needed_stiffness(d, distance, pair.lift, pair.full_stiffness))
            # A triangle reaches as far as the vertices that come near it.
            leads = pair.kind == EDGE_EDGE or touch.vertices[0] == i
            if d < pair.radius and leads and pair.with_rod == 0:
                deepest = wp.max(deepest, distance - d)
                longest = wp.max(longest, SHARE * distance)
            for c in range(4):
                most = wp.max(most, firm[touch.vertices[c]])
    for k in range(bounds.kind.shape[0]):
        d = direction_and_distance(bounds, k, x[i])[3]
        distance = bounds.vertex_radius[i]
        needed = wp.max(needed, needed_stiffness(d, distance, lift[i], now))
        if d > 0.0 and d < distance + lift[i]:
            deepest = wp.max(deepest, distance - d)
            longest = wp.max(longest, SHARE * distance)
    if longest > 0.0 and now <= least[i]:
        lift[i] = wp.clamp(lift[i] + ascent * deepest, 0.0, longest)
    else:
        lift[i] = lift[i] / growth
    if needed == 0.0:
        stiffness[i] = wp.max(now / growth, least[i])
    elif needed > now:
        stiffness[i] = wp.max(now, wp.min(wp.min(needed, most), now * growth))
