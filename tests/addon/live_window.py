# SPDX-License-Identifier: GPL-3.0-or-later
"""Live by mouse and keyboard, for tests/addon/test_live_window.py:

    blender --factory-startup --enable-event-simulate --python tests/addon/live_window.py -- \
        PACKAGES [all] [playing] [cloth] [soft] [rod] [rigid] [grains] [shot=FOLDER]

PACKAGES is a folder with the packages vbd and warp. Prints "passed NAME" for every story, and exits
with 1 at the first fault.
"""

import os
import subprocess
import sys
import traceback
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

PACKAGES, *WORDS = sys.argv[sys.argv.index("--") + 1 :]
sys.path[:0] = [PACKAGES, str(Path(__file__).parent)]

from window_events import (  # noqa: E402
    Hand,
    area,
    click_button,
    in_window,
    override,
    region,
    set_number,
    sidebar,
    wait,
)

import vbd  # noqa: E402

vbd.register()

from vbd.addon.files.saving_statistics import played_cache  # noqa: E402
from vbd.addon.live.picking import points_shown  # noqa: E402
from vbd.addon.live.session import LiveSession  # noqa: E402
from vbd.solver.device import thread_priority  # noqa: E402

# Other processes of a busy machine would take all of its time from the solver.
thread_priority.LOWER = {}

END = 2000
# Frames of the bake, and how long a window that draws slowly needs for a menu [s].
LAST, DRAWN = 25, 3.0
# The way of the mouse [m], and how many frames the body has to follow.
ASIDE, FRAMES = np.array((0.8, 0.0, 0.5)), 20
# What a pulled point may be off the mouse at first [pixels].
NEAR = 40.0


def picture(name):
    """Save a picture of the screen in the folder of `shot=`, if there is one."""
    for word in WORDS:
        if word.startswith("shot="):
            path = f"{word.removeprefix('shot=')}/{name}.png"
            subprocess.run(["import", "-window", "root", f"png:{path}"], check=True)


def fresh():
    """An empty scene that is looked at from the front, with a floor."""
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    scene, view = bpy.context.scene, area().spaces.active
    scene.vbd.frame_start, scene.vbd.frame_end = 1, END
    scene.frame_set(1)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 4, 8
    with override():
        bpy.ops.view3d.view_axis(type="FRONT")
    view.region_3d.view_location, view.region_3d.view_distance = (0.0, 0.0, 0.8), 6.0
    view.region_3d.view_perspective = "PERSP"
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    bpy.context.object.vbd.role = "COLLIDER"
    return scene


def pin(ob, vertices):
    """Pin vertices of an object."""
    ob.vertex_groups.new(name="Pins").add([int(v) for v in vertices], 1.0, "REPLACE")
    ob.vbd.pin_group = "Pins"


def chosen(role, **more):
    bpy.ops.vbd.add(role=role)
    ob = bpy.context.object  # a mesh of faces that is filled with grains stays as it is
    for name, value in more.items():
        setattr(ob.vbd, name, value)
    return ob


def hanging_cloth():
    """A cloth that hangs by two corners."""
    cuts = {"x_subdivisions": 12, "y_subdivisions": 12, "size": 1.5}
    bpy.ops.mesh.primitive_grid_add(location=(0, 0, 1.2), rotation=(1.5708, 0, 0), **cuts)
    ob = chosen("CLOTH", youngs_modulus=1e5, density=0.3)
    height = np.array([(v.co.y, abs(v.co.x)) for v in ob.data.vertices]).sum(axis=1)
    pin(ob, np.argsort(height)[-2:])
    return ob


def cube(role, **more):
    bpy.ops.mesh.primitive_cube_add(size=0.8, location=(0, 0, 0.4))
    return chosen(role, **more)


def rope():
    """A rope of edges that hangs by its upper end."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=1, y_subdivisions=1)
    ob = bpy.context.object
    ob.data.clear_geometry()
    points = [(0, 0, 1.8 - 0.1 * k) for k in range(16)]
    ob.data.from_pydata(points, [(k, k + 1) for k in range(15)], [])
    ob = chosen("ROD")
    pin(ob, [0])
    return ob


def heap():
    """A small heap of large grains, the vertices of a mesh."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=1, y_subdivisions=1)
    ob = bpy.context.object
    ob.data.clear_geometry()
    places = np.mgrid[-2:3, -2:3, 0:3].reshape(3, -1).T * 0.2 + (0, 0, 0.11)
    ob.data.from_pydata(places.tolist(), [], [])
    ob = chosen("GRAINS")
    ob.vbd.grain_radius = 0.1
    return ob


MAKERS = {
    "cloth": hanging_cloth,
    "rod": rope,
    "soft": lambda: cube("SOFT", resolution=3),
    "rigid": lambda: cube("RIGID"),
    "grains": heap,
}


def session():
    return LiveSession.current


def running(hand, frame):
    """Press the keys of Live over the viewport, and wait until it shows a frame."""
    place = region()
    yield from hand.move(place.x + 0.7 * place.width, place.y + 0.8 * place.height)
    yield from hand.tap("SPACE", shift=True, alt=True)
    yield from wait(lambda: session() is not None)
    yield from wait(lambda: session() is None or session().newest >= frame)
    assert session() is not None, bpy.context.window_manager.vbd.status


def after(frames_more):
    """Wait for so many frames."""
    until = session().newest + frames_more
    yield from wait(lambda: session() is None or session().newest >= until)
    assert session() is not None


def point_of(ob, choose):
    """Number and place [m] of a point that a pull can take."""
    points = points_shown(session())[ob.name]
    at = int(choose(points))
    return at, points[at]


