# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of elements in vertex order, and what the elements of a vertex add up to.

An element of n vertices is stored n times, as a record for each of them, so that a vertex streams
through its records without looking anything up. What is here is made from the functions of an
`ElementKind`; `kinds` are tuples of them, and their tables hang together like the links of a chain.
"""

from functools import cache

import warp as wp

from ..lane_functions import out_of_lanes
from ..lanes import WIDTH, in_all, into_lanes, wide
from ..options import QUICK


@cache
def table_struct(kind):
    """The struct of all elements of a kind."""
    Record, Rest = kind.record, kind.rest
    if kind.in_lanes is not None:
        return wide_table_struct(kind)

    @wp.struct
    class Table:
        start: wp.array[int]  # [vertex + 1] of its records
        records: wp.array[Record]
        rest: wp.array[Rest]  # [record] of kinds that have rest values; damping moves them
        diagonal: wp.array[float]  # [vertex] part of the blocks that never changes [N/m]

    return Table


def wide_table_struct(kind):
    """The same of a kind that goes in lanes on the CPU, eight records of a vertex in one."""
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
    """The struct of the tables of several kinds."""
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
def table_force_hessian(kind, in_lanes=False):
    """The function that adds up the elements of one kind at a vertex."""
    Table, force_hessian_of, constant = table_struct(kind), kind.force_hessian, kind.diagonal
    if in_lanes and kind.in_lanes is not None:
        return wide_force_hessian(kind)

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], table: Table):
        """Force [N] and Hessian block [N/m] of all elements of a kind at vertex i."""
        x_i = x[i]
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        if wp.static(constant):
            diagonal = table.diagonal[i]
            hessian = wp.mat33(diagonal, 0.0, 0.0, 0.0, diagonal, 0.0, 0.0, 0.0, diagonal)
        for q in range(table.start[i], table.start[i + 1]):
            f, h = force_hessian_of(table.records[q], q, table.rest, x_i, x)
            force += f
            hessian += h
        return force, hessian

    return force_hessian


@cache
def wide_force_hessian(kind):
    """The same, eight records at a time."""
    Table, force_hessian_of = table_struct(kind), kind.in_lanes

    @wp.func
    def force_hessian(i: int, x: wp.array[wp.vec3], table: Table):
        """Force [N] and Hessian block [N/m] of all elements of a kind at vertex i."""
        x_i = x[i]
        force = wp.vec3(0.0)
        hessian = wp.mat33(0.0)
        for q in range(table.wide_start[i], table.wide_start[i + 1]):
            f, h = force_hessian_of(table.wide_records[q], q, table.wide_rest, x_i, x)
            force += f
            hessian += h
        return force, hessian

    return force_hessian


@cache
def elements_force_hessian(kinds, in_lanes=False):
    """The function that adds the elements of several kinds to a force [N] and a block [N/m]."""
    Elements = elements_struct(kinds)
    if not kinds:

        @wp.func
        def add_nothing(
            i: int, x: wp.array[wp.vec3], elements: Elements, force: wp.vec3, hessian: wp.mat33
        ):
            return force, hessian

        return add_nothing

    of_first = table_force_hessian(kinds[0], in_lanes)
    of_others = elements_force_hessian(kinds[1:], in_lanes)

    @wp.func
    def add_elements(
        i: int, x: wp.array[wp.vec3], elements: Elements, force: wp.vec3, hessian: wp.mat33
    ):
        f, h = of_first(i, x, elements.table)
        total, block = of_others(i, x, elements.others, force + f, hessian + h)
        return total, block

    return add_elements


@cache
def rest_kernel(kind):
    """The kernel that lets the rest values of a kind follow its state: damping.

    With q the internal variable of an element (volume, strain, angle, length), stiffness k and
    damping time k_d the damped energy of a step of length h is

        ½ k (q − q̄)² + ½ k (k_d/h) (q − qᵗ)² = ½ k (1 + κ) (q − [(1 − β) q̄ + β qᵗ])² + const,

    κ = k_d/h, β = κ/(1 + κ). So damping needs no term of its own: the stiffness is raised once and
    the rest value is moved at the start of every step. q is blind to rigid motion, hence free fall
    and spin are never damped, and the forces of an element add up to zero. The shear of tets alone
    has a potential of its own (viscosity.py), which only has to be told C = FᵀF.
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
    """The same for a kind in lanes."""
    if kind.rest_in_lanes is not None:
        return moved_in_lanes_kernel(kind)
    Table, Rest, WideRest = table_struct(kind), kind.rest, wide(kind.rest)
    moved_rest, lay = kind.moved_rest, into_lanes(kind.rest)

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
        q = table.start[i]
        end = table.start[i + 1]
        for number in range(table.wide_start[i], table.wide_start[i + 1]):
            count = wp.min(end - q, wp.static(WIDTH))
            for k in range(count):
                r = q + k
                moved[r] = moved_rest(table.records[r], undamped[r], blend[r], x[i], x)
            lay(moved, q, count, moved_in_lanes, number)
            q += count

    return move_rest_values


def moved_in_lanes_kernel(kind):
    """The same for a kind whose rest values are moved in lanes, too."""
    Table, Rest, WideRest, moved_rest = (
        table_struct(kind),
        kind.rest,
        wide(kind.rest),
        kind.rest_in_lanes,
    )
    laid, tell = out_of_lanes(kind.rest)
    laid_numbers, _tell = out_of_lanes(float)

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
        x_i = in_all(x[i])
        q = table.start[i]
        end = table.start[i + 1]
        for number in range(table.wide_start[i], table.wide_start[i + 1]):
            count = wp.min(end - q, wp.static(WIDTH))
            before = laid(undamped, q, count)
            share = laid_numbers(blend, q, count)
            rest = moved_rest(table.wide_records[number], before, share, x_i, x)
            moved_in_lanes[number] = rest
            tell(rest, q, count, moved)
            q += count

    return move_rest_values


@cache
def energy_kernel(kind):
    """The kernel for the energies of a kind in float64: float32 cannot hold their sums."""
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
        """Energy [J] of every element, zero at rest, and how many of every body are inside out."""
        e = wp.tid()
        total, volume = energy_of(elements[e], x)
        energy[e] = total
        if volume < wp.float64(0.0):
            wp.atomic_add(inverted, body[e], 1)

    return measure_energy


def module_of(kind, purpose, options=QUICK):
    """The Warp module of the kernels that a kind has for a purpose."""
    module = wp.get_module(f"{__package__}.{kind.name}.{purpose}")
    module.options |= options
    return module
