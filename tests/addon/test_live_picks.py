# SPDX-License-Identifier: GPL-3.0-or-later
"""The points that a pull can take while Live runs are where the viewport shows them."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, mesh_object, pin, sheet, shown, slab

from vbd.addon.live import live_run, watching
from vbd.addon.live.picking import _pull, points_shown
from vbd.addon.live.pull_tool import lines_of
from vbd.addon.live.pulls import MousePull
from vbd.addon.live.session import LiveSession


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, 40)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 8
    monkeypatch.setattr(live_run, "rate", lambda scene: 1e6)  # does not wait for real time
    monkeypatch.setattr(watching, "EVERY", 0.0)
    monkeypatch.setattr(watching, "REST", 0.0)
    return scene


def wait_for(session, frame):
    while session.newest < frame:
        assert session.advance(0.01)


def test_points_of_a_smooth_skin_are_those_that_contact_holds_back(scene):
    """A ball of few cells is pressed onto the floor, by its own weight."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, location=(0.0, 0.0, 1.02))
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 4
    ob.vbd.youngs_modulus, ob.vbd.density = 3e4, 1000.0
    slab()
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 30)
    (points,), seen = points_shown(session).values(), shown(ob)
    (body,) = session.run.gathered.simulated()
    (positions,), (skin,) = session.run.shown()
    held_back = np.linalg.norm(skin - body.surface.offsets(positions), axis=1).max()
    session.finish()
    gap = np.linalg.norm(points[:, None] - seen, axis=2).min(axis=1)
    assert body.surface.neighbors is not None and held_back > 1e-4
    assert len(points) == len(seen) and gap.max() < 1e-5


def test_the_end_of_a_pull_is_on_the_body_in_every_picture(scene):
    """Also where a change begins another run, and where frames are shown again."""
    ob = sheet(cells=8)
    pin(ob, [0, 8])
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 5)
    start = shown(ob)[80]
    pull = MousePull(ob.name, 80, 80, np.array((1.5, 0.5, 0.8)), 1.0, start, is_pin=True)
    session.pulls.begin(pull)
    runs = set()
    while session.advance(0.0) and session.newest < 35:
        if session.newest == 15 and scene.gravity[2] < -6.0:
            scene.gravity = (0.0, 0.0, -5.0)
        if session.newest < 0 or session.run.preview is None:
            continue
        ends, _ = lines_of(session)
        if session.run.solver.is_alive():
            runs.add(session.run.first)
            assert len(ends) == 1
            np.testing.assert_allclose(ends[0, 0], shown(ob)[80], atol=1e-5)
    scene.frame_current = 3
    session.advance(0.01)
    assert session.state.paused and not points_shown(session) and not len(lines_of(session)[0])
    session.finish()
    assert len(runs) == 2
    scene.frame_set(4)  # what is solved is played: the solver has no points of these frames
    session = LiveSession(bpy.context)
    wait_for(session, 5)
    assert not points_shown(session)
    session.finish()


def test_kept_pulls_hold_a_refined_cube_where_it_was_pulled(scene):
    """The cube is simulated with more vertices than its mesh has."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 0.6))
    ob = bpy.context.object
    ob.vbd.role, ob.vbd.resolution = "SOFT", 3
    slab()
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 4)
    (points,) = points_shown(session).values()
    at = int(np.linalg.norm(points - (0.5, 0.0, 0.6), axis=1).argmin())
    pull = _pull(bpy.context, session, ob.name, at, points[at])
    pull.move(points[at] + (0.3, 0.0, 0.8))
    session.pulls.begin(pull)
    wait_for(session, 25)
    index, held = session.run.preview.shown, points_shown(session)[ob.name][at]
    session.finish()
    assert bpy.ops.vbd.keep_pulls() == {"FINISHED"}
    assert bpy.ops.vbd.bake(mode="NEW") == {"FINISHED"}
    # Few iterations solve another spring a little differently.
    gap = np.linalg.norm(shown(ob, 1 + index) - held, axis=1).min()
    assert held[2] > points[at][2] + 0.4 and gap < 0.05


def test_a_pull_takes_no_director_of_a_rod(scene):
    points = [(0.1 * k, 0.0, 1.0) for k in range(6)]
    ob = mesh_object("Rope", points, edges=[(k, k + 1) for k in range(5)], role="ROD")
    ob.vbd.bending_factor = 1.0
    pin(ob, [0])
    scene.frame_set(1)
    session = LiveSession(bpy.context)
    wait_for(session, 4)
    (body,) = session.run.gathered.simulated()
    (found,), seen = points_shown(session).values(), shown(ob)
    session.finish()
    assert len(body.points) == 11 and found.shape == seen.shape
    np.testing.assert_allclose(found, seen, atol=1e-5)