def lowest_right(points):
    return np.argmax(points[:, 0] - 1.5 * points[:, 2])


def in_front(points):
    return np.argmax(points[:, 2] - 2.0 * points[:, 1])


CHOICE = {"cloth": lowest_right, "rod": lambda p: len(p) - 1}


def pull_aside(hand, ob, choose):
    """Drag a point to the right with the Pull tool, and let go."""
    with override():
        bpy.ops.wm.tool_set_by_id(name="vbd.pull_tool")
    yield 0.3
    _, place = point_of(ob, choose)
    x, y = in_window(place)
    yield from hand.move(x, y)
    yield from hand.press()
    yield from wait(lambda: session().pulls.held())
    (pull,) = session().pulls.held()
    assert pull.body == ob.name, f"the mouse took {pull.body}"
    # The window has gone on by some frames since the place was found.
    off = np.subtract(in_window(points_shown(session())[ob.name][pull.point]), (x, y))
    assert np.linalg.norm(off) < NEAR, f"it took a point that is {off} pixels off"
    goal = place + ASIDE
    goal_x, goal_y = in_window(goal)
    for step in np.linspace(0.0, 1.0, 9)[1:]:
        yield from hand.move(x + step * (goal_x - x), y + step * (goal_y - y))
    yield from after(FRAMES)
    held = points_shown(session())[ob.name][pull.point]
    # The spring is soft: its own weight stretches it by a fifth of a body's size.
    assert np.linalg.norm(held - goal) < 0.7 * np.linalg.norm(ASIDE), (held, place)
    picture(f"{ob.vbd.role.lower()}_pulled")
    yield from hand.release()
    yield from wait(lambda: not session().pulls.held())
    yield from after(FRAMES)
    fallen = points_shown(session())[ob.name][pull.point]
    assert fallen[2] < held[2] - 0.1, (fallen, held)
    picture(f"{ob.vbd.role.lower()}_let_go")


def pulled_story(kind, hand):
    fresh()
    ob = MAKERS[kind]()
    yield from running(hand, 8)
    yield from pull_aside(hand, ob, CHOICE.get(kind, in_front))
    yield from hand.tap("ESC")
    yield from wait(lambda: session() is None)
    assert ob.vbd.baked and bpy.context.scene.frame_current > 2 * FRAMES


def whole_story(hand):
    """Live, pull, change the stiffness, Start Over, Stop, Bake."""
    scene = fresh()
    ob = hanging_cloth()
    yield from sidebar("VBD")
    properties = area("PROPERTIES").spaces.active
    properties.context = "PHYSICS"
    yield from running(hand, 8)
    yield from pull_aside(hand, ob, lowest_right)
    before, was = ob.vbd.youngs_modulus, session().run
    yield from set_number(hand, "vbd.membrane_stiffness", "400")
    yield from wait(lambda: session().run is not was and session().newest > 0)
    assert ob.vbd.youngs_modulus != before
    yield from after(5)
    picture("changed")
    was = session().run
    yield from click_button(hand, "vbd.start_over", 0.3)
    yield from wait(lambda: session().run is not was and 0 < session().newest < 20)
    assert not session().pulls.all
    picture("started_over")
    yield from after(5)
    yield from click_button(hand, "vbd.cancel_bake", 0.3)
    yield from wait(lambda: session() is None)
    assert ob.vbd.baked and scene.frame_current > 4
    picture("stopped")
    scene.vbd.frame_end = LAST
    yield from click_button(hand, "vbd.bake", 0.7)
    yield DRAWN  # the question whether the frames of Live are kept
    yield from hand.tap("DOWN_ARROW")  # no, they are to be replaced
    yield DRAWN
    picture("asked")
    yield from hand.tap("RET")
    yield from wait(lambda: not scene.vbd.live_bake)
    yield from wait(lambda: not bpy.context.window_manager.vbd.baking and ob.vbd.baked)
    header = played_cache(scene).header
    assert not scene.vbd.frames_missing and not header.edited, (scene.vbd.frames_missing, header)
    assert len(ob.data.shape_keys.key_blocks) >= LAST
    scene.frame_set(LAST)
    corners = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).bound_box
    assert 0.0 < min((ob.matrix_world @ Vector(corner)).z for corner in corners) < 1.0
    picture("baked")


def playing_story(hand):
    """Live while the timeline plays, before and again."""
    scene = fresh()
    hanging_cloth()
    for frame in (8, 16):
        with override():
            bpy.ops.screen.animation_play()
        if session() is None:
            yield from running(hand, frame)
        yield from wait(lambda f=frame: session().newest >= f)
        assert not hand.window.screen.is_animation_playing and not session().state.paused
        assert scene.frame_current == session().run.at
    yield from hand.tap("SPACE")
    yield from wait(lambda: session().state.paused)
    with override():
        bpy.ops.screen.animation_play()  # goes on
    yield from after(4)
    yield from hand.tap("ESC")
    yield from wait(lambda: session() is None)


def stories():
    hand = Hand()
    for name in [word for word in WORDS if "=" not in word] or ["all", "playing", *MAKERS]:
        own = {"all": whole_story, "playing": playing_story}.get(name)
        yield from own(hand) if own else pulled_story(name, hand)
        print(f"passed {name}", flush=True)


def main():
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.system.viewport_aa = "OFF"
    steps = stories()

    def visit():
        try:
            return next(steps)
        except StopIteration:
            code = 0
        except BaseException:
            traceback.print_exc()
            picture("fault")
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # quitting would ask about the changed file

    bpy.app.timers.register(visit, first_interval=3.0, persistent=True)


main()
