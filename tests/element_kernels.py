# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces, blocks and energies of one kind of element alone."""

from functools import cache

import numpy as np
import warp as wp
from teams import become

from vbd.solver.contact.surface import contact_surface
from vbd.solver.descent.convergence import Convergence
from vbd.solver.descent.iterations import Iterations
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.kernels.device.teams import ALONE
from vbd.solver.kernels.elements.table import table_force_hessian, table_struct
from vbd.solver.model.assembly import assemble
from vbd.solver.model.model import Model
from vbd.solver.report.residual import Residual
from vbd.solver.report.statistics import Measure
from vbd.solver.scene.moving_colliders import AnalyticMotion
from vbd.solver.settings import Settings


@cache
def evaluation(kind, in_lanes=True, pull=0.0, team=ALONE, lanes=1):
    """The kernel for force and block of a kind of element at every vertex, in the CPU's form or
    without lanes, where all other forces add up to `pull` [N]; added up over the lanes of a team.
    """
    Table, force_hessian_of = table_struct(kind), table_force_hessian(kind, in_lanes, team)

    @wp.kernel(enable_backward=False, module="unique")
    def evaluate(
        x: wp.array[wp.vec3],
        table: Table,
        # out
        force: wp.array[wp.vec3],
        hessian: wp.array[wp.mat33],
    ):
        i = wp.tid()
        for lane in range(lanes):
            if become(lane) == lane:
                f, h = force_hessian_of(i, x, table, pull)
                force[i] = force[i] + f
                hessian[i] = hessian[i] + h

    return evaluate


def model_of(body, settings):
    """The model of one body."""
    scene = assemble([body], settings)
    surface = contact_surface(scene, [body], [], settings)
    analytic = AnalyticMotion([], scene, settings, "cpu").struct
    return Model(scene, settings, surface, analytic, Launches("cpu", Workers(1)))


def rounding(force, hessian):
    """Tolerance of float32: 2e-5 of the largest force, or the force of moving by 2e-6 m."""
    return max(2e-5 * np.abs(force).max(), 2e-6 * np.abs(hessian).max())


def reported_energy(body, x):
    """Elastic energy [J] of a body at x in the statistics."""
    settings = Settings()
    model = model_of(body, settings)
    points = np.empty_like(x)
    points[model.assembly.vertices[0]] = x
    model.x.assign(points.astype(np.float32))
    residual = Residual(model)
    nothing_done = Convergence(model, residual, Iterations(model), None)
    measure = Measure(model, residual, [body], nothing_done)
    return measure.statistics(measure.read(), 0.0).elastic_energy
