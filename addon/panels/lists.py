# SPDX-License-Identifier: GPL-3.0-or-later
"""What lists of an object have in common: how they are drawn, and the buttons beside them."""

from ..objects.participants import BODIES


def draw_list(layout, context, items, active, *, kind, show):
    """The list `items` of the active object, whose shown one is number `active`, both by name, with
    its buttons; `kind` ends the names of its operators and `show` is its switch for the viewport.
    Returns the item that is shown, or None.
    """
    vbd = context.object.vbd
    row = layout.row()
    row.template_list(f"VBD_UL_{items}", "", vbd, items, vbd, active, rows=2, maxrows=4)
    buttons = row.column(align=True)
    buttons.operator(f"vbd.add_{kind}", text="", icon="ADD")
    buttons.operator(f"vbd.remove_{kind}", text="", icon="REMOVE")
    buttons.prop(context.scene.vbd, show, text="", icon="OVERLAY")
    number = getattr(vbd, active)
    return getattr(vbd, items)[number] if 0 <= number < len(getattr(vbd, items)) else None


class ListOperator:
    """Changes a list of the active object."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        ob, reason = context.object, None
        if ob is None or ob.vbd.role not in BODIES:
            reason = "Select a soft body, cloth or rod"
        elif context.window_manager.vbd.baking:
            reason = "Wait until the bake has ended, or cancel it"
        elif not ob.is_editable:
            reason = f"{ob.name} is linked from another file: make a library override first"
        if reason:
            cls.poll_message_set(reason)
        return reason is None


class RemoveOperator(ListOperator):
    """Removes the shown item of the list `items`, number `active`, both by name; `nothing` says why
    it cannot.
    """

    items, active, nothing = "", "", ""

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not len(getattr(context.object.vbd, cls.items)):
            cls.poll_message_set(cls.nothing)
            return False
        return True

    def execute(self, context):
        vbd = context.object.vbd
        items, number = getattr(vbd, self.items), getattr(vbd, self.active)
        items.remove(min(max(number, 0), len(items) - 1))
        setattr(vbd, self.active, max(min(number, len(items) - 1), 0))
        return {"FINISHED"}
