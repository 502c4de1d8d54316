# SPDX-License-Identifier: GPL-3.0-or-later
r"""Response time of Blender's window while a bake or Live runs.

Usage, with the extension installed in a Blender that has a window:

    blender --python benchmarks/responsiveness.py -- [cloth|soft|hanging|cube|rope] [vertices] \
        [seconds] [live] [boxes] [plain] [bare]

Builds a scene (by default 50,000 vertices at default settings) and turns the view nine times a
second, like a user who looks around: for a while before the bake, from the press of Bake until it
is canceled after so many seconds (60), and for a while after. Prints for each of these the time
from the turn of the view until it was drawn: that of an idle Blender on the same machine in the
same minutes, and the additional time of the bake; and how often the viewport was drawn a second.

With `live` it is Live in place of a bake. Then Blender plays the frames, as fast as it can, which
tells what drawing them takes without Live: frames shown a second, and CPU time for each of them of
the window's thread, of threads that draw in software (Mesa's llvmpipe), and of others, which solve.

`hanging` is a cloth that hangs by two corners, `cube` the default cube over a plane, `rope` a rope
with a ball. Drawing in software is quicker with `boxes` (the body is drawn as its bounds),
`plain` (without anti-aliasing) and `bare` (without overlays).
"""

import json
import math
import os
import sys
import time
from functools import partial
from pathlib import Path

import bpy
import gpu
import numpy as np
from mathutils import Quaternion

IDLE = 10.0  # seconds before and after the bake
PERIOD = 0.107  # from one turn of the view to the next, out of step with the timer of the bake [s]
VISIT = 0.002  # interval of the checks whether the time is over [s]
STEP = Quaternion((0.0, 0.0, 1.0), math.radians(2.0))
BEFORE, AFTER = "idle before the bake", "idle after the bake"
LIVE, PLAYING = "Live", "Playing the frames"
# So high that playing does not wait [frames/s].
FREE = 240


def arguments():
    """Kind of body, its vertices, seconds of the bake, and how it is drawn."""
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    drawn = {word for word in words if word in ("live", "boxes", "plain", "bare")}
    words = [word for word in words if word not in drawn]
    kind, vertices, seconds = words + ["cloth", "50000", "60"][len(words) :]
    return kind, int(vertices), float(seconds), drawn


def build(kind, vertices):
    """A body of about so many vertices above a floor, and a ball; returns it, selected."""
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    bpy.ops.vbd.add(role="COLLIDER")
    side = round(math.sqrt(vertices)) - 1
    if kind == "cube":
        bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 3.0))
        return chosen("SOFT")
    if kind == "hanging":
        grid = {"x_subdivisions": side, "y_subdivisions": side}
        bpy.ops.mesh.primitive_grid_add(**grid, size=2.0, location=(0.0, 0.0, 3.0))
        return chosen("CLOTH", (side, side * (side + 2)))
    if kind == "rope":
        return rope(vertices)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0.0, 0.0, 0.5))
    bpy.ops.vbd.add(role="COLLIDER")
    if kind == "cloth":
        bpy.ops.mesh.primitive_grid_add(
            x_subdivisions=side, y_subdivisions=side, size=2.0, location=(0.0, 0.0, 1.1)
        )
    else:
        rings = round(math.sqrt(vertices / 2))
        bpy.ops.mesh.primitive_uv_sphere_add(
            segments=2 * rings, ring_count=rings, radius=0.6, location=(0.1, 0.0, 1.8)
        )
    return chosen(kind.upper())


def chosen(role, pinned=()):
    """Give the active object a role, and pin vertices of it; returns it."""
    ob = bpy.context.object
    bpy.ops.vbd.add(role=role)
    if pinned:
        ob.vertex_groups.new(name="Pins").add(pinned, 1.0, "REPLACE")
        ob.vbd.pin_group = "Pins"
    return ob


