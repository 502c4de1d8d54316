# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of an object: their drawing, and the buttons beside them."""

from ...solver.messages import message
from ..objects.participants import BODIES


def draw_list(layout, context, items, active, *, kind, show):
    """Draw the list `items` of the active object, whose shown item has index `active`, both by
    name, with its buttons; `kind` ends the names of its operators and `show` is its switch for the
    viewport. Returns the shown item, or None.
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
    """Base of operators that change a list of the active object, which has one of the `roles`."""

    bl_options = {"REGISTER", "UNDO"}
    roles = BODIES

    @classmethod
    def poll(cls, context):
        ob, reason = context.object, None
        if ob is None or ob.vbd.role not in cls.roles:
            which = "role.select_body" if cls.roles == BODIES else "role.select_simulated"
            reason = message(which)
        elif context.window_manager.vbd.baking:
            reason = message("bake.running")
        elif not ob.is_editable:
            reason = message("role.linked", name=ob.name)
        if reason:
            cls.poll_message_set(reason)
        return reason is None


class RemoveOperator(ListOperator):
    """Removes the shown item of the list `items`, number `active`, both by name."""

    items, active = "", ""

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        if not len(getattr(context.object.vbd, cls.items)):
            cls.poll_message_set(message("role.list_empty"))
            return False
        return True

    def execute(self, context):
        vbd = context.object.vbd
        items, number = getattr(vbd, self.items), getattr(vbd, self.active)
        items.remove(min(max(number, 0), len(items) - 1))
        setattr(vbd, self.active, max(min(number, len(items) - 1), 0))
        return {"FINISHED"}
