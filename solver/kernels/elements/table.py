# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of elements in vertex order, and sums over the elements of a vertex.

An element of n vertices is stored n times, as a record for each of them, so that a vertex streams
through its records without look-ups. Structs and functions are built from those of an
`ElementKind`; `kinds` are tuples of these, and their tables are nested, first and others.
"""

from functools import cache

import warp as wp

from ..device.lanes import wide
from ..device.options import OPTIONS
from ..device.teams import ALONE


@cache
def table_struct(kind):
    """Return the struct of all elements of a kind."""
    Record, Rest = kind.record, kind.rest
    if kind.in_lanes is not None:
        return wide_table_struct(kind)

    @wp.struct
    class Table:
        start: wp.array[int]  # [vertex + 1] of its records
        records: wp.array[Record]
        rest: wp.array[Rest]  # [record], if the kind has rest values; damping moves them
        diagonal: wp.array[float]  # [vertex] constant term of the blocks [N/m]

    return Table


def wide_table_struct(kind):
    """Return the struct of a kind in lanes on the CPU, eight records of a vertex in one."""
    Record, Rest, WideRecord, WideRest = kind.record, kind.rest, wide(kind.record), wide(kind.rest)

    @wp.struct
    class WideTable:
        start: wp.array[int]
        records: wp.array[Record]
        rest: wp.array[Rest]
        wide_start: wp.array[int]  # [vertex + 1]
        wide_records: wp.array[WideRecord]
        wide_rest: wp.array[WideRest]

    return WideTable


@cache
def elements_struct(kinds):
    """Return the struct of the tables of several kinds."""
    if not kinds:

        @wp.struct
        class NoElements:
            count: int

        return NoElements

    Table, Others = table_struct(kinds[0]), elements_struct(kinds[1:])

    @wp.struct
    class Elements:
        table: Table
        others: Others

    return Elements


@cache
def table_force_hessian(kind, in_lanes=False, team=ALONE):
    """Return the function that sums the elements of one kind at a vertex, those of one lane of a
    team.
    """
    Table, force_hessian_of, constant = table_struct(kind), kind.force_hessian, kind.diagonal
    is_pulled = kind.pulled
    if in_lanes and kind.in_lanes is not None:
        return wide_force_hessian(kind)

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], table: Table, pull: float):
        """Force [N] and Hessian block [N/m] of all elements of a kind at vertex i."""
        x_i = x[i]
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        if wp.static(constant):
            if team.lane() == 0:
                diagonal = table.diagonal[i]
                hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
        begin = table.start[i] + team.lane()
        for q in range(begin, table.start[i + 1], wp.static(team.stride)):
            if wp.static(is_pulled):
                f, h = force_hessian_of(table.records[q], q, table.rest, x_i, x, pull)
            else:
                f, h = force_hessian_of(table.records[q], q, table.rest, x_i, x)
            force += f
            hessian += h
        return force, hessian

    return force_hessian


@cache
def wide_force_hessian(kind):
    """Return the function that sums the elements of one kind at a vertex, eight in lanes."""
    Table, force_hessian_of = table_struct(kind), kind.in_lanes
    is_pulled = kind.pulled

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], table: Table, pull: float):
        """Force [N] and Hessian block [N/m] of all elements of a kind at vertex i."""
        x_i = x[i]
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        for q in range(table.wide_start[i], table.wide_start[i + 1]):
            if wp.static(is_pulled):
                f, h = force_hessian_of(table.wide_records[q], q, table.wide_rest, x_i, x, pull)
            else:
                f, h = force_hessian_of(table.wide_records[q], q, table.wide_rest, x_i, x)
            force += f
            hessian += h
        return force, hessian

    return force_hessian


@cache
def elements_force_hessian(kinds, in_lanes=False, team=ALONE):
    """Return the function that adds the elements of kinds to a force [N] and a block [N/m], those
    of one lane of a team.
    """
    Elements = elements_struct(kinds)
    if not kinds:

        @wp.func
        def add_nothing(
            i: int, x: wp.array[wp.vec3], elements: Elements, force: wp.vec3, hessian: wp.mat33
        ):
            return force, hessian

        return add_nothing

    of_first = table_force_hessian(kinds[0], in_lanes, team)
    of_others = elements_force_hessian(kinds[1:], in_lanes, team)
    is_pulled = kinds[0].pulled

    @wp.func
    def add_elements(
        i: int, x: wp.array[wp.vec3], elements: Elements, force: wp.vec3, hessian: wp.mat33
    ):
        pull = float(0.0)
        if wp.static(is_pulled):
            pull = wp.length(team.total(force))
        f, h = of_first(i, x, elements.table, pull)
        total, block = of_others(i, x, elements.others, force + f, hessian + h)
        return total, block

    return add_elements


@cache
def energy_kernel(kind):
    """Return the kernel for energies of a kind in float64: float32 cannot hold their sums."""
    Exact, energy_of = kind.exact, kind.energy

    @wp.kernel(module=module_of(kind, "energy"))
    def measure_energy(
        elements: wp.array[Exact],
        x: wp.array[wp.vec3],
        body: wp.array[int],
        # out
        energy: wp.array[wp.float64],
        # in and out
        inverted: wp.array[int],
    ):
        """Energy [J] of every element, zero at rest, and the number inverted in every body."""
        e = wp.tid()
        total, volume = energy_of(elements[e], x)
        energy[e] = total
        if volume < wp.float64(0.0):
            wp.atomic_add(inverted, body[e], 1)

    return measure_energy


def module_of(kind, purpose, options=OPTIONS):
    """Return the Warp module for kernels of a kind with some purpose."""
    module = wp.get_module(f"{__package__}.{kind.name}.{purpose}")
    module.options |= options
    return module
