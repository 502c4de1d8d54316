# SPDX-License-Identifier: GPL-3.0-or-later
"""Replacement of the layout of a panel, which is not drawn without a window."""

from types import SimpleNamespace

import bpy  # noqa: TID251


class Layout:
    """Records what is drawn: fields and operators, also those that are grey, and the names of
    buttons. Refuses properties, operators and menus that do not exist.
    """

    def __init__(self, above=None):
        self.above, self.active, self.enabled = above, True, True
        self.shown = [] if above is None else above.shown
        self.grey = set() if above is None else above.grey
        self.open = set() if above is None else above.open
        self.buttons = [] if above is None else above.buttons
        self.dead = set() if above is None else above.dead

    def row(self, **_):
        return Layout(self)

    column = grid_flow = split = box = row

    def is_active(self):
        return self.active and (self.above is None or self.above.is_active())

    def is_enabled(self):
        return self.enabled and (self.above is None or self.above.is_enabled())

    def label(self, text, **_):
        self.shown.append(text)

    def separator(self):
        pass

    def progress(self, factor, text, type):
        assert 0.0 <= factor <= 1.0
        self.shown.append("progress")

    def prop(self, group, name, **_):
        assert name in group.bl_rna.properties
        self.shown.append(name)
        if not self.is_active():
            self.grey.add(name)
        if self.is_enabled():
            self.open.add(name)

    def prop_search(self, group, name, data, collection, **_):
        assert collection in data.bl_rna.properties
        self.prop(group, name)

    def operator(self, idname, text=None, **_):
        module, name = idname.split(".")
        operator = getattr(getattr(bpy.ops, module), name)
        rna = operator.get_rna_type()
        self.shown.append(idname)
        self.buttons.append(rna.name if text is None else text)
        if not (operator.poll() and self.is_enabled()):
            self.dead.add(idname)
        return OperatorProperties(rna)

    def template_list(self, idname, _id, data, collection, active_data, active, **_):
        assert hasattr(bpy.types, idname)
        assert collection in data.bl_rna.properties
        assert active in active_data.bl_rna.properties
        self.shown.append(idname)

    def menu(self, idname, text, **_):
        assert hasattr(bpy.types, idname)
        self.shown += [idname, text]


class OperatorProperties:
    """Properties that a button sets; they must be properties of its operator."""

    def __init__(self, rna):
        object.__setattr__(self, "rna", rna)

    def __setattr__(self, name, value):
        assert name in self.rna.properties


def layout_of(panel):
    layout = Layout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def drawn(panel):
    return layout_of(panel).shown


def grey(panel):
    """Fields that are shown but have no effect now."""
    return layout_of(panel).grey


def visible(panel):
    return not hasattr(panel, "poll") or panel.poll(bpy.context)