def rope(vertices):
    """A rope, pinned at one end, with a rigid ball at the other; returns the rope."""
    mesh = bpy.data.meshes.new("Rope")
    points = [(2.0 * k / (vertices - 1), 0.0, 3.0) for k in range(vertices)]
    mesh.from_pydata(points, [(k, k + 1) for k in range(vertices - 1)], [])
    ob = bpy.data.objects.new("Rope", mesh)
    bpy.context.collection.objects.link(ob)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=(2.2, 0.0, 3.0))
    ball = chosen("RIGID")
    bpy.ops.object.select_all(action="DESELECT")
    ob.select_set(True)
    bpy.context.view_layer.objects.active = ob
    chosen("ROD", (0,))
    item = ob.vbd.attachments.add()
    item.target, item.vertex_group = ball, ob.vertex_groups.new(name="End").name
    ob.vertex_groups["End"].add([vertices - 1], 1.0, "REPLACE")
    return ob


class Clock:
    """Turns the view at its times, however late, and records the times of drawing."""

    def __init__(self, region):
        self.region, self.stage = region, BEFORE
        self.due = time.perf_counter()  # time of the next turn of the view
        self.turned = []  # time of a turn of the view, for turns that are not drawn yet
        self.delays = []  # (event, seconds)
        self.drawings = []  # (event, time)
        self.frames, self.frame = 0, 0
        # By event: time, CPU time, that of this thread and of drawing, and frames; first and last.
        self.marks = {}

    def turn(self):
        """Turn the view as often as is due by now; count frames and time."""
        while self.due < time.perf_counter():
            self.turned.append(self.due)
            self.due += PERIOD
            self.region.view_rotation = STEP @ self.region.view_rotation
        frame = bpy.context.scene.frame_current
        if frame == self.frame:
            return
        self.frames, self.frame = self.frames + max(frame - self.frame, 0), frame
        spent = time.process_time(), time.thread_time(), drawing_time()
        now = time.perf_counter(), *spent, self.frames
        self.marks[self.stage] = self.marks.get(self.stage, (now,))[0], now

    def note(self):
        """Called by Blender when it draws the viewport."""
        # Reading a pixel waits for the end of drawing.
        gpu.state.active_framebuffer_get().read_color(0, 0, 1, 1, 4, 0, "UBYTE")
        now = time.perf_counter()
        self.drawings.append((self.stage, now))
        self.delays += [(self.stage, now - due) for due in self.turned]
        self.turned = []

    def tell(self):
        """Print the numbers of the bake as a whole, and its events."""
        stages = list(dict.fromkeys(stage for stage, _ in self.delays))
        inside = [stage for stage in stages if stage not in (BEFORE, AFTER)]
        print(f"{'[ms]':24}{'turns':>8}{'median':>8}{'95 %':>8}{'largest':>8}")
        for name, members in (
            (BEFORE, [BEFORE]), ("the bake", inside), (AFTER, [AFTER]),
            *((f"  {stage}", [stage]) for stage in inside),
        ):  # fmt: skip
            delays = [delay for stage, delay in self.delays if stage in members]
            middle, late, last = 1e3 * np.quantile(delays, (0.5, 0.95, 1.0))
            print(f"{name:24}{len(delays):8}{middle:8.0f}{late:8.0f}{last:8.0f}")
            times = [time for stage, time in self.drawings if stage in members]
            if len(times) > 1:
                print(f"{'':24}{(len(times) - 1) / (times[-1] - times[0]):8.1f} drawings a second")
        rate = bpy.context.scene.render.fps
        for name in (LIVE, PLAYING):
            if name in self.marks:
                spent, cpu, own, drawn, frames = np.subtract(*reversed(self.marks[name]))
                share = f", {100.0 * frames / spent / rate:.0f} % of real time" * (name == LIVE)
                print(f"{name}: {frames / spent:.1f} frames a second{share}; CPU time a frame:")
                each = np.array((own, drawn, cpu - own - drawn)) / frames * 1e3
                print("{:8.1f} ms window, {:.1f} ms drawing, {:.1f} ms others".format(*each))


