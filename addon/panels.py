# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels: scene and bake in the sidebar, the object's own settings in Properties > Physics."""

from bpy.types import Panel

from .advice import draw_report, draw_statistics, is_shown
from .baked import warnings
from .participants import (
    ADD_FLOOR,
    ROLE_ICONS,
    draw_participants,
    next_step,
)
from .presets import (
    MATERIAL_PRESETS,
    NONE_SHOWN,
    VBD_MT_solver_presets,
    VBD_OT_solver_preset_add,
    shown_preset,
)
from .tet_count import known_tet_count

TITLE = "Soft Bodies and Cloth (VBD)"

ROLE_BUTTONS = (
    ("SOFT", "Soft Body"),
    ("CLOTH", "Cloth"),
    ("ROD", "Rod"),
    ("COLLIDER", "Collider"),
)

# The numbers that decide most about speed and look; all others are in the Advanced panel.
# Labels stand inside the number fields, since beside them their units would be cut off.
MAIN_SETTINGS = ("substeps", "iterations", "collision_stiffness", "friction", "damping")
CONVERGENCE_SETTINGS = (
    "coarse_correction",
    "relaxation",
    "acceleration",
    "estimate_acceleration",
    "line_search",
    "initial_guess",
    "tolerance",
    "augmented",
)
COLLISION_SETTINGS = (
    "truncation",
    "collision_damping",
    "friction_velocity",
    "collision_interval",
    "use_ground",
    "ground_height",
)
ADVANCED_SETTINGS = (
    ("Mode", ("quasistatic",)),
    ("Convergence", CONVERGENCE_SETTINGS),
    ("Collision", COLLISION_SETTINGS),
    ("Processor", ("threads",)),
)

# Material fields of each role in the order they are shown, with a label where the role decides it.
MATERIAL_FIELDS = {
    "SOFT": (
        ("solid_model", None),
        ("youngs_modulus", None),
        ("poisson_ratio", None),
        ("density", "Density (kg/m³)"),
        ("damping", None),
    ),
    "CLOTH": (
        ("membrane", None),
        ("thickness", None),
        ("youngs_modulus", None),
        ("weft_modulus", None),
        ("shear_modulus", None),
        ("poisson_ratio", None),
        ("density", "Density (kg/m²)"),
        ("bending_stiffness", None),
        ("rest_flat", None),
        ("damping", None),
    ),
    "ROD": (
        ("youngs_modulus", None),
        ("thickness", "Diameter (m)"),
        ("density", "Density (kg/m)"),
        ("damping", None),
    ),
}

# Fields of cloth that only the woven model has.
WOVEN_ONLY = ("weft_modulus", "shear_modulus")


def has_effect(settings, name):
    """Whether a setting changes anything, next to the others."""
    accelerated = settings.acceleration > 0.0 or settings.estimate_acceleration
    return {
        "coarse_correction": not accelerated,
        "relaxation": not accelerated,
        "acceleration": not settings.estimate_acceleration,
        "initial_guess": not settings.quasistatic,
        "ground_height": settings.use_ground,
    }.get(name, True)


def lock(layout, context):
    """Grey out fields that a running bake has read."""
    layout.enabled = not context.window_manager.vbd.baking


def draw_field(column, group, name, label=None, active=True):
    row = column.row(align=True)
    row.active = active
    if group.bl_rna.properties[name].type == "ENUM":  # Blender would cut its label off
        row = row.split(factor=0.5)
        row.label(text=group.bl_rna.properties[name].name)
        label = ""
    row.prop(group, name, text=label)


def draw_roles(layout, ob):
    """Buttons that set the role of the selected objects; the active object's role is pressed."""
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for role, label in ROLE_BUTTONS:
        button = grid.operator(
            "vbd.add", text=label, icon=ROLE_ICONS[role], depress=ob.vbd.role == role
        )
        button.role = role
    if ob.vbd.role != "NONE":
        layout.operator("vbd.remove", text="Remove", icon="X")


def draw_presets(layout, group, menu, add_operator):
    row = layout.row(align=True)
    row.menu(menu.__name__, text=shown_preset(menu, group) or NONE_SHOWN)
    row.operator(add_operator.bl_idname, text="", icon="ADD")
    row.operator(add_operator.bl_idname, text="", icon="REMOVE").remove_active = True


def draw_bake(layout, context):
    """The Bake button, or the progress of the bake that runs."""
    state = context.window_manager.vbd
    if state.baking:
        layout.progress(factor=state.progress, type="BAR", text=state.status)
        layout.operator("vbd.cancel_bake", text="Cancel", icon="CANCEL")
        return
    row = layout.row()
    row.scale_y = 1.5
    row.operator("vbd.bake", text="Bake", icon="REC")
    layout.operator("vbd.free_bake", text="Free Bake")
    layout.operator("vbd.convert_to_relative")


def draw_next_step(layout, context):
    """What may be done next. One label, also while a bake runs.

    Blender 4.3 draws a label that is new in its panel as the progress bar that was under the mouse.
    """
    text = next_step(context)
    if text:
        layout.label(text=text, icon="INFO")
    if text == ADD_FLOOR:
        layout.prop(context.scene.vbd, "use_ground", toggle=True)


class _Sidebar:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "VBD"


