# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Tet Mesh: a soft body from a file of tets."""

from pathlib import Path

import bpy
import numpy as np
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, StringProperty
from bpy.utils import user_resource
from bpy_extras.io_utils import ImportHelper

from ...solver.files.tets import ENDINGS, read_tets
from ...solver.messages import message
from ...solver.topology.meshes import boundary_triangles
from ..baking.bake_steps import explain
from ..objects.participants import select_only
from ..objects.tetmesh import store_tets
from ..values.preparing import install_command, interpreter

UP = (
    ("Z", "Z", "The file has Z up, as Blender"),
    ("Y", "Y", "The file has Y up: it is turned by 90° about X"),
)


def tet_object(name, points, tets):
    """A new mesh object with all points [point, 3], the boundary faces of the tets [tet, 4], and
    these as its own.
    """
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], boundary_triangles(tets).tolist())
    mesh.update()
    store_tets(mesh, tets)
    return bpy.data.objects.new(name, mesh)


class VBD_OT_import_tets(bpy.types.Operator, ImportHelper):
    bl_idname = "vbd.import_tets"
    bl_label = "Import Tet Mesh"
    bl_description = (
        "Import tets of Gmsh, VTK, TetGen and others as a mesh that is simulated with them: "
        "its faces are those around them"
    )
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: StringProperty(
        default=";".join(f"*{suffix}" for suffix in ENDINGS), options={"HIDDEN"}
    )
    files: CollectionProperty(
        type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"}
    )
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    scale: FloatProperty(
        name="Scale",
        description="Size in Blender of a length of 1 in the file: 0.001 for millimetres",
        default=1.0,
        min=1e-6,
        max=1e6,
    )
    up: EnumProperty(name="Up", description="Axis of the file that points up", items=UP)
    soft: BoolProperty(
        name="Soft Body", description="Give it the role of a soft body", default=True
    )

    @classmethod
    def poll(cls, context):
        if context.window_manager.vbd.baking:
            cls.poll_message_set(message("bake.running"))
            return False
        return context.mode == "OBJECT"

    def invoke(self, context, _event):
        return self.invoke_popup(context)  # the file browser, where no file was dropped

    def execute(self, context):
        folder = Path(self.directory)
        paths = [folder / file.name for file in self.files if file.name] or [Path(self.filepath)]
        made = []
        for path in paths:
            try:
                made.append(self._imported(context, path))
            except (ValueError, OSError) as error:
                self.report({"ERROR"}, explain(error))
        if not made:
            return {"CANCELLED"}
        select_only(context, made)
        return {"FINISHED"}

    def _imported(self, context, path):
        """The object made from a file."""
        python, modules = interpreter() or "python", user_resource("SCRIPTS", path="modules")
        # meshio needs only these two of the packages that it lists.
        install = install_command(python, modules, "meshio", "rich")
        read = read_tets(path, message("tets.restart_blender", command=install))
        points = np.float32(self.scale) * read.points
        if self.up == "Y":
            points = points[:, [0, 2, 1]] * np.float32([1, -1, 1])
        ob = tet_object(path.stem, points, read.tets)
        context.collection.objects.link(ob)
        if self.soft:
            ob.vbd.role = "SOFT"
        text = message("tets.made", name=ob.name, tets=len(read.tets), vertices=len(points))
        self.report({"WARNING" if read.notes else "INFO"}, "; ".join([text, *read.notes]))
        return ob


class VBD_FH_tets(bpy.types.FileHandler):
    """Handler that accepts files of tets dropped into the viewport and the outliner."""

    bl_idname = "VBD_FH_tets"
    bl_label = "Tet Mesh"
    bl_import_operator = VBD_OT_import_tets.bl_idname
    bl_file_extensions = ";".join(ENDINGS)

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type in {"VIEW_3D", "OUTLINER"}


classes = (VBD_OT_import_tets, VBD_FH_tets)


def _menu_item(menu, _context):
    text = f"Tet Mesh ({'/'.join(ENDINGS)})"
    menu.layout.operator(VBD_OT_import_tets.bl_idname, text=text)


def register():
    bpy.types.TOPBAR_MT_file_import.append(_menu_item)


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(_menu_item)
