# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of the sidebar: participants, the bake, its report and the scene's settings."""

from bpy.types import Panel

from ...solver.messages import message
from ..baking.command_line import FORMS
from ..baking.resuming import saved_frames
from ..baking.sizes import draw_sizes
from ..objects.curves import is_simulated_as_points
from ..objects.next_step import next_step
from ..objects.own_mesh import without_own_mesh
from ..objects.participants import CONVERTIBLE, draw_participants
from ..playing.baked import baked_here, warnings
from ..values.presets import VBD_MT_solver_presets, VBD_OT_solver_preset_add
from ..viewport.overlays import draw_switches
from .advice import draw_report, draw_statistics, is_shown
from .drawing import TITLE, draw_field, draw_presets, draw_roles, lock
from .folds import draw_folds
from .live import draw_live, draw_pulls
from .soft_flesh import draw_soft_flesh
from .softness import draw_softness, softer

# The settings with most effect on speed and look; all others are in the Advanced panel. Labels
# stand inside the number fields, since beside them their units would be truncated.
MAIN_SETTINGS = ("substeps", "iterations", "collision_stiffness", "friction", "damping")
CONVERGENCE_SETTINGS = (
    "coarse_correction",
    "relaxation",
    "acceleration",
    "line_search",
    "initial_guess",
    "accuracy",
    "augmented",
)
COLLISION_SETTINGS = (
    "truncation",
    "collision_damping",
    "friction_velocity",
    "collision_interval",
    "air_density",
    "use_ground",
    "ground_height",
)
ADVANCED_SETTINGS = (
    ("Mode", ("time_scale", "quasistatic", "sleep")),
    ("Convergence", CONVERGENCE_SETTINGS),
    ("Collision", COLLISION_SETTINGS),
    ("Processor", ("threads",)),
)


def has_effect(settings, name):
    """Return whether a setting has an effect, given the others."""
    accelerated = settings.acceleration > 0.0
    return {
        "coarse_correction": not accelerated,
        "relaxation": not accelerated,
        "initial_guess": not settings.quasistatic,
        "time_scale": not settings.quasistatic,
        "sleep": not settings.quasistatic,
        "accuracy": settings.coarse_correction and not accelerated,
        "ground_height": settings.use_ground,
    }.get(name, True)


def shown_label(settings, name):
    """The label of a main setting; None for its own name."""
    ends_early = settings.accuracy > 0.0 and has_effect(settings, "accuracy")
    return "Iterations (Most)" if name == "iterations" and ends_early else None


def draw_bake(layout, context):
    """Draw the Bake button and those for existing frames, or the progress of the running bake."""
    state = context.window_manager.vbd
    if state.live:
        draw_live(layout, state)
        return
    if state.baking:
        layout.progress(factor=state.progress, type="BAR", text=state.status)
        layout.operator("vbd.cancel_bake", text="Cancel", icon="CANCEL")
        return
    if without_own_mesh(context.scene):
        layout.operator("vbd.make_mesh_local", icon="LINKED")
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("vbd.live", icon="PLAY")
    row.operator("vbd.bake", text="Bake", icon="REC")
    layout.prop(context.scene.vbd, "live_coarse")
    if baked_here(context.scene) or saved_frames(context.scene):
        column, frame = layout.column(align=True), resume_frame(context.scene)
        if frame is not None:
            column.operator("vbd.resume_bake", text=f"Resume from Frame {frame}", icon="PLAY")
        column.operator("vbd.bake_from_here")
        layout.operator("vbd.free_bake")
    draw_pulls(layout, context)


def resume_frame(scene):
    """The frame that Resume continues with; None if no frame is missing."""
    kept = saved_frames(scene)
    left = kept and kept.frame and kept.scene_frame < scene.vbd.frame_end
    return kept.scene_frame + 1 if left else None


