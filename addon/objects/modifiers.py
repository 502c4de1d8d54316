# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles of modifiers in a simulation: input or output, still or moving."""

import bpy
import numpy as np

from ...solver.lattice.contact_mesh import LONGEST_EDGE
from ...solver.messages import message
from .hair import deforms_on_surface, is_hair
from .stored_records import refined
from .tetmesh import TETS

# Move vertices and keep their number: part of the simulated shape, so the bake disables them.
DEFORMING = {
    "ARMATURE",
    "CAST",
    "CLOTH",
    "CORRECTIVE_SMOOTH",
    "CURVE",
    "DISPLACE",
    "HOOK",
    "LAPLACIANDEFORM",
    "LAPLACIANSMOOTH",
    "LATTICE",
    "MESH_CACHE",
    "MESH_DEFORM",
    "MESH_SEQUENCE_CACHE",
    "SHRINKWRAP",
    "SIMPLE_DEFORM",
    "SMOOTH",
    "SOFT_BODY",
    "SURFACE_DEFORM",
    "WARP",
    "WAVE",
}

# Read vertices from a file, whose number may differ in every frame.
FROM_FILE = {"MESH_SEQUENCE_CACHE"}

# Leave every vertex in place.
NEUTRAL = {
    "COLLISION",
    "DATA_TRANSFER",
    "NORMAL_EDIT",
    "PARTICLE_SYSTEM",
    "SURFACE",
    "UV_PROJECT",
    "UV_WARP",
    "VERTEX_WEIGHT_EDIT",
    "VERTEX_WEIGHT_MIX",
    "VERTEX_WEIGHT_PROXIMITY",
    "WEIGHTED_NORMAL",
}

# Depend only on the mesh and their own numbers.
STILL = {
    "BEVEL",
    "DECIMATE",
    "EDGE_SPLIT",
    "MULTIRES",
    "NORMAL_EDIT",
    "REMESH",
    "SKIN",
    "SMOOTH",
    "SOLIDIFY",
    "SUBSURF",
    "TRIANGULATE",
    "UV_WARP",
    "VERTEX_WEIGHT_EDIT",
    "WEIGHTED_NORMAL",
    "WELD",
    "WIREFRAME",
}
# Likewise, unless another object is set.
STILL_ALONE = {"ARRAY", "CAST", "MIRROR", "SCREW", "SIMPLE_DEFORM"}


# Have separate levels in renders.
LEVELS = {"MULTIRES", "SUBSURF"}
# Divide the faces of a surface.
REFINING = LEVELS | {"TRIANGULATE"}
# A soft body is simulated after its refining modifiers if its mesh has few faces. With 400 they
# move a ball by 1/200 of its size, twice the contact distance, for up to five times the time.
FEW_FACES = 400
# Or if an edge is longer than this fraction of its size: then it does not show how its cells bend,
# of which there are 8 along it by default.
LONG_EDGE = LONGEST_EDGE / 8.0
MOST_REFINED = 20_000
"""Vertices up to which it is simulated so."""

# Change weights in a vertex group.
WEIGHTING = {"VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"}


def is_still(modifier):
    """Return whether what a modifier does is the same in every frame, apart from keyframes."""
    if modifier.type in STILL_ALONE:
        pointers = (p for p in modifier.bl_rna.properties if p.type == "POINTER")
        used = (getattr(modifier, p.identifier) for p in pointers)
        return not any(isinstance(value, bpy.types.Object) for value in used)
    return modifier.type in STILL


def change_weights(ob, group):
    """Return whether active modifiers may change the weights of a vertex group."""
    return any(
        modifier.show_viewport
        and modifier.type in WEIGHTING
        and group in (getattr(modifier, name, "") for name in ("vertex_group", "vertex_group_a"))
        for modifier in ob.modifiers
    )


# Move the control points of a curve; others do so only with Apply on Spline.
ON_SPLINES = {"HOOK", "MESH_DEFORM", "SOFT_BODY"}


def simulation_point(ob):
    """Active modifiers that deform the simulated shape, and those that act on the result.
    ValueError if the place that the user has chosen does not exist.
    """
    used = [modifier for modifier in ob.modifiers if modifier.show_viewport]
    if is_hair(ob):  # its surface keeps moving it
        return [], [modifier for modifier in used if not deforms_on_surface(modifier)]
    if is_place_chosen(ob):
        place = place_in_stack(ob)
        after = [m for m in used if ob.modifiers.find(m.name) >= place]
        before = used[: len(used) - len(after)]
        return [m for m in before if m.type in DEFORMING], after
    end = _deforming_end(used, ob.modifiers[: place_in_stack(ob)])
    if ob.type == "CURVE":
        on_splines = [m.type in ON_SPLINES or m.use_apply_on_spline for m in used[:end]]
        end = max((at + 1 for at, is_on in enumerate(on_splines) if is_on), default=0)
    return [m for m in used[:end] if m.type in DEFORMING], used[end:]


