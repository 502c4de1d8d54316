# SPDX-License-Identifier: GPL-3.0-or-later
"""What begins a substep in a bowl does not come down behind its wall, whatever ways lead there."""

import numpy as np
import pytest
import warp as wp
from coarse_scenes import caged_ball
from fuzz.judge import walls
from shapes import grid

from vbd.solver.bodies import Cloth
from vbd.solver.kernels.contact import points_in_front as kernels
from vbd.solver.scene.analytic_colliders import Bowl
from vbd.solver.settings import Settings
from vbd.solver.simulate import Simulation


def model_in_bowl(body):
    """Its model, and a function of positions: how far its surface is in front of a bowl around its
    place at rest [m], the rim of which is a little above that.
    """
    middle, size = body.points.mean(axis=0), np.ptp(body.points, axis=0).max()
    up = np.array([0.2, -0.1, 1.0])
    up /= np.linalg.norm(up)
    bowl = Bowl(middle + 0.7 * size * up, 2.0 * size, up)
    model = Simulation([body, bowl], Settings(threads=1), "cpu", None).model
    wall, points = walls(bowl)[0], model.surface.points

    def heights(x):
        x = np.asarray(x, dtype=np.float64)
        if len(points):
            x = np.einsum("pc,pcd->pd", points.weights, x[points.corners])
        return wall(x + model.assembly.origin)

    return model, heights


def steps_of_each(model, moved):
    """Launches that keep the steps of vertices from x to `moved` in front, one by one."""
    inputs = [model.x, model.x_start, model.contact_model]
    return [model.launches.record(kernels.keep_steps_in_front, model.free_count, inputs, [moved])]


def steps_of_all(model, moved):
    """The same, when all of them move at once."""
    count, record = model.vertex_count, model.launches.record
    fraction = wp.zeros(count, dtype=float, device=model.device)
    inputs = [model.contact_model, model.x, moved, model.x_start]
    find_fractions = kernels.fractions_kernel(model.surface.points.width)
    return [
        record(find_fractions, count, inputs, [fraction]),
        record(kernels.take_fractions, count, [model.x, fraction], [moved]),
    ]


def sheet():
    return Cloth(*grid(8, 8))


@pytest.mark.parametrize(
    ("make", "keep"), [(sheet, steps_of_each), (sheet, steps_of_all), (caged_ball, steps_of_all)]
)
def test_what_has_left_a_bowl_comes_back_into_it_or_stays_above_its_rim(make, keep):
    model, heights = model_in_bowl(make())
    moved = wp.clone(model.x)
    launches, start = keep(model, moved), model.x.numpy().copy()
    assert (heights(start) > 0.0).all() and np.isfinite(heights(start)).all()
    model.x_start.assign(start)
    model.contact_model.clearance.zero_()
    random, size = np.random.default_rng(3), np.ptp(start, axis=0).max()
    left = came_back = stayed = 0
    for _ in range(40):
        x, now = start, heights(start)
        for _ in range(6):
            way = 1.5 * size * random.normal(size=3) + 0.1 * size * random.normal(size=x.shape)
            model.x.assign(x)
            moved.assign((x + way).astype(np.float32))
            for launch in launches:
                launch()
            x, was = moved.numpy().copy(), now
            now = heights(x)
            assert (now > 0.0).all()
            left += (np.isfinite(was) & np.isinf(now)).sum()
            came_back += (np.isinf(was) & np.isfinite(now)).sum()
            stayed += (np.isinf(was) & np.isinf(now)).sum()
    assert min(left, came_back, stayed) > 100
