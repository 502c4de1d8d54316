# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of scenes and objects: the solver's numbers, and those of Blender alone, such as
roles, frame range, device and pins.
"""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..solver.lattice.grid import MAX_RESOLUTION
from .gathering.field_weights import field_weight_properties
from .objects.cell_count import NOT_COUNTED, update_cell_count
from .objects.grains import update_spheres
from .objects.participants import active_index, set_active_index
from .values.analytic_colliders import ANALYTIC_SHAPES
from .values.declared import OVERRIDABLE, material_properties, settings_properties
from .values.fibers import fiber_properties
from .values.grains import grain_properties
from .values.holding import holding_properties
from .values.live import live_properties, running_properties
from .values.measured import measured_properties
from .values.painting import map_properties, painting_properties
from .values.records import record_properties
from .values.rest_shape import rest_shape_properties
from .values.rigid import rigid_properties
from .values.roles import ROLES
from .values.scene_time import time_properties
from .values.stack_place import stack_properties
from .viewport.overlays import overlay_properties

COLLIDER_SHAPES = (
    ("MESH", "Mesh", "The faces of the mesh; may be animated and deformed"),
    *ANALYTIC_SHAPES,
)
DEVICES = (
    ("AUTO", "Automatic", "Use the GPU where there is one, otherwise the CPU"),
    ("CPU", "CPU", "Use the processor"),
    ("CUDA", "GPU", "Use the NVIDIA GPU through CUDA"),
)


class VBD_PG_scene(bpy.types.PropertyGroup):
    """Settings of the simulation of a scene: `scene.vbd`."""

    __annotations__ = {
        **settings_properties(),
        **time_properties(),
        "device": EnumProperty(
            name="Device",
            description="What the simulation runs on",
            items=DEVICES,
            default="AUTO",
            options=set(),
            override=OVERRIDABLE,
        ),
        "restart_every": IntProperty(
            name="Checkpoint Every (frames)",
            description="Store a checkpoint every so many frames, for Bake from Here. 0 stores "
            "only that of the last frame, which Resume uses",
            default=25,
            min=0,
            soft_max=250,
            options=set(),
            override=OVERRIDABLE,
        ),
        **map_properties(),
        **overlay_properties(),
        "report": StringProperty(
            name="Report",
            description="What the last bake said",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "participant": IntProperty(
            name="Active Object",
            description="Number of the active object among those of the scene; click to select it",
            get=active_index,
            set=set_active_index,
            options={"HIDDEN", "SKIP_SAVE"},
        ),
        **live_properties(),
        "baked_as": StringProperty(
            name="Baked As",
            description="Name that the scene had at its last bake",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "frames_missing": IntProperty(
            name="Frames Missing",
            description="Frames at the end of the range that the last bake did not reach",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }


def update_role(group, context):
    """Mark a role that is set now as one of a version whose soft bodies are made of cells, whose
    pins of little weight are soft, and whose cloth folds as its mesh can.
    """
    group.made_of_cells = group.soft_pins = group.adapt_folds = True
    update_spheres(group.id_data)
    update_cell_count(group, context)


class VBD_PG_object(bpy.types.PropertyGroup):
    """Settings of an object in the simulation: `object.vbd`."""

    __annotations__ = {
        "role": EnumProperty(
            name="Role",
            description="What the object is in the simulation",
            items=ROLES,
            default="NONE",
            options=set(),
            override=OVERRIDABLE,
            update=update_role,
        ),
        **material_properties(),
        **measured_properties(),
        "use_friction": BoolProperty(
            name="Own Friction",
            description="Use a friction coefficient of this object instead of the scene's",
            default=False,
            options=set(),
            override=OVERRIDABLE,
        ),
        "collider_shape": EnumProperty(
            name="Shape",
            description="What pushes simulated objects away. All but Mesh cost next to "
            "nothing; they may move, but not deform",
            items=COLLIDER_SHAPES,
            default="MESH",
            options=set(),
            override=OVERRIDABLE,
        ),
        "collision_collection": PointerProperty(
            type=bpy.types.Collection,
            name="Collision Collection",
            description="Collide only with the objects of this collection. Two objects collide "
            "only if each has the other in its collection, or no collection",
            options=set(),
            override=OVERRIDABLE,
        ),
        "resolution": IntProperty(
            name="Cells Along",
            description="Cells along the longest side of the lattice that carries the object",
            default=8,
            min=1,
            max=MAX_RESOLUTION,
            soft_min=4,
            soft_max=64,
            options=set(),
            override=OVERRIDABLE,
            update=update_cell_count,
        ),
        "contact_vertices": IntProperty(
            name="Contact Detail",
            description="A mesh of up to this many vertices touches others with all of them. A "
            "finer one touches with some, about half a cell of the lattice apart, which takes less "
            "time",
            default=10000,
            min=0,
            soft_max=50000,
            options=set(),
            override=OVERRIDABLE,
        ),
        **grain_properties(),
        **holding_properties(),
        **rest_shape_properties(),
        **fiber_properties(),
        **rigid_properties(),
        **stack_properties(),
        **field_weight_properties(),
        **painting_properties(),
        **record_properties(),
        "cell_count": IntProperty(
            name="Cells",
            description="Cells of the soft body, or its own tets, when they were last counted",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "cell_vertices": IntProperty(
            name="Vertices Counted",
            description="Vertices that the mesh had when its cells were counted",
            default=NOT_COUNTED,
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "made_of_cells": BoolProperty(
            name="Made of Cells",
            description="False for soft bodies from version 0.1, which were stiffer, until the "
            "user has dismissed the notice",
            default=False,
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }


class VBD_PG_window_manager(bpy.types.PropertyGroup):
    """The running bake of this session: `window_manager.vbd`. Never saved."""

    __annotations__ = {
        **running_properties(),
    }


classes = (VBD_PG_scene, VBD_PG_object, VBD_PG_window_manager)

GROUPS = (
    (bpy.types.Scene, VBD_PG_scene),
    (bpy.types.Object, VBD_PG_object),
    (bpy.types.WindowManager, VBD_PG_window_manager),
)


def register():
    for owner, group in GROUPS:
        owner.vbd = PointerProperty(type=group, name="Vertex Block Descent", override=OVERRIDABLE)


def unregister():
    for owner, _ in GROUPS:
        del owner.vbd
