# SPDX-License-Identifier: GPL-3.0-or-later
"""What contacts are now: their energy and depth, and who touches analytic colliders."""

import warp as wp

from ..options import QUICK
from .analytic_colliders import ContactModel, direction_and_distance
from .law import contact_energy
from .pairs import Pair, PairState, Touch, gap_of

wp.set_module_options(QUICK)


@wp.kernel
def measure_pairs(
    x: wp.array[wp.vec3],
    pairs: wp.array[Pair],
    touches: wp.array[Touch],
    state: wp.array[PairState],
    # out
    energy: wp.array[float],
    depth: wp.array[float],
):
    """Energy [J] of each pair that touches, and its depth below the contact distance without the
    multiplier [m].
    """
    p = wp.tid()
    touch = touches[p]
    energy[p] = 0.0
    depth[p] = 0.0
    if state[p].near != 0 and touch.separates == 0:
        d = wp.dot(touch.normal, gap_of(touch, x, x[touch.vertices[0]]))
        if d < touch.radius:
            energy[p] = contact_energy(d, touch.radius, touch.stiffness)
            depth[p] = wp.max(touch.radius - pairs[p].multiplier - d, 0.0)


@wp.kernel
def measure_colliders(
    first: int,
    x: wp.array[wp.vec3],
    model: ContactModel,
    # out
    energy: wp.array[float],
    depth: wp.array[float],
):
    """Energy [J] of vertices from `first` on at analytic colliders, and their depth below the
    contact distance [m].
    """
    i = first + wp.tid()
    total = float(0.0)
    deepest = float(0.0)
    radius = model.state.radius[i]
    reach = radius + model.state.multiplier[i]
    if model.state.hidden[i] == 0:
        for k in range(model.colliders.kind.shape[0]):
            near = direction_and_distance(model.colliders, k, x[i])
            if near[3] < reach:
                total += contact_energy(near[3], reach, model.state.stiffness[i])
                deepest = wp.max(deepest, radius - near[3])
    energy[i] = total
    depth[i] = deepest


@wp.kernel
def mark_at_colliders(
    first: int,
    x: wp.array[wp.vec3],
    body: wp.array[int],
    model: ContactModel,
    # out
    at_colliders: wp.array[int],
):
    """Which bodies touch an analytic collider with vertices from `first` on."""
    i = first + wp.tid()
    if model.state.hidden[i] == 0:
        reach = model.state.radius[i] + model.state.multiplier[i]
        for k in range(model.colliders.kind.shape[0]):
            if direction_and_distance(model.colliders, k, x[i])[3] < reach:
                at_colliders[body[i]] = 1
