# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches for what has used up its room find all that a search of everything would."""

import numpy as np
import pytest
from coarse_scenes import stepper_of
from shapes import block, box, bumpy_ball, caged, grid, plane

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.contact import bvh
from vbd.solver.contact.intersections import Intersections
from vbd.solver.descent.keeping import Restart
from vbd.solver.kernels.contact.counts import SEARCHES
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
    """A sheet that nearly touches a collider that keeps still."""
    points, triangles = grid(12)
    ball, faces = bumpy_ball(0.3, rows=8)
    below = [0.5, 0.5, -0.304]
    return [Cloth(points, triangles, CLOTH), Collider(ball + below, faces)]


def listed(model):
    """The vertices of all pairs, as a set."""
    return set(map(tuple, model.lists.pairs.numpy()[: model.lists.count]["vertices"].tolist()))


def test_a_solid_that_may_touch_itself_is_looked_at_as_it_begins_alone(monkeypatch):
    # Its inner vertices never touch anything, and need not be waited for.
    looks, look = [], Intersections.look
    monkeypatch.setattr(Intersections, "look", lambda self: looks.append(1) or look(self))
    points, tets = box((3, 3, 3), (0.3, 0.3, 0.3))
    cubes = [Solid(points + [0.0, 0.0, 0.4 * k], tets, CLOTH) for k in (1, 2)]
    for frame in simulate(cubes, Settings(), 3):
        assert len(looks) == 1 and not frame.stats.tangles


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
    x[moving] += [0.0, 0.0, 0.1]  # they have more before them than the others
    contact.candidate.assign(x)
    contact.approach(whole=False)
    renewed = contact.struct.renewed.numpy()
    assert set(moving) == set(np.flatnonzero(renewed[: model.free_count]))
    found = listed(model)
    contact.trees.fit()  # the same regions, but every query is asked
    contact.finding.run()
    everything = listed(model)
    assert everything - before
    assert found >= everything


@pytest.mark.parametrize("make", [folded, balls, rods])
def test_a_step_that_begins_where_all_is_known_seeks_nothing(make):
    """The pairs are brought up to date, to the last bit as a search would list them."""
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    contact.candidate.assign(model.x)
    contact.approach()
    before, searches = listed(model), model.lists.counts.numpy()[SEARCHES]
    assert before
    contact.begin_step()
    free = model.x.numpy()[: model.free_count]
    moved = np.random.default_rng(3).uniform(-1.0, 1.0, free.shape)
    radius = contact.struct.trust_radius.numpy()[: model.free_count, None]
    x = model.x.numpy()
    x[: len(free)] += 0.2 * np.where(np.isfinite(radius), radius, 0.0) * moved
    model.x.assign(x)
    contact.candidate.assign(x)
    contact.begin_approach()
    assert not contact.regions.any_renewed.numpy()[0]
    assert listed(model) == before and model.lists.counts.numpy()[SEARCHES] == searches
    renewed = model.lists.pairs.numpy()[: model.lists.count].copy()
    contact.trees.fit()  # the same regions, and every query is asked
    contact.finding.run()
    by_vertices = [
        dict(zip(map(tuple, p["vertices"]), p, strict=True))
        for p in (renewed, model.lists.pairs.numpy()[: model.lists.count])
    ]
    assert by_vertices[0] == by_vertices[1]


@pytest.mark.parametrize("make", [folded, balls, rods])
def test_what_will_leave_its_region_in_the_next_step_is_sought(make):
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    contact.candidate.assign(model.x)
    contact.approach()
    contact.begin_step()
    x = model.x.numpy()
    radius = contact.struct.trust_radius.numpy()[: model.free_count]
    moving = np.flatnonzero(np.isfinite(radius))[::10]
    x[moving] += 3.0 * radius[moving, None] * np.array([0.0, 0.0, 1.0])
    contact.candidate.assign(x)
    contact.begin_approach()
    renewed = contact.struct.renewed.numpy()
    assert set(moving) == set(np.flatnonzero(renewed[: model.free_count]))
    found = listed(model)
    contact.trees.fit()
    contact.finding.run()
    assert found >= listed(model)


@pytest.mark.parametrize("make", [folded, rods])
def test_only_long_ways_that_lie_behind_are_forgotten_within_a_step(make):
    """The list gets shorter, and holds all that a search of everything with these regions finds."""
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    x, largest = model.x.numpy(), contact.regions.struct.largest.numpy()
    surface = np.flatnonzero(np.isfinite(largest[: model.free_count]))
    ways = np.zeros_like(x)
    ways[surface, 1] = np.where(surface < 60, 2.5, 1.0) * largest[surface]
    for where in (contact.candidate, model.inertial):
        where.assign(x + ways)
    contact.approach()
    assert np.allclose(contact.struct.path.numpy()[surface], ways[surface], rtol=1e-5)
    before = model.lists.count
    model.x.assign(x + ways)
    contact.search(whole=False)
    long = ways[:, 1] > 2.0 * largest
    assert long.any()
    path = contact.struct.path.numpy()
    assert np.allclose(path[surface], np.where(long[:, None], 0.0, ways)[surface], rtol=1e-5)
    found = listed(model)
    contact.trees.fit()
    contact.finding.run()
    assert len(found) < before < model.lists.capacity
    assert found >= listed(model)


