# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in the 3D viewports, and what it keeps until anything changes."""

import bpy
from bpy.app.handlers import persistent

# None of frame changes: a bake takes those for a sign that anything may move.
HANDLERS = ("depsgraph_update_post", "load_post")


class Kept:
    """What is drawn, by name, and what takes long to read of objects, until anything changes; what
    is drawn also has a key, such as the frame.
    """

    def __init__(self):
        self.made, self.read = {}, {}

    def reading(self, ob, read):
        """What `read` gave of an object since the last change."""
        key = ob.name_full, read.__name__
        if key not in self.read:
            self.read[key] = read(ob)
        return self.read[key]

    def of(self, name, key, make):
        """The list of what `make` gave since the last change with this key."""
        if self.made.get(name, (None,))[0] != key:
            self.made[name] = key, list(make())
        return self.made[name][1]

    def forget(self):
        self.made.clear()
        self.read.clear()


def drawing(kept, **draws):
    """The functions that register and unregister what draws: `POST_VIEW` in the scene, `POST_PIXEL`
    on the screen. `kept` forgets when anything changes.
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
