# SPDX-License-Identifier: GPL-3.0-or-later
"""Painted properties of an object's material: interpolated by the weight of a vertex group between
a value at 0 and the object's own at 1.
"""

from dataclasses import fields, replace

import bpy
import numpy as np
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)

from ...solver.messages import message
from ...solver.settings import Material
from ..objects import read_mesh
from ..objects.curves import is_curve
from ..objects.nearest import nearest, weights_in
from ..objects.units import shown
from .declared import OVERRIDABLE
from .measured import MEASURED, measured_name

FIELDS = {f.name: f.metadata for f in fields(Material)}
EVERY = ("SOFT", "CLOTH", "ROD")
WITH_GRAINS = (*EVERY, "GRAINS")
# Roles whose bodies have a property that can be painted.
ROLES_OF = {
    "youngs_modulus": EVERY,
    "bending_stiffness": ("CLOTH",),
    "bending_factor": ("ROD",),
    "density": WITH_GRAINS,
    "damping": EVERY,
    "thickness": ("CLOTH", "ROD"),
    "friction": WITH_GRAINS,
    "collision_thickness": EVERY,
    "drag": WITH_GRAINS,
    "shrink": ("CLOTH",),
    "crease_radius": ("CLOTH", "ROD"),
    "yield_strain": ("SOFT", "CLOTH"),
    "fiber_stiffness": ("SOFT",),
    "active_stress": ("SOFT",),
    "activation": ("SOFT",),
}
# Properties of elements; the others belong to vertices.
OF_ELEMENTS = (
    *("youngs_modulus", "bending_stiffness", "bending_factor"),
    *("density", "damping", "thickness", "shrink", "crease_radius", "yield_strain"),
    *("fiber_stiffness", "active_stress", "activation"),
)
# Properties that follow another one: cloth woven half as stiff is so in all directions.
WITH_IT = {"youngs_modulus": ("weft_modulus", "shear_modulus")}
DENSITY_UNITS = {"SOFT": "kg/m³", "CLOTH": "kg/m²", "ROD": "kg/m", "GRAINS": "kg/m³"}
ROLE_NAMES = {"SOFT": "soft body", "CLOTH": "cloth", "ROD": "rod", "GRAINS": "grains"}
PLAIN = {"options": set(), "override": OVERRIDABLE}


def label(name):
    return FIELDS[name]["label"]


def unit(name, role):
    """The unit of a property for a role, empty if it has none."""
    return DENSITY_UNITS[role] if name == "density" else FIELDS[name]["unit"]


def shown_in(item):
    """The `Measured` in which a row and the material's panel show the property; None for SI units.

    A library override shows the stored value.
    """
    ob = item.id_data
    return None if ob.override_library else MEASURED.get(measured_name(item.what, ob.vbd.role))


def _shown_value(item):
    measured = shown_in(item)
    return item.value / measured.size if measured else item.value


def _set_shown_value(item, value):
    measured = shown_in(item)
    item.value = value * measured.size if measured else value


def own_value(ob, name, scene_friction):
    """The object's own value of a property, in SI units."""
    if name == "friction" and not ob.vbd.use_friction:
        return scene_friction
    return shown(ob.vbd, name)


def start_value(item, context):
    """Give a row, whose property has just been chosen, the object's own value: as in Blender's
    cloth, nothing changes until another one is typed.
    """
    own = own_value(item.id_data, item.what, context.scene.vbd.friction)
    item.value = float(f"{own:.6g}")  # without the extra digits of float32


class VBD_PG_painted(bpy.types.PropertyGroup):
    """One painted property of an object: an item of `object.vbd.painted`."""

    __annotations__ = {
        "what": EnumProperty(
            name="Property",
            description="What is painted",
            items=[(name, label(name), FIELDS[name]["text"]) for name in ROLES_OF],
            default="youngs_modulus",
            update=start_value,
            **PLAIN,
        ),
        "vertex_group": StringProperty(
            name="Vertex Group",
            description="Its weights go from the value given here, at 0 and outside of the group, "
            "to the object's own, at 1. In between the property is linear in the weight",
            **PLAIN,
        ),
        "value": FloatProperty(
            name="Unpainted",
            description="The property where the weight is 0, in SI units. Stiffness takes the "
            "other stiffnesses of woven cloth along",
            default=0.0,
            min=0.0,
            precision=3,  # Blender shows more digits of small numbers
            **PLAIN,
        ),
        "depth": FloatProperty(
            name="Layer Depth",
            description="Of soft bodies: down to this depth below the surface the weights count, "
            "and without a group all are 0; deeper inside the property is the object's own, as "
            "fat lies over muscle. 0 is all the way through",
            default=0.0,
            min=0.0,
            soft_max=1.0,
            unit="LENGTH",
            **PLAIN,
        ),
        "shown_value": FloatProperty(
            name="Unpainted",
            description="The property where the weight is 0, in the unit of the material's panel. "
            "Stiffness takes the other stiffnesses of woven cloth along",
            min=0.0,
            precision=3,
            options=set(),
            get=_shown_value,
            set=_set_shown_value,
        ),
    }


