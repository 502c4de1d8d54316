# SPDX-License-Identifier: GPL-3.0-or-later
"""Plasticity: rest values that follow what is strained beyond a limit.

With q − q̄ the elastic strain of an element and l its limit, a substep of length h moves

    q̄ ← q̄ + (1 − exp(−h/τ)) (|q − q̄| − l)₊ (q − q̄)/|q − q̄|

at its start, where the last one has led: the flow of Perzyna (1966), linear in what is beyond the
yield stress, solved exactly for a strain that is held. So a fold that is held creases the same with
any number of substeps. |q − q̄| only shrinks, and with it the energy.
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
    """The kernel that lets the rest values of a kind flow."""
    Element, Rest, State, flowed = kind.element, kind.rest, kind.state, kind.flowed
    leading = 0 if State is Rest else len(State())  # numbers that flow, where others do not

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
        """Move the rest value of every element, and tell its records. One thread per element."""
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
    """The kernel that tells the energies of a kind what has flowed."""
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