def test_what_touches_more_than_before_is_sought():
    """A load makes contacts reach further: what lies there has not been listed."""
    stepper, _frames = stepper_of(folded())
    model, contact = stepper.model, stepper.model.contact
    contact.candidate.assign(model.x)
    contact.approach()
    contact.begin_step()
    multiplier = model.contact_model.state.multiplier
    values = multiplier.numpy()
    values[:3] += 1e-3
    multiplier.assign(values)
    contact.begin_approach()
    assert np.flatnonzero(contact.struct.renewed.numpy()).tolist() == [0, 1, 2]


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


def boxes_of(contact):
    """The boxes of edges and triangles of colliders."""
    trees = contact.struct.trees
    begin = trees.level.numpy()[[bvh.LEVELS * tree for tree in bvh.OF_COLLIDERS]]
    nodes = [
        slice(a, a + contact.trees.counts[tree][0])
        for a, tree in zip(begin, bvh.OF_COLLIDERS, strict=True)
    ]
    return np.concatenate([trees.nodes.numpy()[mine] for mine in nodes])


@pytest.mark.parametrize("move", [False, True])
def test_trees_of_colliders_are_fitted_within_a_step_only_if_these_move(move):
    stepper, _frames = stepper_of(above_a_ball())
    contact = stepper.model.contact
    contact.begin_frame(colliders_move=move)
    contact.approach()
    before = boxes_of(contact)
    contact.model.contact_model.state.multiplier.fill_(1e-3)  # all touch what is farther away
    contact.approach(whole=False)
    assert (boxes_of(contact) != before).any() == move


@pytest.mark.parametrize("make", [folded, balls, rods])
def test_what_is_found_does_not_hang_on_the_order_of_a_tree(make):
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    contact.approach()
    count = model.lists.count
    before = model.lists.pairs.numpy()[:count].copy()
    entries = contact.struct.trees.entry
    halves = np.split(entries.numpy()[: bvh.WIDTH], 2)  # within a node, of what comes first
    entries.assign(np.concatenate([*halves[::-1], entries.numpy()[bvh.WIDTH :]]))
    contact.trees.fit()
    contact.finding.run()
    assert model.lists.count == count
    assert (model.lists.pairs.numpy()[:count] == before).all()


def certain_of(model, contact):
    """Whether it is certain that nothing intersects."""
    contact.refresh()
    contact.find_certainty()
    return model.lists.uncertain.numpy()[0] == 0


@pytest.mark.parametrize("make", [folded, balls, rods])
def test_it_is_certain_that_nothing_intersects_until_something_is_where_nobody_knows(make):
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    contact.approach()
    assert certain_of(model, contact)
    x, v = model.x.numpy().copy(), contact.struct.vertices.numpy()[0]
    outside = x.copy()
    outside[v] += 1.5 * contact.struct.trust_radius.numpy()[v]
    model.x.assign(outside)
    contact.refreshing.gaps.forget()
    assert not certain_of(model, contact)
    model.lists.uncertain.zero_()
    model.x.assign(x)
    contact.refreshing.gaps.forget()
    assert certain_of(model, contact)


@pytest.mark.parametrize("make", [folded, balls, rods])
def test_a_pair_that_has_changed_sides_is_not_certain(make):
    stepper, _frames = stepper_of(make())
    model, contact = stepper.model, stepper.model.contact
    contact.approach()
    pairs = model.lists.pairs.numpy()[: model.lists.count]
    pairs["found_normal"][0] *= -1.0  # as seen from the other side
    contact.refreshing.gaps.forget()
    assert not certain_of(model, contact)


def test_what_touches_from_the_start_is_not_certain():
    """Which side it is on nobody knows: float32 looks for intersections at the end of the frame."""
    points, triangles = grid(4)
    sheets = [Cloth(points + [0.1 * k, 0.05 * k, 0.0], triangles, CLOTH) for k in range(2)]
    stepper, _frames = stepper_of(sheets)
    model, contact = stepper.model, stepper.model.contact
    contact.begin_frame()
    model.x.assign(model.surface.rest)
    contact.approach()
    assert model.lists.uncertain.numpy()[0]


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
        states.append(Restart(number, stepper.keeper.state()))
        stepper.step()
        ends.append(x.numpy().copy())
    for state, end in zip(states[:15], ends, strict=False):
        for of_which in states[-1], state:
            stepper.keeper.restore(of_which)
            stepper.step()
        assert (x.numpy() == end).all(), state.frame


@pytest.mark.parametrize("name", ["contact_search.end_of_vertices", "contact_pairs/pairs"])
def test_impossible_lists_are_refused(name):
    frame = after(hovering())
    arrays = dict(frame.state())
    damaged = arrays[name] = arrays[name].copy()
    if name == "contact_pairs/pairs":
        damaged[:] = 120  # no number of a triangle
    else:
        damaged[0] = damaged[-1] + 1
    with pytest.raises(ValueError, match="restart point"):
        after(hovering(), Restart(frame.index, arrays))


def test_what_is_looked_at_for_its_clasped_pins_alone_keeps_its_regions():
    points, triangles = grid(12)
    pins = Pins(np.flatnonzero(points[:, 0] == 0.0))
    heavy = Material(density=1e6, collision_thickness=2.5e-3)
    sheets = [Cloth(points + [0.0, 0.0, z], triangles, heavy, pins) for z in (0.0, 0.0045)]
    frames = simulate(sheets, Settings(gravity=(0.0, 0.0, 0.0)), 8)
    searches = [frame.stats.searches for frame in frames]
    # They are within each other's contact distance for good, but nothing else is any more.
    assert searches[0] > 0 and sum(searches[4:]) == 0
