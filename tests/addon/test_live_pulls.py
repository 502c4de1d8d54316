# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulls of the mouse while Live runs, and the animation that they become."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, pin, sheet, shown, tet_block

from vbd.addon.live import live_run, watching
from vbd.addon.live.pace import AHEAD
from vbd.addon.live.pulls import MousePull, stiffness_for
from vbd.addon.live.session import LiveSession


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, 30)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    monkeypatch.setattr(live_run, "rate", lambda scene: 1e6)  # does not wait for real time
    monkeypatch.setattr(watching, "EVERY", 0.0)
    monkeypatch.setattr(watching, "REST", 0.0)
    return scene


def motion(ob, count=30):
    return [shown(ob, frame) for frame in range(1, count + 1)]


def pulled(session, ob, vertex, goal, strength=1.0):
    """Pull a vertex of the object; the pull."""
    run = session.run
    (body,) = run.gathered.simulated()
    stiffness = stiffness_for(body, strength)
    place = np.array(goal, dtype=float), stiffness, body.points[vertex]
    pull = MousePull(ob.name, vertex, vertex, *place)
    session.pulls.begin(pull)
    return pull


def wait_for(session, frame):
    while session.newest < frame:
        # The last frames may all be shown in one visit.
        assert session.advance(0.01) or session.newest >= frame, session.outcome.lines()


def hanging_sheet():
    ob = sheet(cells=8)
    pin(ob, [0, 8])
    return ob


def test_a_pull_draws_its_vertex_to_the_goal_and_lets_go(scene):
    frames(scene, 1, 90)
    ob, last = hanging_sheet(), 80
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 10)
    begin = session.newest
    pull = pulled(session, ob, last, (1.5, 0.5, 0.8))
    wait_for(session, 45)
    held, end = shown(ob)[last], session.newest
    session.pulls.end(pull)
    wait_for(session, 80)
    session.finish()
    assert np.linalg.norm(held - pull.goal) < 0.15
    assert shown(ob, 81)[last][2] < held[2] - 0.3
    first, edited = min(pull.track), session.run.solver.cache.header.edited
    latest = AHEAD + 2  # the frames that are solved, and the one that is being solved
    assert edited == first and 0 < first - begin <= latest and -1 <= max(pull.track) - end <= latest


def test_the_work_of_a_pull_is_no_unstable_gain_of_energy(scene):
    ob = tet_block()
    session = LiveSession(bpy.context)
    wait_for(session, 2)
    pulled(session, ob, 0, (0.0, 0.0, 3.0))
    wait_for(session, 25)
    session.finish()
    told = [line.text for line in session.outcome.lines()]
    assert shown(ob, 25)[:, 2].mean() > 1.5
    assert not any(text.startswith("Unstable") for text in told)


def test_a_pinned_pull_lasts_through_a_change(scene):
    frames(scene, 1, 60)
    ob, last = hanging_sheet(), 80
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 3)
    pull = pulled(session, ob, last, (1.0, 1.0, 0.0), strength=100.0)
    pull.is_pin = True
    wait_for(session, 10)
    first = session.run
    scene.gravity = (0.0, 0.0, -5.0)
    while session.run is first or session.newest < 40:
        assert session.advance(0.01)
    assert session.pulls.pins() == [pull]
    assert np.linalg.norm(shown(ob)[last] - pull.goal) < 0.05
    session.state.start_over, before = True, session.run
    while session.run is before or session.newest < 2:
        assert session.advance(0.01)
    assert not session.pulls.all
    session.finish()


def test_kept_pulls_are_animation_that_a_bake_repeats(scene):
    frames(scene, 1, 60)
    ob, last = hanging_sheet(), 80
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 10)
    pull = pulled(session, ob, last, (1.5, 0.5, 0.8))
    while session.newest < 35:
        pull.move(pull.goal + (0.0, 0.0, 0.005))
        assert session.advance(0.01)
    session.pulls.end(pull)
    live_motion = run_out(session, ob)
    assert bpy.ops.vbd.keep_pulls() == {"FINISHED"} and not bpy.ops.vbd.keep_pulls.poll()
    bpy.ops.vbd.free_bake()
    bpy.ops.vbd.bake(mode="NEW")
    baked = motion(ob, 60)
    # Before the pull, as exactly as few iterations solve with an attachment that is off.
    np.testing.assert_allclose(baked[8], live_motion[8], atol=1e-3)
    # The attachment catches and lets go within a frame, the pull at its beginning.
    held = [index for index in pull.track if index > min(pull.track) + 5]
    gap = max(np.linalg.norm(baked[index][last] - live_motion[index][last]) for index in held)
    assert len(held) > 10 and gap < 0.01 * np.ptp([points[last] for points in baked], axis=0).max()
    assert live_motion[59][last][2] < 0.0 and baked[59][last][2] < 0.0  # both let go


def run_out(session, ob):
    while session.advance(0.01):
        pass
    return motion(ob, 60)


def test_a_pull_takes_a_rigid_body_by_a_point_of_its_mesh():
    from vbd.addon.live.picking import _start_of
    from vbd.addon.live.pulls import pullable
    from vbd.solver.bodies import RigidBody

    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    body = RigidBody(corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    np.testing.assert_array_equal(pullable(body, _start_of(body)), corners)
    np.testing.assert_array_equal(pullable(body, corners + 1.0), corners + 1.0)
