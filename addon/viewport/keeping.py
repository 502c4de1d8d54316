# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in the 3D viewports, and its cache, which is valid until anything changes."""

import bpy
from bpy.app.handlers import persistent

# No handler of frame changes: a bake takes those for a sign that anything may move.
HANDLERS = ("depsgraph_update_post", "load_post")


class DrawCache:
    """Cache, until anything changes, of lists to draw, by name and a key such as the frame, and of
    data of objects that take long to read.
    """

    def __init__(self):
        self.made, self.read = {}, {}

    def reading(self, ob, read):
        """The result of `read` for an object since the last change."""
        key = ob.name_full, read.__name__
        if key not in self.read:
            self.read[key] = read(ob)
        return self.read[key]

    def of(self, name, key, make):
        """The list of the results of `make` since the last change with this key."""
        if self.made.get(name, (None,))[0] != key:
            self.made[name] = key, list(make())
        return self.made[name][1]

    def forget(self):
        self.made.clear()
        self.read.clear()


def drawing(kept, **draws):
    """Functions that register and unregister draw handlers: `POST_VIEW` in the scene, `POST_PIXEL`
    on the screen. `kept` is cleared when anything changes.
    """
    handles = []

    @persistent
    def forget(*_):
        kept.forget()

    def register():
        for name in HANDLERS:
            getattr(bpy.app.handlers, name).append(forget)
        if not bpy.app.background:
            for when, draw in draws.items():
                handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when))

    def unregister():
        for name in HANDLERS:
            getattr(bpy.app.handlers, name).remove(forget)
        while handles:
            bpy.types.SpaceView3D.draw_handler_remove(handles.pop(), "WINDOW")
        kept.forget()

    return register, unregister
