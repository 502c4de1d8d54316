# SPDX-License-Identifier: GPL-3.0-or-later
"""Participants of the simulation: their list, and selecting them from it."""

import bpy
from bpy.types import UIList

from ...solver.messages import message
from .curves import is_curve

BODIES = ("SOFT", "CLOTH", "ROD", "GRAINS")
"""Roles whose points move on their own."""
SIMULATED = (*BODIES, "RIGID")
ROLE_ICONS = {
    "SOFT": "MOD_SOFT",
    "CLOTH": "MOD_CLOTH",
    "ROD": "CURVE_PATH",
    "GRAINS": "PARTICLES",
    "RIGID": "RIGID_BODY",
    "COLLIDER": "MOD_PHYSICS",
}
# Rows of the list before it scrolls.
MOST_ROWS = 6
# Types of objects that have no role, but can be converted to meshes.
CONVERTIBLE = ("FONT", "SURFACE", "META")


def unsuited(ob, role):
    """The reason why an object of its type cannot have a role, or None."""
    if ob.type == "MESH" or (is_curve(ob) and role == "ROD"):
        return None
    if is_curve(ob):
        return message("role.curve", name=ob.name)
    if ob.type in CONVERTIBLE:
        kind = ob.bl_rna.properties["type"].enum_items[ob.type].name.lower()
        return message("role.convert", name=ob.name, kind=kind)
    return message("mesh.no_mesh", name=ob.name)


def participants(scene):
    return [ob for ob in scene.objects if ob.vbd.role != "NONE"]


def nothing_to_bake(scene):
    """The reason why a scene has nothing to simulate, or None."""
    roles = {ob.vbd.role for ob in scene.objects} - {"NONE"}
    if not roles:
        return message("bake.no_roles")
    if roles == {"COLLIDER"}:
        return message("bake.only_colliders")
    return None


def mover_of(ob, scene):
    """The object above this one that the simulation of a scene moves, so that a bake would move
    this one too; None without one. Points alone do not move children, but those on vertices.
    """
    kind, above = ob.parent_type, ob.parent
    while above is not None:
        is_on_points = kind.startswith("VERTEX") and above.vbd.role in BODIES
        is_moved = is_on_points or (above.vbd.role == "RIGID" and not _is_led(above, scene))
        if is_moved and scene in above.users_scene:
            return above
        kind, above = above.parent_type, above.parent
    return None


def _is_led(ob, scene):
    """Return whether a rigid body follows its own animation to the end of a bake of the scene."""
    return ob.vbd.use_animation and ob.vbd.animated_until >= scene.vbd.frame_end


def select_only(context, objects):
    """Select these objects and no others; the first becomes the active one."""
    for ob in list(context.view_layer.objects.selected):
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
    context.view_layer.objects.active = objects[0]


def active_index(group):
    """Index of the active object among the objects of the scene; -1 for none."""
    ob = bpy.context.view_layer.objects.active
    return -1 if ob is None else group.id_data.objects.find(ob.name)


def set_active_index(group, index):
    ob = group.id_data.objects[index]
    # Objects outside of the view layer cannot be selected; the list shows them in grey.
    if ob.name in bpy.context.view_layer.objects:
        select_only(bpy.context, [ob])


class VBD_UL_participants(UIList):
    """The objects of the scene that have a role."""

    def draw_item(self, _context, layout, _data, ob, _icon, _active_data, _active_property):
        layout.active = ob.visible_get()
        layout.prop(ob, "name", text="", emboss=False, icon=ROLE_ICONS[ob.vbd.role])

    def filter_items(self, _context, data, name):
        objects = getattr(data, name)
        shown = [0 if ob.vbd.role == "NONE" else self.bitflag_filter_item for ob in objects]
        helper = bpy.types.UI_UL_list
        if self.filter_name:
            by_name = helper.filter_items_by_name(
                self.filter_name, self.bitflag_filter_item, objects, "name"
            )
            shown = [a & b for a, b in zip(shown, by_name, strict=True)]
        order = helper.sort_items_by_name(objects, "name") if self.use_filter_sort_alpha else []
        return shown, order


def draw_participants(layout, context):
    """Draw the list, unless it is empty."""
    scene = context.scene
    count = len(participants(scene))
    if not count:
        return
    column = layout.column()
    # A click in another mode would leave that object in it, half selected.
    column.enabled = context.mode == "OBJECT"
    rows = min(max(count, 2), MOST_ROWS)
    column.template_list(
        "VBD_UL_participants",
        "",
        scene,
        "objects",
        scene.vbd,
        "participant",
        rows=rows,
        maxrows=rows,
    )


classes = (VBD_UL_participants,)
