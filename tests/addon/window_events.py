# SPDX-License-Identifier: GPL-3.0-or-later
"""Mouse and keyboard for scripts in a Blender with a window, started with
`--enable-event-simulate`: generators of pauses [s], in which Blender draws and answers.
"""

import time

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

# Pause after an event, and how long a condition is waited for at most [s].
PAUSE, PATIENCE = 0.05, 240.0
# Interval of the search for a button [pixels].
STEP = 8
DIGITS = {".": "PERIOD", "-": "MINUS"} | dict(
    zip("0123456789", "ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE".split(), strict=True)
)


class Hand:
    """The mouse at `x`, `y`, in pixels from the bottom left of the window, and the keyboard."""

    def __init__(self):
        self.window, self.x, self.y = bpy.context.window_manager.windows[0], 0, 0

    def send(self, kind, value, **more):
        self.window.event_simulate(kind, value, x=self.x, y=self.y, **more)

    def move(self, x, y, **held):
        self.x, self.y = int(x), int(y)
        self.send("MOUSEMOVE", "NOTHING", **held)
        yield PAUSE

    def press(self, kind="LEFTMOUSE", unicode=None, **held):
        self.send(kind, "PRESS", unicode=unicode, **held)
        yield PAUSE

    def release(self, kind="LEFTMOUSE", **held):
        self.send(kind, "RELEASE", **held)
        yield PAUSE

    def tap(self, kind="LEFTMOUSE", unicode=None, **held):
        yield from self.press(kind, unicode, **held)
        yield from self.release(kind, **held)

    def type(self, text):
        for letter in text:
            yield from self.tap(DIGITS[letter], letter)

    def click(self, x, y):
        yield from self.move(x, y)
        yield from self.tap()


def area(kind="VIEW_3D"):
    return next(a for a in bpy.context.window_manager.windows[0].screen.areas if a.type == kind)


def region(kind="WINDOW", of="VIEW_3D"):
    return next(r for r in area(of).regions if r.type == kind)


def override(kind="WINDOW", of="VIEW_3D"):
    """The context of a region, for operators."""
    window = bpy.context.window_manager.windows[0]
    return bpy.context.temp_override(window=window, area=area(of), region=region(kind, of))


def wait(condition, patience=PATIENCE):
    """Let Blender run until a condition holds."""
    until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(f"waited in vain, line {condition.__code__.co_firstlineno}")
        yield PAUSE


def in_window(point):
    """The place of a point of the scene in the window."""
    place = region()
    x, y = location_3d_to_region_2d(place, area().spaces.active.region_3d, point)
    return place.x + x, place.y + y


def sidebar(tab):
    """Open a tab of the sidebar of the 3D viewport."""
    area().spaces.active.show_region_ui = True
    yield 0.5

    def is_open():
        area().tag_redraw()
        try:
            region("UI").active_panel_category = tab
        except TypeError:  # tabs are known once they were drawn
            return False
        return True

    yield from wait(is_open)
    yield 0.5


def find(hand, wanted, copy, column, kind, of):
    """Move over the button of which Blender's `copy` operator copies `wanted`, which is in a
    `column` of the region, as a fraction of its width.
    """
    place, manager = region(kind, of), bpy.context.window_manager
    rows = range(place.y + place.height - STEP, place.y, -STEP)
    for y in rows:
        yield from hand.move(place.x + column * place.width, y)
        manager.clipboard = ""
        with override(kind, of):
            if copy.poll():
                try:
                    copy()
                except RuntimeError:
                    continue
        if wanted in manager.clipboard:
            return
    raise LookupError(f"{wanted} is not in sight")


def click_button(hand, operator, column, kind="UI", of="VIEW_3D"):
    """Click the button of an operator, such as `vbd.bake`."""
    copy = bpy.ops.ui.copy_python_command_button
    yield from find(hand, f"bpy.ops.{operator}(", copy, column, kind, of)
    yield from hand.tap()


def set_number(hand, path, text, kind="WINDOW", of="PROPERTIES"):
    """Type a number into the field of a property, such as `vbd.density`."""
    yield from find(hand, path, bpy.ops.ui.copy_data_path_button, 0.65, kind, of)
    yield from hand.tap("RET")  # edit the number under the mouse
    yield from hand.tap("A", ctrl=True)
    yield from hand.type(text)
    yield from hand.tap("RET")
