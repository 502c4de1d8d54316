# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs eight at a time, in the lanes of the processor or of a team, against one after the
other.
"""

import numpy as np
import pytest
import warp as wp
from shapes import grid
from teams import IN_TURN, become

from vbd.solver.bodies import Cloth
from vbd.solver.contact.contact import Contact
from vbd.solver.contact.surface import contact_surface
from vbd.solver.device.launches import Launches
from vbd.solver.device.threads import Workers
from vbd.solver.kernels.coarse.line_sums import vec8
from vbd.solver.kernels.coarse.slopes import slopes_of_touch
from vbd.solver.kernels.contact.analytic_colliders import ContactModel
from vbd.solver.kernels.contact.law import ContactLaw
from vbd.solver.kernels.contact.pair_forces import Contacts, pair_forces
from vbd.solver.kernels.contact.pairs import Touch
from vbd.solver.kernels.device.teams import SIZE
from vbd.solver.model.assembly import assemble
from vbd.solver.model.model import Model
from vbd.solver.scene.moving_colliders import AnalyticMotion
from vbd.solver.settings import Material, Settings

RADIUS = 0.01


def touching_sheets():
    """The model of two sheets with pairs, one of which separates an intersection."""
    random = np.random.default_rng(5)
    points, triangles = grid(6, 0.12)
    material = Material(
        youngs_modulus=1e5,
        density=100.0,
        thickness=1e-3,
        collision_thickness=0.5 * RADIUS,
        friction=0.4,
    )
    lower = points + random.uniform(-1e-3, 1e-3, points.shape)
    upper = points + random.uniform(-1e-3, 1e-3, points.shape) + [0.05, 3e-3, 0.9 * RADIUS]
    bodies, settings = [Cloth(x, triangles, material) for x in (lower, upper)], Settings()
    scene = assemble(bodies, settings)
    surface = contact_surface(scene, bodies, [], settings)
    analytic = AnalyticMotion([], scene, settings, "cpu").struct
    model = Model(scene, settings, surface, analytic, Launches("cpu", Workers(1)))
    contact = Contact(model, ["A", "B"], settings)
    contact.search()
    contact.refresh()
    # All have moved since the step began, and contacts have elastic displacements.
    start = model.x.numpy() + random.uniform(-2e-3, 2e-3, (len(model.x), 3))
    model.x_start.assign(start.astype(np.float32))
    touches = model.lists.touches.numpy()
    count = model.lists.count
    touches["start_gap"][:count] += random.uniform(-1e-3, 1e-3, (count, 3))
    touches["separates"][0] = 1
    model.lists.touches.assign(touches)
    return model


def evaluation(force_hessian, lanes):
    """The kernel that evaluates forces and blocks of pairs, by so many lanes."""

    @wp.kernel(enable_backward=False, module="unique")
    def evaluate(
        x: wp.array[wp.vec3],
        step: wp.array[wp.vec3],
        color: wp.vec2i,
        contacts: Contacts,
        model: ContactModel,
        # out
        force: wp.array[wp.vec3],
        hessian: wp.array[wp.mat33],
        touching: wp.array[int],
        active_set: wp.array[int],
        margin: wp.array[float],
    ):
        i = wp.tid()
        margin[i] = wp.inf
        for lane in range(lanes):
            if become(lane) == lane:
                f, h, count, number, least = force_hessian(
                    i, x, wp.vec3(0.0), step[i], color, contacts, model.embedding, model.law
                )
                force[i] = force[i] + f
                hessian[i] = hessian[i] + h
                touching[i] = touching[i] + count
                active_set[i] = active_set[i] + number
                margin[i] = wp.min(margin[i], least)

    return evaluate


def evaluated(force_hessian, model, step, color, lanes=1):
    """Forces and blocks of pairs at vertices after steps [m], when those of a range move."""
    count = len(step)
    outputs = [
        wp.zeros(count, dtype=dtype, device="cpu") for dtype in (wp.vec3, wp.mat33, int, int, float)
    ]
    inputs = [model.x, wp.array(step, dtype=wp.vec3, device="cpu"), wp.vec2i(*color)]
    inputs += [model.objective.contacts, model.contact_model]
    wp.launch(evaluation(force_hessian, lanes), count, inputs, outputs, device="cpu")
    return [array.numpy() for array in outputs]


@pytest.mark.parametrize("length", [0.0, 0.3 * RADIUS])
def test_the_lanes_of_a_team_share_all_pairs(length):
    model = touching_sheets()
    count = model.vertex_count
    step = length * np.random.default_rng(2).normal(size=(count, 3))
    color = (0, int(model.color_start[1]))
    one = evaluated(pair_forces(0), model, step, color)
    shared = evaluated(pair_forces(0, team=IN_TURN), model, step, color, SIZE)
    for value, expected in zip(shared[:2], one[:2], strict=True):
        # Both add up float32 numbers, in another order.
        np.testing.assert_allclose(value, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_array_equal(shared[2], one[2])
    np.testing.assert_array_equal(shared[4], one[4])
    assert shared[2].max() > SIZE


@pytest.mark.parametrize("length", [0.0, 0.3 * RADIUS])
def test_pairs_in_lanes_do_what_they_do_one_by_one(length):
    model = touching_sheets()
    count, lists = model.vertex_count, model.lists
    near = lists.near.end.numpy() - lists.all.start.numpy()[:-1]
    assert (near > 8).any() and (near % 8 != 0).any() and (near == 0).any()
    step = length * np.random.default_rng(2).normal(size=(count, 3))
    color = (0, int(model.color_start[1]))
    one, lanes = (
        evaluated(of_pairs, model, step, color)
        for of_pairs in (pair_forces(0), pair_forces(0, in_lanes=True))
    )
    for value, expected in zip(lanes[:2], one[:2], strict=True):
        # Both add up float32 numbers, in another order.
        np.testing.assert_allclose(value, expected, atol=1e-5 * np.abs(expected).max())
    np.testing.assert_array_equal(lanes[2], one[2])
    assert lanes[2].max() > 8
    known = np.isfinite(one[4])
    np.testing.assert_allclose(lanes[4][known], one[4][known], rtol=1e-4, atol=1e-8)
    assert (lanes[4][~known] > 1e20).all()


def test_the_active_set_in_lanes_tells_changes():
    model = touching_sheets()
    count, color = model.vertex_count, (0, 0)
    still = np.zeros((count, 3))
    up = still + [0.0, 0.0, 0.3 * RADIUS]
    first, again, moved = (
        evaluated(pair_forces(0, in_lanes=True), model, step, color) for step in (still, still, up)
    )
    np.testing.assert_array_equal(first[3], again[3])
    changed = first[2] != moved[2]
    assert changed.any() and (first[3] != moved[3])[changed].all()


def sampling(slopes_of):
    """The kernel that samples the slope of contacts along changes of their gaps."""

    @wp.kernel(enable_backward=False, module="unique")
    def sample(
        touches: wp.array[Touch],
        gaps: wp.array[wp.vec3],
        changes: wp.array[wp.vec3],
        longest: float,
        law: ContactLaw,
        slopes: wp.array[vec8],
    ):
        k = wp.tid()
        slopes[k] = slopes_of(touches[k], gaps[k], changes[k], longest, law)

    return sample


@pytest.mark.parametrize("longest", [1.0, 1e-3])
def test_slopes_sampled_in_lanes_are_those_sampled_one_by_one(longest):
    model = touching_sheets()
    touches, count = model.lists.touches, model.lists.count
    random = np.random.default_rng(8)
    rows = touches.numpy()[:count]
    heights = RADIUS * random.uniform(0.001, 1.5, (count, 1))
    aside = random.uniform(-1e-3, 1e-3, (count, 3))
    gaps = heights * rows["normal"] + aside
    changes = random.uniform(-2.0 * RADIUS, 2.0 * RADIUS, (count, 3)) / longest
    given = [wp.array(v.astype(np.float32), dtype=wp.vec3, device="cpu") for v in (gaps, changes)]
    found = []
    for in_lanes in (False, True):
        slopes = wp.zeros(count, dtype=vec8, device="cpu")
        inputs = [touches, *given, longest, model.contact_model.law, slopes]
        wp.launch(sampling(slopes_of_touch(in_lanes)), count, inputs, device="cpu")
        found.append(slopes.numpy())
    one_by_one, in_lanes = found
    assert (one_by_one[:, 3:] != 0.0).any(axis=1).mean() > 0.3
    # Each sample is a difference from that at 0: its rounding is that of the larger one.
    scale = np.abs(one_by_one).max(axis=1, keepdims=True)
    assert (np.abs(in_lanes - one_by_one) <= 1e-5 * scale + 1e-12).all()
