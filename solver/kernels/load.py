# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts that carry a load get stiffer, so that it does not press light things flat.

A contact may be STIFFEST times as stiff as the lighter of what it holds apart (surface.py). Under
something heavy it needs more: enough to carry its load within SHARE of the contact distance, but no
more than the contacts of the heaviest thing around have. It gets that and loses it slowly, so that
impacts gain no energy from it.
"""

import warp as wp

from .bounds import Bounds, direction_and_distance
from .contact import Contacts, load_stiffness
from .pairs import Pair, gap_of

wp.set_module_options({"enable_backward": False})

# A lasting load comes to this part of the contact distance.
SHARE = wp.constant(0.3)


@wp.func
def needed_stiffness(d: float, radius: float, stiffness: float):
    """The stiffness [N/m] that carries a load at SHARE of the contact distance, which `stiffness`
    carries at the distance d."""
    needed = float(0.0)
    if d < radius:
        load, _ = load_stiffness(d, radius, stiffness)
        needed = load / (SHARE * radius)
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
    # out
    stiffness: wp.array[float],
):
    """Let the stiffness [N/m] of every vertex grow by up to a factor `growth` to what it needs.

    It stays as long as anything touches the vertex, and falls back to `least` [vertex, N/m] then:
    what would fall with the load would make a body hop. The most it can be is what those have
    without a load that press on it, `firm` [vertex, N/m].
    """
    i = first + wp.tid()
    now = stiffness[i]
    needed = float(0.0)
    most = firm[i]
    for k in range(contacts.start[i], contacts.end[i]):
        p = contacts.entry[k] / 4
        touch = contacts.touches[p]
        if touch.leads == 0:
            d = wp.dot(touch.normal, gap_of(touch, x, x[i]))
            needed = wp.max(needed, needed_stiffness(d, touch.radius, pairs[p].full_stiffness))
            for c in range(4):
                most = wp.max(most, firm[touch.vertices[c]])
    for k in range(bounds.kind.shape[0]):
        d = direction_and_distance(bounds, k, x[i])[3]
        needed = wp.max(needed, needed_stiffness(d, bounds.vertex_radius[i], now))
    if needed == 0.0:
        stiffness[i] = wp.max(now / growth, least[i])
    elif needed > now:
        stiffness[i] = wp.max(now, wp.min(wp.min(needed, most), now * growth))