def painting_properties():
    """Annotations for `object.vbd`."""
    return {
        "painted": CollectionProperty(
            type=VBD_PG_painted,
            name="Painted",
            description="Properties that vertex groups give",
            options=set(),
            override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"},
        ),
        "painted_row": IntProperty(
            name="Active Painted Property",
            description="The painted property that is shown",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }


def map_properties():
    """Annotations for `scene.vbd`."""
    return {
        "show_painted": BoolProperty(
            name="Painted",
            description="Color the active object by the painted property that is chosen, in Object "
            "Mode: dark where it is low, bright where it is high",
            default=False,
            **PLAIN,
        )
    }


def is_layer(item):
    """Return whether a row is about a layer below the surface."""
    return item.depth > 0.0 and item.id_data.vbd.role == "SOFT" and item.what in OF_ELEMENTS


def painted_values(ob, mesh, item, scene_friction):
    """The property of a row of an object, with its evaluated mesh, [vertex] in SI units."""
    name = item.what
    if not item.vertex_group and is_layer(item):
        return np.full(len(mesh.vertices), item.value)
    if not item.vertex_group:
        raise ValueError(message("material.painted_no_group", name=ob.name, property=label(name)))
    weights = read_mesh.group_weights(ob, mesh, item.vertex_group)
    if not weights.any():
        raise ValueError(
            message(
                "material.painted_group_empty",
                name=ob.name,
                group=item.vertex_group,
                property=label(name),
            )
        )
    own = own_value(ob, name, scene_friction)
    return item.value + weights * (own - item.value)


def _refuse(ob):
    if is_curve(ob):
        raise ValueError(message("material.painted_curve", name=ob.name))
    rows = [item.what for item in ob.vbd.painted]
    for item in ob.vbd.painted:
        name, role, low = item.what, ob.vbd.role, FIELDS[item.what]["low"]
        if role not in ROLES_OF[name]:
            raise ValueError(
                message(
                    "material.painted_role",
                    name=ob.name,
                    property=label(name),
                    role=ROLE_NAMES[role],
                )
            )
        if rows.count(name) > 1:
            raise ValueError(message("material.painted_twice", name=ob.name, property=label(name)))
        if not low <= item.value <= FIELDS[name]["high"]:
            raise ValueError(
                message(
                    "material.painted_range",
                    name=ob.name,
                    property=label(name),
                    value=item.value,
                    low=low,
                    high=FIELDS[name]["high"],
                    unit=unit(name, role),
                ).rstrip()
            )
        # Zero stands for the automatic thickness.
        if name == "collision_thickness" and not item.value * ob.vbd.collision_thickness:
            raise ValueError(message("material.painted_zero", name=ob.name, property=label(name)))
        if name == "bending_factor" and not ob.vbd.bending_factor:
            raise ValueError(message("material.painted_factor", name=ob.name, property=label(name)))


def paint(gathered, ob, mesh, target, body):
    """Give the body of an object the properties that are painted on it."""
    if not len(ob.vbd.painted):
        return
    _refuse(ob)
    carry, values = _carrier(mesh, target, body), {}
    if any(map(is_layer, ob.vbd.painted)):
        depth = depth_of(target, body)
    for item in ob.vbd.painted:
        name = item.what
        here = carry(painted_values(ob, mesh, item, gathered.settings.friction))
        if is_layer(item):
            here = np.where(depth <= shown(item, "depth"), here, own_value(ob, name, None))
        if name in OF_ELEMENTS:
            here = here[body.elements].mean(axis=1)
        values[name] = here
        for other in WITH_IT.get(name, ()):
            values[other] = here / getattr(body.material, name) * getattr(body.material, other)
    body.material = replace(body.material, **values)


def depth_of(target, body):
    """Depths [vertex] of the vertices of a soft body below its surface [m], 0 outside of it."""
    points, faces = target.start.world_points(), target.faces
    if faces is None:
        points, faces = body.points, body.boundary
    face, place = nearest(body.points, points, faces)
    a, b, c = np.moveaxis(points[faces[face]], 1, 0)
    inward = ((place - body.points) * np.cross(b - a, c - a)).sum(axis=1) > 0.0
    return np.where(inward, np.linalg.norm(body.points - place, axis=1), 0.0)


def _carrier(mesh, target, body):
    """The function that maps values [vertex] of the object to those of its body; the vertices of a
    lattice take those of the nearest place of the surface, directors those of their edge.
    """
    if getattr(body, "directors", None) is not None:
        return lambda values: np.concatenate([values, values[body.edges].mean(axis=1)])
    if target.own is not None:
        return lambda values: values[target.own]
    if target.lattice is None:
        return lambda values: values
    surface, triangles = target.start.world_points(), read_mesh.triangles(mesh)
    triangle, place = nearest(body.points, surface, triangles)
    corners = triangles[triangle]
    weights = weights_in(place, surface[corners])
    return lambda values: (weights * values[corners]).sum(axis=1)


classes = (VBD_PG_painted,)
