# SPDX-License-Identifier: GPL-3.0-or-later
"""An object -> the solver's body: its mesh, its material and its pins. SI units, world space."""

import numpy as np

from ...solver.bodies import Cells, Cloth, Collider, EmbeddedSurface, Grains, Pins, Solid
from ...solver.lattice.contact_mesh import contact_mesh
from ...solver.lattice.lattice import embed, lattice
from ...solver.lattice.pinned_corners import area_of_points, pinned_corners_of
from ...solver.messages import message
from ..objects import read_mesh
from ..objects.curves import is_curve, is_pinned, point_count
from ..objects.grains import radius_of
from ..objects.hair import on_surface
from ..objects.identity import identity
from ..objects.modifiers import refuse_unplayable, reshaping, simulation_point
from ..objects.sound_faces import sound_corners
from ..objects.tetmesh import LatticePins, stored_tets
from ..objects.units import shown
from ..values.analytic_colliders import analytic_colliders_of
from ..values.painting import paint
from ..values.rest_shape import rest_points
from . import carried
from .fibers import fibers
from .field_weights import field_weights
from .inner_pins import InnerPins, has_inner_pins
from .keyed import followed, friction_of, keyed_values, static_friction_of
from .material import material_of
from .pins import pin_group, soft_pins, unpinned
from .reader import deforms, is_keyed, moves, read_pose
from .rods import rod_of
from .sewing import seam_ends, seams
from .skin import DrawnSkin
from .starting import start_as_kept
from .target import Target, outward


def analytic_colliders(gathered, ob, depsgraph):
    """The planes, spheres and so on of a collider object without a mesh."""
    has_size, reader, motion = ob.vbd.collider_shape != "PLANE", gathered.reader, None
    pose = read_pose(ob, depsgraph, with_points=has_size)
    if moves(ob):
        key, given = identity(ob), np.linalg.inv(pose.matrix)
        reader.add(ob, pose, with_points=False)
        if has_size and deforms(ob):
            reader.hold(ob, pose)

        def motion(time):
            return reader.at(key, time).matrix @ given

    friction = {"friction": friction_of(gathered, ob), "static_friction": static_friction_of(ob)}
    return analytic_colliders_of(ob, pose, **friction, motion=motion)


def collider(gathered, ob, depsgraph, pose):
    triangles = outward(read_mesh.triangles(ob.evaluated_get(depsgraph).data), pose)
    if not len(triangles):
        raise ValueError(message("collider.no_faces", name=ob.name))
    reader, key, moving = gathered.reader, identity(ob), moves(ob)
    if moving:
        reader.add(ob, pose, with_points=True)
    return Collider(
        (lambda time: reader.at(key, time).world_points()) if moving else pose.world_points(),
        triangles,
        friction=friction_of(gathered, ob),
        static_friction=static_friction_of(ob),
        thickness=shown(ob.vbd, "collision_thickness"),
        name=ob.name,
    )


def deformable(gathered, ob, depsgraph, pose):
    mesh = ob.evaluated_get(depsgraph).data
    deforming, _ = simulation_point(ob)
    refuse_unplayable(ob)
    if len(pose.points) != point_count(ob) and not reshaping(ob):
        blame = deforming[-1].name if deforming else "a modifier"
        raise ValueError(message("mesh.changes_vertices", name=ob.name, modifier=blame))
    moving = moves(ob)
    target = Target(ob.name, identity(ob), pose, [m.name for m in deforming], moving)
    gathered.targets.append(target)
    pins = pin_group(ob, mesh)
    gathered.notes += unpinned(ob, pins)
    if moving:
        clamped = is_curve(ob) and is_pinned(ob)
        is_held = clamped or len(pins) > 0 or has_inner_pins(ob)
        gathered.reader.add(ob, pose, with_points=is_held or on_surface(ob))
    make = {"SOFT": _soft_body, "CLOTH": _cloth, "ROD": rod_of, "GRAINS": _grains}[ob.vbd.role]
    body = make(gathered, ob, mesh, target, pins.hard)
    body.field_weights = field_weights(ob)
    body.keeps_shape = ob.vbd.keeps_shape and ob.vbd.role != "GRAINS"
    start_as_kept(ob, target, body)
    paint(gathered, ob, mesh, target, body)
    if ob.vbd.role == "SOFT":
        body.fibers = fibers(ob, body, depsgraph)
    body.keyed = keyed_values(gathered, ob, body)
    if len(pins.soft):
        gathered.holding += filter(None, [soft_pins(gathered, ob, body, pins)])
    if ob.vbd.role == "CLOTH":
        gathered.holding += filter(None, [seams(gathered, ob, mesh, body, target)])
    return body


def _pins(gathered, target, pinned, indices=None, follow=None):
    """`Pins` at `indices` that follow the object's `pinned` vertices through `follow`."""
    if not len(pinned):
        return None
    indices = pinned if indices is None else indices
    if not target.moving:
        return Pins(indices)
    reader, key = gathered.reader, target.key

    def targets(time):
        now = reader.at(key, time).world_points()[pinned]
        return now if follow is None else follow(now)

    return Pins(indices, targets)


