# SPDX-License-Identifier: GPL-3.0-or-later
"""Damping by rest values that follow the state of elements. Kinds in lanes store them twice: by
record, and for eight records of a vertex together.
"""

from functools import cache

import warp as wp

from ..device.lane_functions import out_of_lanes
from ..device.lanes import WIDTH, in_all_lanes, wide
from .table import module_of, table_struct


@cache
def rest_kernel(kind):
    """Return the kernel that moves the rest values of a kind towards its state: damping.

    With q the internal variable of an element (volume, strain, angle, length), stiffness k and
    damping time k_d the damped energy of a step of length h is

        ½ k (q − q̄)² + ½ k (k_d/h) (q − qᵗ)² = ½ k (1 + κ) (q − [(1 − β) q̄ + β qᵗ])² + const,

    κ = k_d/h, β = κ/(1 + κ). So damping needs no term of its own: the stiffness is raised once, and
    the rest value is moved at the start of every step. q is invariant under rigid motion, so free
    fall and spin are never damped, and the forces of an element add up to zero. Solids are damped
    by elements of their own, whose rest shape is that at the start of the step (plastic_solids.py).
    """
    Table, Rest, moved_rest = table_struct(kind), kind.rest, kind.moved_rest

    @wp.kernel(module=module_of(kind, "damping"))
    def move_rest_values(
        first: int,
        x: wp.array[wp.vec3],
        table: Table,
        undamped: wp.array[Rest],
        blend: wp.array[float],
        # out
        moved: wp.array[Rest],
    ):
        """Set the rest values of a vertex's records for this step. One thread per vertex."""
        i = first + wp.tid()
        for q in range(table.start[i], table.start[i + 1]):
            moved[q] = moved_rest(table.records[q], undamped[q], blend[q], x[i], x)

    return move_rest_values


@cache
def wide_rest_kernel(kind):
    """Return the damping kernel of a kind in lanes."""
    Table, Rest, WideRest, moved_rest = (
        table_struct(kind),
        kind.rest,
        wide(kind.rest),
        kind.rest_in_lanes,
    )
    loaded, store = out_of_lanes(kind.rest)
    loaded_numbers, _store = out_of_lanes(float)

    @wp.kernel(module=module_of(kind, "damping_in_lanes"))
    def move_rest_values(
        first: int,
        x: wp.array[wp.vec3],
        table: Table,
        undamped: wp.array[Rest],
        blend: wp.array[float],
        # out
        moved: wp.array[Rest],
        moved_in_lanes: wp.array[WideRest],
    ):
        i = first + wp.tid()
        x_i = in_all_lanes(x[i])
        q = table.start[i]
        end = table.start[i + 1]
        for number in range(table.wide_start[i], table.wide_start[i + 1]):
            count = wp.min(end - q, wp.static(WIDTH))
            before = loaded(undamped, q, count)
            share = loaded_numbers(blend, q, count)
            rest = moved_rest(table.wide_records[number], before, share, x_i, x)
            moved_in_lanes[number] = rest
            store(rest, q, count, moved)
            q += count

    return move_rest_values


@cache
def to_lanes_kernel(kind):
    """Return the kernel that copies rest values after flow to lanes, for kinds without damping."""
    Table, Rest, WideRest = table_struct(kind), kind.rest, wide(kind.rest)
    loaded, _store = out_of_lanes(kind.rest)

    @wp.kernel(module=module_of(kind, "laying"))
    def copy_to_lanes(
        first: int,
        table: Table,
        rest: wp.array[Rest],
        # out
        in_lanes: wp.array[WideRest],
    ):
        i = first + wp.tid()
        q = table.start[i]
        for number in range(table.wide_start[i], table.wide_start[i + 1]):
            count = wp.min(table.start[i + 1] - q, wp.static(WIDTH))
            in_lanes[number] = loaded(rest, q, count)
            q += count

    return copy_to_lanes
