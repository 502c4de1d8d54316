# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of the solver and of materials: menus, saving one's own, and loading one by its name.

A preset is a plain file in `presets/vbd/`, in the add-on or in the user's script folder. Materials
are sorted by role, since a density has another unit for a body, a sheet and a string.
"""

from pathlib import Path

import bpy
from bl_operators.presets import AddPresetBase
from bpy.types import Menu, Operator

from ...solver.messages import message
from .declared import MATERIAL, SETTINGS
from .preset_values import has_values, preset_values

# The folder that holds `presets/`.
ROOT = Path(__file__).resolve().parents[2]

# Choices of the modeler, not of the material: contact distance, rest shape, self contact, motion.
MODELED = (
    *("collision_thickness", "rest_flat", "self_contact", "shrink"),
    *("pressure", "keep_volume", "fill_openings", "adapt_folds", "activation"),
)
MATERIAL_VALUES = tuple(f.name for f in MATERIAL if f.name not in MODELED)

RIGID_VALUES = ("use_mass", "density", "drag", "friction", "use_friction")


def shown_name(file_name):
    return bpy.path.display_name(file_name, title_case=False)


# Label of a menu when no preset has the values.
NONE_SHOWN = "Presets"


class _Presets:
    """Base of all preset menus."""

    bl_label = NONE_SHOWN

    def draw(self, _context):
        self.path_menu(
            preset_folders(self),
            "script.execute_preset",
            filter_ext=lambda ext: ext.lower() == ".py",
            display_name=shown_name,
        )


class VBD_MT_solver_presets(_Presets, Menu):
    preset_subdir = "vbd/solver"


class VBD_MT_soft_presets(_Presets, Menu):
    preset_subdir = "vbd/material/soft"


class VBD_MT_cloth_presets(_Presets, Menu):
    preset_subdir = "vbd/material/cloth"


class VBD_MT_rod_presets(_Presets, Menu):
    preset_subdir = "vbd/material/rod"


class VBD_MT_grain_presets(_Presets, Menu):
    preset_subdir = "vbd/material/grains"


class VBD_MT_rigid_presets(_Presets, Menu):
    preset_subdir = "vbd/material/rigid"


class _AddPreset(AddPresetBase):
    """Base of operators that save a preset."""

    def execute(self, context):
        if self.remove_active:
            menu = getattr(bpy.types, self.preset_menu)
            shown = shown_preset(menu, _group_of(context, menu))
            if shown is None:
                self.report({"WARNING"}, message("role.pick_preset"))
                return {"CANCELLED"}
            if Path(preset_files(menu)[shown]).is_relative_to(ROOT):
                self.report({"WARNING"}, message("role.preset_stays", name=shown))
                return {"CANCELLED"}
            menu.bl_label = shown  # the name that Blender removes
            return super().execute(context)
        return self._save(context)

    def _save(self, context):
        """Save a preset, also over the user's own one of that name, which Blender refuses."""
        name = self.as_filename(self.name)
        menu = getattr(bpy.types, self.preset_menu)
        if name in {path.stem for path in shipped_files(menu)}:
            self.report({"WARNING"}, message("role.preset_name", name=self.name))
            return {"CANCELLED"}
        folder = bpy.utils.user_resource("SCRIPTS", path=f"presets/{self.preset_subdir}")
        own = Path(folder) / f"{name}.py"
        before = own.read_bytes() if name and own.is_file() else None
        if before is not None:
            own.unlink()
        try:
            return super().execute(context)
        finally:
            if before is not None and not own.is_file():
                own.write_bytes(before)


class _AddMaterialPreset(_AddPreset):
    """Base of operators that save a material."""

    preset_defines = []
    preset_values = [
        f"bpy.context.object.vbd.{name}" for name in (*MATERIAL_VALUES, "use_friction")
    ]


class VBD_OT_solver_preset_add(_AddPreset, Operator):
    bl_idname = "vbd.solver_preset_add"
    bl_label = "Add Solver Preset"
    bl_description = "Save the solver settings as a preset, or remove the one shown"
    preset_menu = "VBD_MT_solver_presets"
    preset_subdir = VBD_MT_solver_presets.preset_subdir
    preset_defines = []
    preset_values = [f"bpy.context.scene.vbd.{f.name}" for f in SETTINGS]


class VBD_OT_soft_preset_add(_AddMaterialPreset, Operator):
    bl_idname = "vbd.soft_preset_add"
    bl_label = "Add Soft Body Preset"
    bl_description = "Save the material of the soft body as a preset, or remove the one shown"
    preset_menu = "VBD_MT_soft_presets"
    preset_subdir = VBD_MT_soft_presets.preset_subdir


class VBD_OT_cloth_preset_add(_AddMaterialPreset, Operator):
    bl_idname = "vbd.cloth_preset_add"
    bl_label = "Add Cloth Preset"
    bl_description = "Save the material of the cloth as a preset, or remove the one shown"
    preset_menu = "VBD_MT_cloth_presets"
    preset_subdir = VBD_MT_cloth_presets.preset_subdir


class VBD_OT_rod_preset_add(_AddMaterialPreset, Operator):
    bl_idname = "vbd.rod_preset_add"
    bl_label = "Add Rod Preset"
    bl_description = "Save the material of the rod as a preset, or remove the one shown"
    preset_menu = "VBD_MT_rod_presets"
    preset_subdir = VBD_MT_rod_presets.preset_subdir


