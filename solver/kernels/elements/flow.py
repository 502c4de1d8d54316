# SPDX-License-Identifier: GPL-3.0-or-later
"""Plastic flow: rest values that follow strains beyond a limit.

With q − q̄ the elastic strain of an element and l its limit, a substep of length h sets

    q̄ ← q̄ + (1 − exp(−h/τ)) (|q − q̄| − l)₊ (q − q̄)/|q − q̄|

at its start, with q at the end of the last one: the flow of Perzyna (1966), linear in the excess
over the yield stress, solved exactly for a constant strain. So a crease under constant strain does
not depend on the number of substeps. |q − q̄| only decreases, and so does the energy.
"""

from functools import cache

import warp as wp

from .linear_algebra import exact, exact_eighteen, exact_six, vec6, vec18
from .table import module_of


@wp.func
def exact_number(value: float):
    return wp.float64(value)


EXACT = {float: exact_number, wp.vec3: exact, vec6: exact_six, vec18: exact_eighteen}


@cache
def flow_kernel(kind):
    """Return the kernel for the flow of the rest values of a kind."""
    Element, Rest, State, flowed = kind.element, kind.rest, kind.state, kind.flowed
    leading = 0 if State is Rest else len(State())  # numbers that flow, if not all do

    @wp.kernel(module=module_of(kind, "flow"))
    def flow(
        first: int,
        elements: wp.array[Element],
        state: wp.array[int],
        limit: wp.array[float],
        share: wp.array[float],
        records: wp.array2d[int],
        x: wp.array[wp.vec3],
        # in and out
        plastic: wp.array[State],
        # out
        rest: wp.array[Rest],
    ):
        """Move the rest value of every element and of its records. One thread per element."""
        e = first + wp.tid()
        moved = flowed(elements[e], plastic[state[e]], limit[e], share[e], x)
        plastic[state[e]] = moved
        for c in range(records.shape[1]):
            r = records[e, c]
            if wp.static(leading == 0):
                rest[r] = moved
            else:
                at_rest = rest[r]
                for k in range(wp.static(leading)):
                    at_rest[k] = moved[k]
                rest[r] = at_rest

    return flow


@cache
def exact_rest_kernel(kind):
    """Return the kernel that copies rest values after flow to the energies of a kind."""
    Exact, State, exact_rest = kind.exact, kind.state, EXACT[kind.state]

    @wp.kernel(module=module_of(kind, "exact_rest"))
    def take_rest_values(
        state: wp.array[int],
        plastic: wp.array[State],
        # out
        elements: wp.array[Exact],
    ):
        e = wp.tid()
        elements[e].rest = exact_rest(plastic[state[e]])

    return take_rest_values
