# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiff bodies that go no farther than what holds any of their vertices back lets all of them."""

import warp as wp

from ..device.options import QUICK

wp.set_module_options(QUICK)


@wp.kernel
def find_least(
    vertex: wp.array[int],
    body: wp.array[int],
    fraction: wp.array[float],
    # in and out
    least: wp.array[float],
):
    """The least fraction of its step that any of some vertices of a body has taken, [body]."""
    i = vertex[wp.tid()]
    wp.atomic_min(least, body[i], fraction[i])


@wp.kernel
def take_least(
    vertex: wp.array[int],
    body: wp.array[int],
    before: wp.array[wp.vec3],
    candidate: wp.array[wp.vec3],
    least: wp.array[float],
    # in and out
    x: wp.array[wp.vec3],
):
    """Let these vertices go as far on their way from `before` to their candidates as all may."""
    i = vertex[wp.tid()]
    if least[body[i]] < 1.0:
        x[i] = before[i] + least[body[i]] * (candidate[i] - before[i])
