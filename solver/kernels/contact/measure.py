# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy and depth of all contacts now, and the bodies that touch analytic colliders."""

import warp as wp

from ..device.options import OPTIONS
from ..device.thread_shares import share_of
from .analytic_colliders import ContactModel, direction_and_distance
from .detection.pair_counts import ALL
from .law import contact_energy
from .pairs import Pair, PairState, Touch, gap_of

wp.set_module_options(OPTIONS)

# Sums over contacts have this many shares, whatever the number of threads.
SHARES = wp.constant(256)


@wp.struct
class ContactSums:
    """Sums over contacts [share]."""

    energy: wp.array[wp.float64]  # [J]
    touching: wp.array[int]  # pairs
    depth: wp.array[float]  # the deepest below the contact distance [m]


@wp.kernel
def measure_pairs(
    first: int,
    counts: wp.array[int],
    x: wp.array[wp.vec3],
    pairs: wp.array[Pair],
    touches: wp.array[Touch],
    state: wp.array[PairState],
    # out
    sums: ContactSums,
):
    """Find the energy and number of touching pairs, and their depth without the multiplier. One
    thread per share.
    """
    share = first + wp.tid()
    energy = wp.float64(0.0)
    touching = int(0)
    depth = float(0.0)
    begin, end = share_of(share, SHARES, counts[ALL])
    for p in range(begin, end):
        if state[p].near == 0:
            continue
        touch = touches[p]
        if touch.separates == 0:
            d = wp.dot(touch.normal, gap_of(touch, x))
            if d < touch.radius:
                pair_energy = contact_energy(d, touch.radius, touch.stiffness)
                energy += wp.float64(pair_energy)
                touching += wp.where(pair_energy > 0.0, 1, 0)
                depth = wp.max(depth, touch.radius - pairs[p].multiplier - d)
    sums.energy[share] = energy
    sums.touching[share] = touching
    sums.depth[share] = depth


@wp.kernel
def measure_colliders(
    first: int,
    start: int,
    count: int,
    at: int,
    x: wp.array[wp.vec3],
    model: ContactModel,
    # out
    sums: ContactSums,
):
    """Find energy and depth of `count` vertices from `start` on at analytic colliders, in the
    shares from number `at` on. One thread per share.
    """
    share = first + wp.tid()
    energy = wp.float64(0.0)
    depth = float(0.0)
    begin, end = share_of(share, SHARES, count)
    for i in range(start + begin, start + end):
        radius = model.state.radius[i]
        reach = radius + model.state.multiplier[i]
        if model.state.hidden[i] == 0:
            for k in range(model.colliders.kind.shape[0]):
                near = direction_and_distance(model.colliders, k, x[i])
                if near[3] < reach:
                    energy += wp.float64(contact_energy(near[3], reach, model.state.stiffness[i]))
                    depth = wp.max(depth, radius - near[3])
    sums.energy[at + share] = energy
    sums.depth[at + share] = depth


@wp.kernel
def add_shares(
    shares: ContactSums,
    # out
    totals: ContactSums,
):
    """Add up all shares. One thread."""
    energy = wp.float64(0.0)
    touching = int(0)
    depth = float(0.0)
    for share in range(shares.energy.shape[0]):
        energy += shares.energy[share]
        touching += shares.touching[share]
        depth = wp.max(depth, shares.depth[share])
    totals.energy[0] = energy
    totals.touching[0] = touching
    totals.depth[0] = depth


@wp.kernel
def mark_at_colliders(
    first: int,
    x: wp.array[wp.vec3],
    body: wp.array[int],
    model: ContactModel,
    # out
    at_colliders: wp.array[int],
):
    """Mark the bodies that touch an analytic collider with vertices from `first` on."""
    i = first + wp.tid()
    if model.state.hidden[i] == 0:
        reach = model.state.radius[i] + model.state.multiplier[i]
        for k in range(model.colliders.kind.shape[0]):
            if direction_and_distance(model.colliders, k, x[i])[3] < reach:
                at_colliders[body[i]] = 1


@wp.kernel
def find_at_colliders(
    first: int,
    x: wp.array[wp.vec3],
    model: ContactModel,
    # out
    deepest_contact: wp.array[wp.vec4],
):
    """Find the direction and depth [m] of the deepest contact with an analytic collider, of
    vertices from `first` on; 0 where there is none.
    """
    i = first + wp.tid()
    deepest = wp.vec4(0.0)
    if model.state.hidden[i] == 0:
        reach = model.state.radius[i] + model.state.multiplier[i]
        for k in range(model.colliders.kind.shape[0]):
            near = direction_and_distance(model.colliders, k, x[i])
            if reach - near[3] > deepest[3]:
                deepest = wp.vec4(near[0], near[1], near[2], reach - near[3])
    deepest_contact[i] = deepest