class VBD_OT_grain_preset_add(_AddMaterialPreset, Operator):
    bl_idname = "vbd.grain_preset_add"
    bl_label = "Add Grain Preset"
    bl_description = "Save the material of the grains as a preset, or remove the one shown"
    preset_menu = "VBD_MT_grain_presets"
    preset_subdir = VBD_MT_grain_presets.preset_subdir


class VBD_OT_rigid_preset_add(_AddMaterialPreset, Operator):
    bl_idname = "vbd.rigid_preset_add"
    bl_label = "Add Rigid Body Preset"
    bl_description = "Save density and friction of the body as a preset, or remove the one shown"
    preset_menu = "VBD_MT_rigid_presets"
    preset_subdir = VBD_MT_rigid_presets.preset_subdir
    preset_values = [f"bpy.context.object.vbd.{name}" for name in RIGID_VALUES]


# Menu and saving operator of each role that has a material.
MATERIAL_PRESETS = {
    "SOFT": (VBD_MT_soft_presets, VBD_OT_soft_preset_add),
    "CLOTH": (VBD_MT_cloth_presets, VBD_OT_cloth_preset_add),
    "ROD": (VBD_MT_rod_presets, VBD_OT_rod_preset_add),
    "GRAINS": (VBD_MT_grain_presets, VBD_OT_grain_preset_add),
    "RIGID": (VBD_MT_rigid_presets, VBD_OT_rigid_preset_add),
}


def preset_menu(context, kind):
    """The menu of `kind`: "solver", or "material" for the role of the active object."""
    if kind == "solver":
        return VBD_MT_solver_presets
    if kind != "material":
        raise ValueError(message("role.preset_kind", kind=kind))
    ob = context.object
    if ob is None or ob.vbd.role not in MATERIAL_PRESETS:
        name = "no object" if ob is None else ob.name
        raise ValueError(message("role.no_preset_role", name=name))
    return MATERIAL_PRESETS[ob.vbd.role][0]


def preset_folders(menu):
    """Folders with the presets of `menu`, the user's own and those of the add-on."""
    folders = bpy.utils.preset_paths(menu.preset_subdir)
    shipped = ROOT / "presets" / menu.preset_subdir
    if shipped not in map(Path, folders):  # Blender 4.2 cannot register it
        folders.append(str(shipped))
    return folders


def shipped_files(menu):
    """Paths of the presets of `menu` that come with the add-on."""
    return sorted((ROOT / "presets" / menu.preset_subdir).glob("*.py"))


def preset_files(menu):
    """Path of every preset in `menu`, shipped or the user's own, by the name shown; the user's own
    replace shipped ones.
    """
    found = {shown_name(file.name): file for file in shipped_files(menu)}
    for folder in preset_folders(menu):
        own = sorted(Path(folder).glob("*.py"))
        found |= {shown_name(f.name): f for f in own if not f.is_relative_to(ROOT)}
    return found


def shown_preset(menu, group):
    """Name of the preset whose values a property group has, or None.

    Among several, the one with most values; choices of the modeler do not count.
    """
    best = {}
    name_of_best = None
    for name, file in sorted(preset_files(menu).items()):
        values = preset_values(file) or {}
        values = {key: value for key, value in values.items() if key not in MODELED}
        if len(values) > len(best) and has_values(group, values):
            best, name_of_best = values, name
    return name_of_best


def _group_of(context, menu):
    """The property group that the presets of a menu set."""
    return (context.scene if menu is VBD_MT_solver_presets else context.object).vbd


def load_preset(menu, file):
    """Run a preset file as its menu does; the result is in `bpy.context`'s scene or object."""
    bpy.ops.script.execute_preset(filepath=str(file), menu_idname=menu.__name__)


def named_preset(menu, kind, name):
    """The name by which a menu shows a preset; case does not matter."""
    files = preset_files(menu)
    match = [shown for shown in files if shown.lower() == name.lower()]
    if not match:
        raise ValueError(
            message("role.no_preset", kind=kind, name=name, names=", ".join(sorted(files)))
        )
    return match[0]


def apply_preset(context, kind, name):
    """Load a preset by its name: `kind` "solver" into the scene, "material" into the active object.

    Case does not matter.
    """
    menu = preset_menu(context, kind)
    load_preset(menu, preset_files(menu)[named_preset(menu, kind, name)])


def apply_shipped_material(context, ob, name):
    """Load a material that comes with the add-on into `ob`, whose role is set."""
    menu = MATERIAL_PRESETS[ob.vbd.role][0]
    with context.temp_override(object=ob, active_object=ob):
        load_preset(menu, ROOT / "presets" / menu.preset_subdir / f"{name}.py")


classes = (
    VBD_MT_solver_presets,
    VBD_MT_soft_presets,
    VBD_MT_cloth_presets,
    VBD_MT_rod_presets,
    VBD_MT_grain_presets,
    VBD_MT_rigid_presets,
    VBD_OT_solver_preset_add,
    VBD_OT_soft_preset_add,
    VBD_OT_cloth_preset_add,
    VBD_OT_rod_preset_add,
    VBD_OT_grain_preset_add,
    VBD_OT_rigid_preset_add,
)


# With its folder registered, Blender knows that the shipped names are taken.
CAN_REGISTER = hasattr(bpy.utils, "register_preset_path")  # from Blender 4.3 on


def register():
    if CAN_REGISTER:
        bpy.utils.register_preset_path(str(ROOT))


def unregister():
    if CAN_REGISTER:
        bpy.utils.unregister_preset_path(str(ROOT))