def _refuse_reshaped(ob, what):
    """Refuse a feature that refers to vertices of the mesh if others are simulated."""
    for modifier in reshaping(ob)[:1]:
        raise ValueError(
            message("mesh.rest_before_modifier", name=ob.name, what=what, modifier=modifier.name)
        )


def _soft_body(gathered, ob, mesh, target, pinned):
    points, material = target.start.world_points(), material_of(ob)
    tets = stored_tets(ob.name, ob.data)
    if tets is not None:
        _refuse_reshaped(ob, "tet mesh")
        pins = _pins(gathered, target, pinned)
        return Solid(points, tets, material=material, pins=pins, name=ob.name)
    triangles = outward(read_mesh.triangles(mesh), target.start)
    if not len(triangles):
        raise ValueError(message("mesh.soft_without_faces", name=ob.name))
    cells = lattice(points, triangles, ob.vbd.resolution, ob.name)
    target.corners, target.weights = embed(points, cells)
    target.lattice, target.faces = cells, triangles
    target.surface = area_of_points(points, triangles)
    pins = clamp = None
    if len(pinned):
        clamp = pinned_corners_of(points, triangles, pinned, cells)
        cells.filling.held = clamp.held
        target.pinned = pinned
    if has_inner_pins(ob):
        weights = read_mesh.group_weights(ob, mesh, ob.vbd.pin_group)
        target.inner = inner = InnerPins(ob, points, triangles, weights, cells, clamp)
        pins = _pins(
            *(gathered, target, np.arange(len(points)), inner.indices),
            lambda now: inner.targets(now)[inner.indices],
        )
    elif len(pinned):
        held = LatticePins(cells.points, clamp, points[pinned])
        pins = _pins(gathered, target, pinned, held.indices, held.targets)
    touching, faces = contact_mesh(points, triangles, cells.cell_size, ob.vbd.contact_vertices)
    body = Cells(
        cells.points,
        cells.cells,
        filling=cells.filling,
        material=material,
        pins=pins,
        name=ob.name,
        surface=EmbeddedSurface(*embed(touching, cells), faces) if len(faces) else None,
    )
    if len(faces) and body.surface.neighbors is not None:
        target.skin = DrawnSkin(body, points, target.corners, target.weights)
    return body


def _grains(gathered, ob, mesh, target, pinned):
    points, pins = target.start.world_points(), _pins(gathered, target, pinned)
    return Grains(points, radius_of(ob), material_of(ob), pins=pins, name=ob.name)


def _refuse_hanging_edges(ob, mesh):
    edges, faces = read_mesh.edges(mesh), read_mesh.corner_vertices(mesh)
    hanging = np.setdiff1d(edges, faces)
    if len(hanging):
        raise ValueError(
            message("mesh.hanging", name=ob.name, count=len(hanging), first=hanging[0])
        )


def _cloth(gathered, ob, mesh, target, pinned):
    _refuse_hanging_edges(ob, mesh)
    material, points = material_of(ob), target.start.world_points()
    if ob.vbd.rest_shape_key:
        _refuse_reshaped(ob, "rest shape")
    rest = rest_points(ob, target.start)
    corners, left_out = sound_corners(mesh, points if rest is None else rest)
    gathered.notes += carried.notes(ob, mesh, left_out)
    if len(left_out) and not len(corners):
        raise ValueError(message("mesh.no_area", name=ob.name))
    corners = outward(corners, target.start)
    triangles = read_mesh.corner_vertices(mesh)[corners]
    if len(triangles):
        triangles = carried.carry(target, triangles, pinned)
    if target.own is not None:
        points, rest = points[target.own], rest if rest is None else rest[target.own]
        pinned = np.intersect1d(pinned, target.own)
    uv = read_mesh.corner_uv(mesh) if material.membrane == "orthotropic" else None
    return Cloth(
        points,
        triangles,
        material=material,
        pins=_pins(gathered, target, pinned, target.of_body(pinned)),
        name=ob.name,
        rest_points=rest,
        uv=None if uv is None else uv[corners],
        pressure_in_time=_pressure_in_time(gathered, ob),
        seams=_seams_of_body(seam_ends(ob, mesh), target),
    )


def _seams_of_body(ends, target):
    """Seams [seam, 2] in vertices of the body, those with both ends in it; None without any."""
    if ends is None:
        return None
    if target.own is not None:
        ends = target.of_body(ends[np.isin(ends, target.own).all(axis=1)])
    return ends if len(ends) else None


def _pressure_in_time(gathered, ob):
    """The pressure of a cloth [Pa] at a time [s], if it has keyframes or drivers; else None."""
    if not is_keyed(ob, "vbd.pressure"):
        return None
    return followed(gathered, ob, "pressure")
