# SPDX-License-Identifier: GPL-3.0-or-later
"""Uniform steps of stiff bodies: all vertices take the smallest fraction of any."""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.kernel
def find_least(
    vertex: wp.array[int],
    body: wp.array[int],
    fraction: wp.array[float],
    # in and out
    least: wp.array[float],
):
    """Find the smallest fraction of its step that a listed vertex has taken [body]."""
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
    """Move the listed vertices from `before` to the fraction that all of a body may take."""
    i = vertex[wp.tid()]
    if least[body[i]] < 1.0:
        x[i] = before[i] + least[body[i]] * (candidate[i] - before[i])
