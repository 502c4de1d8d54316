# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a scene that a bake ignores or may read unexpectedly: sentences about them."""

import bpy
import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.curves import is_curve
from ..objects.participants import BODIES, mover_of
from ..objects.units import gravity_of, unit_scale
from . import few_points, fibers, flat, instances, large_faces, unmerged
from .absorption import walls_against
from .force_fields import KINDS, SHAPES, has_field
from .reader import gravity_moves
from .textures import does_nothing

EARTH = 9.81
# Gravity that differs from the earth's by more than this factor is reported at unit scales.
FAR = 2.0
# Force fields that Blender itself applies to particles only: no cloth has a charge or a size.
FOR_PARTICLES = {"NONE", "BOID", "GUIDE", "CHARGE", "LENNARDJ"}
# Simulations of Blender's own, by the type of their modifier.
OF_BLENDER = {"CLOTH": "Cloth", "SOFT_BODY": "Soft Body"}


def notes(scene, objects):
    """Sentences about a scene as it is evaluated now; `objects` take part."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    meshes = [(ob, ob.evaluated_get(depsgraph).data) for ob in objects if ob.type == "MESH"]
    return [
        *_force_fields(scene),
        *_instances(),
        *(note for ob, mesh in meshes for note in _loose_edges(ob, mesh)),
        *(note for ob, mesh in meshes for note in large_faces.notes(ob, mesh)),
        *(note for ob, mesh in meshes for note in unmerged.notes(ob, mesh)),
        *(note for ob, mesh in meshes for note in flat.notes(ob, mesh)),
        *(note for ob in objects for note in few_points.notes(ob)),
        *(note for ob in objects for note in fibers.notes(ob)),
        *(note for ob in objects for note in _simulated_twice(ob)),
        *(note for ob in objects for note in _left_behind(ob, scene)),
        *_scaled_gravity(scene),
    ]


def named(names):
    """At most two names, and the number of the others."""
    if len(names) <= 2:
        return " and ".join(names)
    return message("report.names", names=names[0], count=len(names) - 1)


def _force_fields(scene):
    """Sentences about force fields of unsupported kinds and shapes, and those without effect."""
    fields = [
        ob
        for ob in scene.objects
        if ob.field and ob.field.type not in FOR_PARTICLES and ob.visible_get()
    ]
    flows = [ob.name for ob in fields if ob.field.type not in KINDS]
    if flows:
        yield message("note.fluid_flow", names=named(flows))
    shaped = [ob.name for ob in fields if ob.field.type in KINDS and ob.field.shape not in SHAPES]
    if shaped:
        yield message("note.field_shape", names=named(shaped))
    for ob in fields:
        reason = does_nothing(ob.field) if ob.field.type == "TEXTURE" else None
        if reason:
            yield f"{ob.name}: {reason}"
        if ob.field.use_absorption and has_field(ob) and not walls_against(scene, ob):
            yield (message("note.no_absorber", name=ob.name))


def _instances():
    """Sentences about instances: objects with a role take part at their own place; only colliders
    of the shape Mesh also at their instances.
    """
    ignored = {}
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.is_instance and _is_left_out(instance.object.original):
            owner = instance.parent.original if instance.parent else instance.object.original
            if owner == instance.object.original and (
                is_curve(owner) or owner.vbd.role == "GRAINS"
            ):
                continue  # the surface along a curve with a bevel, or the spheres of grains
            ignored.setdefault(owner.name, {})[instance.object.original.name] = None
    for owner, names in ignored.items():
        yield (message("note.instances", name=owner, names=named(list(names))))


def _is_left_out(ob):
    return ob.vbd.role != "NONE" and not instances.takes_part(ob)


def _simulated_twice(ob):
    """Sentences about simulations of Blender's own on a body: a bake switches their modifiers off,
    but pins follow what they make.
    """
    if ob.vbd.role in BODIES:
        for modifier in ob.modifiers:
            if modifier.type in OF_BLENDER:
                physics = OF_BLENDER[modifier.type]
                yield message("note.simulated_twice", name=ob.name, physics=physics)


def _left_behind(ob, scene):
    """Sentences about colliders that are children of what the simulation moves."""
    if ob.vbd.role == "COLLIDER" and (mover := mover_of(ob, scene)):
        yield message("note.left_behind", name=ob.name, parent=mover.name)


def _loose_edges(ob, mesh):
    """Sentences about loose edges of a cloth that are no seams, and about sewing without any."""
    if ob.vbd.role != "CLOTH":
        return
    loose = len(read_mesh.loose_edges(mesh))
    if loose and not ob.vbd.use_sewing:
        yield message("note.loose_edges", name=ob.name, count=loose)
    elif ob.vbd.use_sewing and not loose:
        yield message("note.no_seams", name=ob.name)


def _scaled_gravity(scene):
    """Sentences about gravity: at a unit scale of 0.01 its default is shown as 0.0981 m/s²."""
    scale, strength = unit_scale(scene), float(np.linalg.norm(gravity_of(scene)))
    far = strength > 0.0 and not EARTH / FAR <= strength <= EARTH * FAR
    if scale != 1.0 and far and not gravity_moves(scene):
        yield (message("note.gravity", strength=strength, scale=scale, earth=EARTH))
