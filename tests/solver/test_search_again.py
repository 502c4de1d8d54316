# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches for vertices that left their trust region find all pairs of a complete search."""

import numpy as np
import pytest
from coarse_scenes import stepper_of
from shapes import block, box, bumpy_ball, caged, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.device.launches import Launches
from vbd.solver.kernels.contact.feasibility.trust_regions import BY_TRUST_RADIUS
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

CLOTH = Material(self_contact=True)


def folded():
    """A sheet that lies in three folds, 2 cm apart."""
    points, triangles = grid(12)
    u, side = np.modf(3.0 * points[:, 0])
    x = np.where(side % 2 == 0, u, 1.0 - u) / 3.0
    return [Cloth(np.column_stack([x, points[:, 1], 0.02 * 3.0 * points[:, 0]]), triangles, CLOTH)]


def balls():
    """Two balls in lattices, nearly touching."""
    points, triangles = bumpy_ball(0.3, rows=8)
    apart = [0.013, 0.0, 0.305]
    return [caged(points + k * np.array(apart), triangles, resolution=3) for k in range(2)]


def rods():
    """Two rods across each other, without a triangle in the scene."""
    along = np.linspace([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 12)
    edges = np.column_stack([np.arange(11), np.arange(1, 12)])
    return [Rod(along[:, order] + [0.0, 0.0, 0.01 * k], edges) for k, order in enumerate(ORDERS)]


ORDERS = [0, 1, 2], [1, 0, 2]


def above_a_ball():
    """A sheet that nearly touches a fixed collider."""
    points, triangles = grid(12)
    ball, faces = bumpy_ball(0.3, rows=8)
    below = [0.5, 0.5, -0.304]
    return [Cloth(points, triangles, CLOTH), Collider(ball + below, faces)]


def listed(model):
    """The vertices of all pairs, as a set."""
    return set(map(tuple, model.lists.pairs.numpy()[: model.lists.count]["vertices"].tolist()))


@pytest.mark.parametrize("make", [folded, balls, rods, above_a_ball])
def test_what_is_renewed_is_found_as_by_a_search_of_everything(make):
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    contact.begin_frame(colliders_move=False)
    contact.search()
    before, x = listed(model), model.x.numpy()
    random = np.random.default_rng(5)
    radius = contact.struct.trust_radius.numpy()
    may_move = np.flatnonzero(np.isfinite(radius[: model.free_count]))
    moving = random.choice(may_move, max(len(may_move) // 10, 4), replace=False)
    x[moving] += 0.8 * radius[moving, None] * np.array([0.0, 0.0, 1.0])
    model.x.assign(x)
    x[moving] += [0.0, 0.0, 0.1]  # these move on, beyond their regions
    contact.candidate.assign(x)
    contact.approach(whole=False)
    moved = contact.struct.moved.numpy()
    assert set(moving) == set(np.flatnonzero(moved[: model.free_count]))
    found = listed(model)
    contact.trees.fit()  # the same regions, but with every query
    contact.pair_search.run()
    everything = listed(model)
    assert everything - before
    assert found >= everything


def at_rest():
    """Three sheets that lie on each other without gravity, each touching the next one."""
    points, triangles = grid(8)
    near = Material(self_contact=True, collision_thickness=0.005)
    return [Cloth(points + [0.0, 0.0, 0.008 * k], triangles, near) for k in range(3)]


def test_what_lies_still_is_not_sought_in_the_next_frame():
    still = Settings(gravity=(0.0, 0.0, 0.0), collision_stiffness=1e-3)
    stats = [frame.stats for frame in simulate(at_rest(), still, 4)]
    assert stats[0].searches > 0 and stats[-1].pairs > 0
    assert [s.searches for s in stats[1:]] == [0, 0, 0]


def hovering(**others):
    """Two sheets that hang in the air, one 4 mm above a floor: nearer than their contact
    distance.
    """
    points, triangles = grid(4)
    thick = Material(collision_thickness=0.01)
    sheet = Cloth(points + [0.0, 0.0, 0.004], triangles, thick, **others)
    far = Cloth(points + [0.0, 2.0, 0.5], triangles, thick)
    return [sheet, far, Collider(*plane(height=0.0))]


def after(bodies, restart=None):
    """The last of three frames without gravity, or of two more."""
    frames = 3 if restart is None else 5
    *_, frame = simulate(bodies, Settings(gravity=(0, 0, 0)), frames, restart=restart)
    return frame


def test_what_touches_only_now_is_sought_where_a_run_is_gone_on():
    frame = after(hovering(collides_with=()))
    state = Restart(frame.index, frame.state())
    lowest = [
        after(bodies, state).positions[0][:, 2].min()
        for bodies in (hovering(collides_with=()), hovering())
    ]
    assert lowest[0] < 0.005 < 0.01 < lowest[1]


def test_what_flies_asks_where_colliders_are_in_the_state_that_is_brought_back():
    """A cube falls onto a slab that rises, and is far below when the substep is done again."""
    points, triangles = block((1.0, 1.0, 0.2), (0.0, 0.0, -0.15))
    times, heights = [0.0, 0.2, 0.4], [0.0, 0.06, -1.0]
    up = np.array([0.0, 0.0, 1.0])
    slab = Collider(lambda time: points + np.interp(time, times, heights) * up, triangles)
    corners, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    cube = Solid(corners + [-0.1, -0.1, 0.05], tets, Material(youngs_modulus=1e5))
    steps = {"substeps": 1, "frame_time": 1.0 / 96.0, "iterations": 20}
    stepper, _frames = stepper_of([cube, slab], gravity=(0, 0, -9.81), **steps)
    x, states, ends = stepper.model.x, [], []
    for number in range(2, 50):
        stepper.begin_frame(number, number * steps["frame_time"])
        states.append(Restart(number, stepper.checkpoints.state()))
        stepper.step()
        ends.append(x.numpy().copy())
    for state, end in zip(states[:15], ends, strict=False):
        for of_which in states[-1], state:
            stepper.checkpoints.restore(of_which)
            stepper.step()
        assert (x.numpy() == end).all(), state.frame


def test_what_is_looked_at_for_its_clasped_pins_alone_keeps_its_regions():
    points, triangles = grid(12)
    pins = Pins(np.flatnonzero(points[:, 0] == 0.0))
    heavy = Material(density=1e6, collision_thickness=2.5e-3)
    sheets = [Cloth(points + [0.0, 0.0, z], triangles, heavy, pins) for z in (0.0, 0.0045)]
    frames = simulate(sheets, Settings(gravity=(0.0, 0.0, 0.0)), 8)
    searches = [frame.stats.searches for frame in frames]
    # They are within each other's contact distance for good, but no others are.
    assert searches[0] > 0 and sum(searches[4:]) == 0


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize(("stopped", "rounds"), [(0, []), (1, [1, 2, 4]), (2, [1, 2, 3, 4, 5])])
def test_searches_are_due_for_many_stopped_vertices_or_in_some_rounds(
    stopped, rounds, is_wide, monkeypatch
):
    monkeypatch.setattr(Launches, "are_wide", is_wide)
    contact = stepper_of(folded())[0].model.contact
    truncation, schedule = contact.truncation, contact.search_schedule(1, most=6)
    stuck, cut = (np.zeros(len(a), int) for a in (truncation.stuck, truncation.cut))
    stuck[BY_TRUST_RADIUS] = 1
    cut[:stopped] = BY_TRUST_RADIUS  # one is less than a hundredth of all, two are more
    truncation.stuck.assign(stuck)
    truncation.cut.assign(cut)
    for number in range(1, 8):
        schedule.check()
        assert schedule.searches.numpy()[0] == schedule.goes_on.numpy()[0] == (number in rounds)
