# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Tet Mesh: the simulated volume of soft bodies, at rest or in a frame."""

from pathlib import Path

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ...solver.bodies import Volume
from ...solver.cache_files import write_whole
from ...solver.files.writing import WRITERS, checked_ending, tet_text
from ...solver.messages import message
from ...solver.topology.meshes import tets_of_cells
from ..baking.bake import refusal
from ..baking.bake_steps import explain
from ..gathering.gather import gather, participants, prepared
from ..objects.units import unit_scale
from .saving_statistics import played_cache

FORMATS = (
    ("VTK", "VTK", "For ParaView and most others: legacy .vtk, in text"),
    ("MSH", "Gmsh", "Version 2.2, with a physical group for every object"),
)
MOMENTS = (
    ("START", "Start", "As the bake starts"),
    ("FRAME", "Current Frame", "As it is baked in the frame of now"),
)
UP = (
    ("Z", "Z", "The file has Z up, as Blender"),
    ("Y", "Y", "The file has Y up: it is turned by -90° about X"),
)


def exportable(context):
    """Soft bodies: the selected ones, or else all of the scene."""
    found = [ob for ob in context.scene.objects if ob.vbd.role == "SOFT"]
    return [ob for ob in found if ob in context.selected_objects] or found


def volumes(context, names, frame=None):
    """(name, points [point, 3] in m in the world, tets [tet, 4]) of the soft bodies with these
    names, at the start of the bake or in a baked frame of the scene.

    ValueError gives the reason of a failure.
    """
    scene = context.scene
    cache = None if frame is None else played_cache(scene)
    objects = participants(scene)
    with prepared(scene, objects):
        gathered = gather(context, objects)
    bodies = gathered.simulated()
    positions = [body.points for body in bodies]
    if cache is not None and frame != cache.header.frame_start:
        positions = _baked(cache, frame, gathered)
    return [
        (body.name, points, body.elements if body.corners == 4 else tets_of_cells(body.elements))
        for body, points in zip(bodies, positions, strict=True)
        if isinstance(body, Volume) and body.name in names
    ]


def _baked(cache, frame, gathered):
    """Positions of all bodies in a frame of the scene: of tets those of the mesh, of a lattice what
    a checkpoint knows.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.descent.checkpoints import positions_after

    start, index = cache.header.frame_start, frame - cache.header.frame_start
    points = cache.restart_points()
    if not 0 < index < cache.finished():
        raise ValueError(
            message("tets.not_baked", frame=frame, first=start, last=start + cache.finished() - 1)
        )
    if index not in points:
        known = ", ".join(str(start + point) for point in points)
        raise ValueError(message("tets.inside_unknown", frames=known, frame=frame))
    return positions_after(cache.restart(index), gathered.simulated())


class VBD_OT_export_tets(bpy.types.Operator, ExportHelper):
    bl_idname = "vbd.export_tets"
    bl_label = "Export Tet Mesh"
    bl_description = (
        "Write the volume of the selected soft bodies, or of all, as it is simulated: their own "
        "tets, or their cells divided into six each"
    )

    filter_glob: StringProperty(
        default=";".join(f"*{suffix}" for suffix in WRITERS), options={"HIDDEN"}
    )
    format: EnumProperty(
        name="Format",
        description="What the file browser adds to the name; from scripts the name tells",
        items=FORMATS,
    )
    moment: EnumProperty(name="Moment", description="Which of its shapes is written", items=MOMENTS)
    scale: FloatProperty(
        name="Scale",
        description="Size in Blender of a length of 1 in the file: 0.001 for millimetres",
        default=1.0,
        min=1e-6,
        max=1e6,
    )
    up: EnumProperty(name="Up", description="Axis of the file that points up", items=UP)

    @property
    def filename_ext(self):
        return f".{self.format.lower()}"

    @classmethod
    def poll(cls, context):
        reason = refusal(context)
        if reason is None and not exportable(context):
            reason = message("tets.no_soft_body")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        path = Path(bpy.path.abspath(self.filepath))
        names = {ob.name for ob in exportable(context)}
        frame = context.scene.frame_current if self.moment == "FRAME" else None
        try:
            checked_ending(path)
            parts = [
                (name, self._in_the_file(points, context.scene), tets)
                for name, points, tets in volumes(context, names, frame)
            ]
            write_whole(path, tet_text(path, parts).encode())
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, explain(error))
            return {"CANCELLED"}
        count = sum(len(tets) for _, _, tets in parts)
        self.report({"INFO"}, message("tets.wrote", count=count, path=path.name))
        return {"FINISHED"}

    def _in_the_file(self, points, scene):
        """Points in m -> units of the file."""
        points = points / (self.scale * unit_scale(scene))
        return points[:, [0, 2, 1]] * np.array([1, 1, -1]) if self.up == "Y" else points


classes = (VBD_OT_export_tets,)


def _menu_item(menu, _context):
    text = f"Tet Mesh ({'/'.join(WRITERS)})"
    menu.layout.operator(VBD_OT_export_tets.bl_idname, text=text)


def register():
    bpy.types.TOPBAR_MT_file_export.append(_menu_item)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(_menu_item)