class VBD_PT_sidebar(_Sidebar, Panel):
    bl_label = TITLE

    def draw(self, context):
        layout = self.layout
        ob = context.object
        if ob is not None and ob.type == "MESH":
            layout.label(text=ob.name, icon="OBJECT_DATA", translate=False)
            draw_roles(layout, ob)
        else:
            layout.label(text="Select a mesh: what is it to be?")
        layout.separator()
        draw_participants(layout, context)
        draw_next_step(layout, context)

        scene = context.scene.vbd
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        lock(column, context)
        column.prop(scene, "frame_start", text="Frame Start")
        column.prop(scene, "frame_end", text="End")
        column.prop(scene, "device")
        draw_bake(layout, context)


class _Report(_Sidebar):
    @classmethod
    def poll(cls, context):
        scene = context.scene
        told = is_shown(scene) or warnings(scene)
        return bool(told) and not context.window_manager.vbd.baking


class VBD_PT_report(_Report, Panel):
    # A panel of its own, because of what is told in `draw_next_step`.
    bl_label = "Last Bake"
    bl_parent_id = "VBD_PT_sidebar"

    def draw(self, context):
        draw_report(self.layout, context)


class VBD_PT_statistics(_Report, Panel):
    bl_label = "Statistics"
    bl_parent_id = "VBD_PT_report"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_statistics(self.layout, context)


class VBD_PT_solver(_Sidebar, Panel):
    bl_label = "Solver"

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        draw_presets(layout, context.scene.vbd, VBD_MT_solver_presets, VBD_OT_solver_preset_add)
        column = layout.column(align=True)
        for name in MAIN_SETTINGS:
            column.prop(context.scene.vbd, name)


class VBD_PT_solver_advanced(_Sidebar, Panel):
    bl_label = "Advanced"
    bl_parent_id = "VBD_PT_solver"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        lock(self.layout, context)
        settings = context.scene.vbd
        for heading, names in ADVANCED_SETTINGS:
            column = self.layout.column(align=True)
            column.label(text=heading)
            for name in names:
                draw_field(column, settings, name, active=has_effect(settings, name))


class _Physics:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    roles = ()

    @classmethod
    def poll(cls, context):
        ob = context.object
        return ob is not None and ob.type == "MESH" and (not cls.roles or ob.vbd.role in cls.roles)


class VBD_PT_physics(_Physics, Panel):
    bl_label = TITLE

    def draw(self, context):
        draw_roles(self.layout, context.object)


class VBD_PT_material(_Physics, Panel):
    bl_label = "Material"
    bl_parent_id = "VBD_PT_physics"
    roles = tuple(MATERIAL_FIELDS)

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        ob = context.object
        draw_presets(layout, ob.vbd, *MATERIAL_PRESETS[ob.vbd.role])
        column = layout.column(align=True)
        woven = ob.vbd.role == "CLOTH" and ob.vbd.membrane == "orthotropic"
        for name, label in MATERIAL_FIELDS[ob.vbd.role]:
            if name in WOVEN_ONLY and not woven:
                continue
            if woven and name == "youngs_modulus":
                label = "Warp Modulus (Pa)"
            draw_field(column, ob.vbd, name, label)


class VBD_PT_lattice(_Physics, Panel):
    bl_label = "Tetrahedra"
    bl_parent_id = "VBD_PT_physics"
    roles = ("SOFT",)

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        ob = context.object
        row = layout.row()
        row.active = "tets" not in ob.data
        row.prop(ob.vbd, "resolution")
        count = known_tet_count(ob)
        row = layout.row()
        row.label(text="Tets not counted" if count is None else f"{count:,} tets")
        row.operator("vbd.count_tets", text="", icon="FILE_REFRESH")
        column = layout.column()
        column.active = "tets" not in ob.data
        column.use_property_split = False  # beside its field the label would be cut off
        column.prop(ob.vbd, "contact_vertices")
        if column.active and len(ob.data.vertices) > ob.vbd.contact_vertices:
            column.label(text="Touches with some vertices", icon="INFO")


class VBD_PT_pins(_Physics, Panel):
    bl_label = "Pins"
    bl_parent_id = "VBD_PT_physics"
    roles = tuple(MATERIAL_FIELDS)

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        ob = context.object
        layout.prop_search(ob.vbd, "pin_group", ob, "vertex_groups")


class VBD_PT_collision(_Physics, Panel):
    bl_label = "Collision"
    bl_parent_id = "VBD_PT_physics"
    roles = (*MATERIAL_FIELDS, "COLLIDER")

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        vbd = context.object.vbd
        collider = vbd.role == "COLLIDER"
        # What has no mesh keeps the distance of those that touch it, and meets all of them.
        with_mesh = not collider or vbd.collider_shape == "MESH"
        if collider:
            layout.prop(vbd, "collider_shape")
        else:
            layout.prop(vbd, "self_contact")
        column = layout.column()
        column.active = with_mesh
        column.prop(vbd, "collision_thickness", text="Thickness")
        if vbd.collision_thickness == 0.0:
            column.label(text="0 follows size and mesh", icon="INFO")
        row = layout.row(align=True, heading="Friction")
        row.prop(vbd, "use_friction", text="")
        value = row.row()
        value.active = vbd.use_friction
        value.prop(vbd, "friction", text="")
        column = layout.column()
        column.active = with_mesh
        column.prop(vbd, "collision_collection", text="Collection")


classes = (
    VBD_PT_sidebar,
    VBD_PT_report,
    VBD_PT_statistics,
    VBD_PT_solver,
    VBD_PT_solver_advanced,
    VBD_PT_physics,
    VBD_PT_material,
    VBD_PT_lattice,
    VBD_PT_pins,
    VBD_PT_collision,
)
