# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces and blocks of one kind of element alone."""

from functools import cache

import warp as wp

from vbd.solver.kernels.elements.table import table_force_hessian, table_struct


@cache
def evaluation(kind, in_lanes=True):
    """The kernel for force and block of a kind of element at every vertex, as the CPU has them or
    without lanes.
    """
    Table, force_hessian_of = table_struct(kind), table_force_hessian(kind, in_lanes)

    @wp.kernel(enable_backward=False, module="unique")
    def evaluate(
        x: wp.array[wp.vec3],
        table: Table,
        # out
        force: wp.array[wp.vec3],
        hessian: wp.array[wp.mat33],
    ):
        i = wp.tid()
        f, h = force_hessian_of(i, x, table)
        force[i] = f
        hessian[i] = h

    return evaluate