def drawing_time():
    """CPU time of this process's threads that draw in software [s], 0 where there are none."""
    times = 0.0
    for task in Path("/proc/self/task").glob("*/stat"):
        name, _, numbers = task.read_text().partition("(")[2].rpartition(")")
        if name.startswith("llvmpipe"):
            times += sum(map(int, numbers.split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return times


def measured(clock, place, seconds, press):
    """Press a button with `press` and measure, stage by stage: yields whenever Blender may
    continue.
    """
    state = bpy.context.window_manager.vbd
    yield from _pass(IDLE)
    clock.stage = "Pressing it"
    with bpy.context.temp_override(**place):
        press()
    yield from _next_drawing(clock)
    until = time.perf_counter() + seconds
    while state.baking:
        clock.stage = state.status.partition(" ")[0].strip(",") or clock.stage
        if state.live and LIVE not in clock.marks:
            until = time.perf_counter() + seconds  # from its first frame on
        if time.perf_counter() > until:
            state.cancel_requested = True
        yield
    clock.stage = "Writing shape keys"
    yield from _next_drawing(clock)
    clock.stage = AFTER
    yield from _pass(IDLE)
    if LIVE in clock.marks:
        yield from played(clock, place)


def played(clock, place):
    """Measure while Blender plays the frames, as fast as it can."""
    scene = bpy.context.scene
    fps, scene.render.fps, scene.sync_mode = scene.render.fps, FREE, "NONE"
    scene.frame_set(scene.vbd.frame_start)
    with bpy.context.temp_override(**place):
        bpy.ops.screen.animation_play()
    yield from _next_drawing(clock)
    clock.stage = PLAYING
    yield from _pass(IDLE)
    with bpy.context.temp_override(**place):
        bpy.ops.screen.animation_cancel(restore_frame=False)
    scene.render.fps = fps


def _pass(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        yield


def _next_drawing(clock):
    count = len(clock.delays)
    while len(clock.delays) == count:
        yield


def main():
    """Build the scene, start the clock, and quit at the end of the measurement."""
    if not hasattr(bpy.context.window_manager, "vbd") or bpy.app.background:
        sys.exit("Blender needs a window, and the extension installed and enabled")
    kind, vertices, seconds, drawn = arguments()
    body = build(kind, vertices)
    if "boxes" in drawn:
        body.display_type = "BOUNDS"
    system = bpy.context.preferences.system
    anti_aliasing = system.viewport_aa
    if "plain" in drawn:
        system.viewport_aa = "OFF"
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    view, preferences = area.spaces.active, bpy.context.preferences.view
    view.show_region_ui, view.overlay.show_overlays = True, "bare" not in drawn
    view.region_3d.view_location, view.region_3d.view_distance = (0.0, 0.0, 0.8), 5.0
    splash, preferences.show_splash = preferences.show_splash, False
    clock = Clock(view.region_3d)
    bpy.types.SpaceView3D.draw_handler_add(clock.note, (), "WINDOW", "POST_PIXEL")
    press = partial(bpy.ops.vbd.bake, "INVOKE_DEFAULT", mode="NEW")
    if "live" in drawn:
        press = partial(bpy.ops.vbd.live, "INVOKE_DEFAULT")
    place = {"window": window, "area": area, "region": region}
    steps = measured(clock, place, seconds, press)

    def begin():
        preferences.show_splash = splash
        sidebar = next(region for region in area.regions if region.type == "UI")
        sidebar.active_panel_category = "VBD"
        clock.due = time.perf_counter()
        bpy.app.timers.register(visit)

    def visit():
        clock.turn()
        try:
            next(steps)
        except StopIteration:
            print(f"Blender {bpy.app.version_string}, {kind}, {len(body.data.vertices)} vertices")
            print(json.loads(bpy.context.scene.vbd.report)["lines"][0]["text"])
            clock.tell()
            system.viewport_aa = anti_aliasing  # Blender may save its preferences when it quits
            bpy.ops.wm.quit_blender()
            return None
        return VISIT

    bpy.app.timers.register(begin, first_interval=2.0)


main()