def draw_next_step(layout, context):
    """Draw advice about the next step, in one label, also while a bake runs.

    Blender 4.3 draws a label that is new in its panel as the progress bar that was under the mouse.
    """
    text = next_step(context)
    if text == message("bake.ready") and resume_frame(context.scene) is not None:
        return  # the next step is to resume
    if text:
        layout.label(text=text, icon="INFO")
    if text == message("bake.no_floor"):
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
        if ob is not None and is_simulated_as_points(ob):
            layout.label(text=ob.name, icon="OBJECT_DATA", translate=False)
            draw_roles(layout, ob)
            draw_soft_flesh(layout, ob)
            draw_folds(layout, context, ob, always=False)
        elif ob is not None and ob.type in CONVERTIBLE:
            layout.label(text=ob.name, icon="OBJECT_DATA", translate=False)
            layout.operator("object.convert", text="Convert to Mesh").target = "MESH"
        else:
            layout.label(text=message("bake.select"))
        layout.separator()
        draw_participants(layout, context)
        draw_next_step(layout, context)

        scene = context.scene.vbd
        column = layout.column(align=True)
        column.use_property_split = True
        column.use_property_decorate = False
        column.enabled = not context.window_manager.vbd.baking
        column.prop(scene, "frame_start", text="Frame Start")
        column.prop(scene, "frame_end", text="End")
        column.prop(scene, "device")
        draw_bake(layout, context)


class VBD_PT_cache(_Sidebar, Panel):
    bl_label = "Cache"
    bl_parent_id = "VBD_PT_sidebar"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        lock(self.layout, context)
        draw_sizes(self.layout, context.scene)
        self.layout.prop(context.scene.vbd, "restart_every")
        row = self.layout.row(align=True)
        row.operator("vbd.load_cache")
        row.operator("vbd.load_cache_folder", text="", icon="FILE_FOLDER")


class VBD_PT_export(_Sidebar, Panel):
    bl_label = "Export"
    bl_parent_id = "VBD_PT_sidebar"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return bool(baked_here(context.scene)) and not context.window_manager.vbd.baking

    def draw(self, _context):
        column = self.layout.column(align=True)
        column.operator("vbd.convert_to_relative", text="For glTF and FBX")
        column.operator("vbd.export_point_cache", text="Point Cache")


class VBD_PT_overlays(_Sidebar, Panel):
    bl_label = "Overlays"
    bl_parent_id = "VBD_PT_sidebar"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        draw_switches(self.layout, context)


class VBD_PT_softness(_Sidebar, Panel):
    bl_label = "New Since Version 0.1"
    bl_parent_id = "VBD_PT_sidebar"

    @classmethod
    def poll(cls, context):
        return bool(softer(context.scene.objects))

    def draw(self, context):
        draw_softness(self.layout, context)


class _Report(_Sidebar):
    @classmethod
    def poll(cls, context):
        scene = context.scene
        has_report = is_shown(scene) or warnings(scene)
        return bool(has_report) and not context.window_manager.vbd.baking


class VBD_PT_report(_Report, Panel):
    # A panel of its own, for the reason given in `draw_next_step`.
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
        self.layout.operator("vbd.save_statistics", icon="EXPORT")


class VBD_PT_solver(_Sidebar, Panel):
    bl_label = "Solver"

    def draw(self, context):
        lock(self.layout, context)
        layout = self.layout
        draw_presets(layout, context.scene.vbd, VBD_MT_solver_presets, VBD_OT_solver_preset_add)
        column = layout.column(align=True)
        settings = context.scene.vbd
        for name in MAIN_SETTINGS:
            column.prop(settings, name, text=shown_label(settings, name))


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


class VBD_PT_output(_Sidebar, Panel):
    bl_label = "Command Line"
    bl_parent_id = "VBD_PT_sidebar"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context):
        row = self.layout.row(align=True)
        for form, name, _ in FORMS:
            row.operator("vbd.copy_command_line", text=f"Copy for {name}").form = form


classes = (
    VBD_PT_sidebar,
    VBD_PT_export,
    VBD_PT_cache,
    VBD_PT_overlays,
    VBD_PT_softness,
    VBD_PT_report,
    VBD_PT_statistics,
    VBD_PT_solver,
    VBD_PT_solver_advanced,
    VBD_PT_output,
)