def _deforming_end(used, refined):
    """The number of the first of `used` modifiers that acts on the result, if the place is not
    chosen; those in `refined` do not.
    """
    known = DEFORMING | NEUTRAL
    return next(
        (at for at, m in enumerate(used) if m.type not in known and m not in refined), len(used)
    )


def is_place_chosen(ob):
    """Return whether the user has chosen the place of the simulation in the modifier stack."""
    return ob.type == "MESH" and ob.vbd.stack_place != "AUTO"


def place_in_stack(ob):
    """The number of the first modifier that acts on the result, if the place is chosen or the
    modifiers above it refine a soft body; else 0.
    """
    if not is_place_chosen(ob):
        return _refined_end(ob)
    if ob.vbd.stack_place == "FIRST":
        return 0
    name = ob.vbd.stack_modifier
    if not name:
        raise ValueError(message("mesh.no_modifier", name=ob.name))
    if name not in ob.modifiers:
        raise ValueError(message("mesh.modifier_gone", name=ob.name, modifier=name))
    return ob.modifiers.find(name) + 1


def may_be_refined(ob):
    """Return whether more vertices than those of the mesh may be simulated of an object: they
    follow the cells of a soft body, which costs little.
    """
    is_soft = ob.type == "MESH" and ob.vbd.role == "SOFT"
    return is_soft and TETS not in ob.data and not ob.override_library


def refinable_end(ob):
    """The number of the first modifier that neither deforms nor refines the surface of an object,
    or would refine it too much.
    """
    if not may_be_refined(ob):
        return 0
    known, corners = DEFORMING | NEUTRAL, len(ob.data.loops)
    for at, modifier in enumerate(ob.modifiers):
        if modifier.type in known or not (modifier.show_viewport or modifier.show_render):
            continue
        # Each level makes four faces of one.
        corners *= 4 ** max(levels_of(modifier))
        if modifier.name == divider_of(ob):
            continue
        alike = modifier.show_viewport and modifier.show_render
        # Nearly every vertex is a corner of four quads.
        if modifier.type not in REFINING or not alike or corners > 4 * MOST_REFINED:
            return at
        if not _is_coarse(ob.data):
            return at
    return len(ob.modifiers)


def _is_coarse(mesh):
    """Return whether a mesh has few faces or a long edge."""
    if len(mesh.polygons) <= FEW_FACES:
        return True
    points, ends = np.empty((len(mesh.vertices), 3)), np.empty((len(mesh.edges), 2), np.int32)
    mesh.vertices.foreach_get("co", points.ravel())  # attributes are empty in Edit Mode
    mesh.edges.foreach_get("vertices", ends.ravel())
    longest = np.linalg.norm(points[ends[:, 0]] - points[ends[:, 1]], axis=1).max(initial=0.0)
    return longest > LONG_EDGE * np.ptp(points, axis=0).max()


def divider_of(ob):
    """The name of the modifier that divides faces for a bake (refining.py), or None."""
    faces = refined(ob).get("faces")
    return faces and faces[0]


def levels_of(modifier):
    """Levels of a modifier in the viewport and in renders; 0 where it has none."""
    return getattr(modifier, "levels", 0), getattr(modifier, "render_levels", 0)


def _refined_end(ob):
    """`refinable_end` if a modifier before it makes more vertices, else 0."""
    before = ob.modifiers[: refinable_end(ob)]
    refines = any(m.show_viewport and max(levels_of(m)) for m in before)
    return len(before) if refines else 0


def reshaping(ob):
    """Active modifiers before the chosen place that may make other vertices: then the simulated
    vertices are not those of the mesh, and a modifier at that place plays the bake.
    """
    before = ob.modifiers[: place_in_stack(ob)]
    keeping = (DEFORMING | NEUTRAL) - FROM_FILE
    return [m for m in before if m.show_viewport and m.type not in keeping]


def is_reshaped(ob):
    """Return whether such modifiers exist; False if the chosen place does not."""
    try:
        return bool(reshaping(ob))
    except ValueError:
        return False


def refuse_unplayable(ob):
    """Refuse a place in the stack where no bake can be played: after modifiers that make other
    vertices in renders than in the viewport, and where no modifier can be inserted.
    """
    for modifier in reshaping(ob):
        if ob.override_library:
            raise ValueError(message("mesh.override_stack", name=ob.name, modifier=modifier.name))
        levels = levels_of(modifier)
        if modifier.type in LEVELS and levels[0] != levels[1]:
            raise ValueError(
                message(
                    "mesh.modifier_levels",
                    name=ob.name,
                    modifier=modifier.name,
                    levels=levels[0],
                    renders=levels[1],
                )
            )
        if not modifier.show_render:
            raise ValueError(message("mesh.modifier_off", name=ob.name, modifier=modifier.name))


def may_change_count(ob):
    """Return whether modifiers may change the number of vertices between frames."""
    if is_hair(ob):
        return bool(simulation_point(ob)[1])
    keeping = (DEFORMING | NEUTRAL | REFINING) - FROM_FILE
    return any(m.show_viewport and m.type not in keeping for m in ob.modifiers)
