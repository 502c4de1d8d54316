# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene -> plain bodies: the last place that knows Blender. SI units, world space.

What is simulated is the mesh under the deforming modifiers that come before the first one that
changes its vertices. The others, such as Subdivision Surface, act on the baked result.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace

import bpy
import numpy as np

from ..solver.bodies import Cloth, Collider, EmbeddedSurface, Pins, Rod, Solid
from ..solver.scene.contact_mesh import contact_mesh
from ..solver.scene.lattice import cage, embed
from ..solver.scene.thickness import collision_thickness, short_edge
from ..solver.settings import Material, Settings
from . import ignored, playback, read_mesh
from .analytic_colliders import analytic_colliders_of, is_analytic
from .feed import GRAVITY, Feed, Pose, gravity_moves, identity, moves, read_pose
from .modifiers import DEFORMING, simulation_point
from .participants import nothing_to_bake
from .start_velocity import earlier_poses, set_going
from .tetmesh import CagePins, stored_tets
from .units import gravity_of, shown


@dataclass
class Target:
    """An object that will be baked, and how its points follow from those of its body."""

    name: str
    key: tuple
    start: Pose
    deforming: list[str]
    moving: bool
    corners: np.ndarray | None = None
    weights: np.ndarray | None = None

    def visible(self, positions):
        """World positions [m] of the object's vertices, given those of its body."""
        if self.corners is None:
            return positions
        return (positions[self.corners].astype(np.float64) * self.weights[..., None]).sum(axis=1)


@dataclass
class Gathered:
    """A scene as the solver wants it, and the way back."""

    bodies: list
    settings: Settings
    frame_start: int
    frame_count: int
    feed: Feed
    targets: list[Target] = field(default_factory=list)
    gravity: Callable | None = None
    """Gravity [m/s²] at a time [s] since the input state, if it changes."""
    notes: list[str] = field(default_factory=list)

    def start(self):
        """Points of the input state in object space, one array per target."""
        return [target.start.points for target in self.targets]

    def local(self, frame, positions):
        """Points of a frame in object space, one array per target."""
        time = frame * self.settings.frame_time
        result = []
        for target, points in zip(self.targets, positions, strict=True):
            pose = self.feed.at(target.key, time) if target.moving else target.start
            inverse = np.linalg.inv(pose.matrix)
            result.append(read_mesh.transformed(inverse, target.visible(points)).astype(np.float32))
        return result


def participants(scene):
    """Objects with a role; refuses those that can take no part. Changes nothing."""
    chosen = [ob for ob in scene.objects if ob.vbd.role != "NONE"]
    reason = nothing_to_bake(scene)
    if reason:
        raise ValueError(reason)
    for ob in chosen:
        if ob.type != "MESH":
            raise ValueError(f"{ob.name} is not a mesh; convert it or remove its role")
        if not len(ob.data.vertices) and ob.vbd.role != "COLLIDER":
            raise ValueError(f"{ob.name}: the mesh is empty; add geometry or remove its role")
        if ob.mode == "EDIT":
            raise ValueError(f"{ob.name} is in Edit Mode; leave it to bake")
        if ob.vbd.role != "COLLIDER":
            _refuse_unbakeable(ob)
    return chosen


def _refuse_unbakeable(ob):
    if not (ob.is_editable and ob.data.is_editable):
        raise ValueError(
            f"{ob.name}: its mesh is linked from another file and cannot be baked; make it local "
            "(Object > Relations > Make Local > Selected Objects and Data)"
        )
    sharing = (other for other in bpy.data.objects if other.data == ob.data and other != ob)
    others = [other.name for other in sharing if other.users]  # the others are as good as deleted
    if others:
        raise ValueError(
            f"{ob.name} shares its mesh with {others[0]}; make it single user "
            "(Object > Relations > Make Single User > Object & Data)"
        )
    if ob.parent and ob.parent_type in {"ARMATURE", "LATTICE"}:
        raise ValueError(
            f"{ob.name} is deformed by its parent type; parent it to the object and add a modifier"
        )


@contextmanager
def prepared(scene, objects):
    """The scene as it is gathered: at the first frame, without old bakes and later modifiers.

    Gives notes about what the user may have meant to be part of the simulation.
    Afterwards all is as before. Colliders keep their bakes: they play them.
    """
    bodies = [ob for ob in objects if ob.vbd.role != "COLLIDER"]
    frame, subframe = scene.frame_current, scene.frame_subframe
    off, notes = [], []
    try:
        for ob in bodies:
            playback.suspend(ob)
        for ob in bodies:
            after = simulation_point(ob)[1]
            for modifier in after:
                if modifier.type in DEFORMING:
                    notes.append(
                        f"{ob.name}: {modifier.name} comes after {after[0].name} and acts on the "
                        "baked result; move it up to make it part of the simulation"
                    )
                modifier.show_viewport = False
                off.append(modifier)
        if gravity_moves(scene) or any(moves(ob) for ob in objects):
            scene.frame_set(scene.vbd.frame_start)
        yield notes + ignored.notes(scene, objects)
    finally:
        for modifier in off:
            modifier.show_viewport = True
        for ob in bodies:
            playback.resume(ob)
        if (scene.frame_current, scene.frame_subframe) != (frame, subframe):
            scene.frame_set(frame, subframe=subframe)


def settings_of(scene):
    """`Settings` of a scene: its own numbers, Blender's gravity and frame rate."""
    group = scene.vbd
    own = {f.name: shown(group, f.name) for f in fields(Settings) if hasattr(group, f.name)}
    return Settings(
        **own,
        gravity=gravity_of(scene),
        frame_time=scene.render.fps_base / scene.render.fps,
    )


def material_of(ob):
    """`Material` of an object; without a friction of its own it takes the scene's."""
    own = {f.name: shown(ob.vbd, f.name) for f in fields(Material) if hasattr(ob.vbd, f.name)}
    if not ob.vbd.use_friction:
        own["friction"] = None
    return Material(**own)


def gather(context, objects):
    """All bodies of the scene, to be called inside `prepared`."""
    scene = context.scene
    start, count = scene.vbd.frame_start, scene.vbd.frame_end - scene.vbd.frame_start
    if count < 1:
        raise ValueError(
            f"the last frame ({scene.vbd.frame_end}) does not come after the first ({start}); "
            "set another frame range"
        )
    settings = settings_of(scene)
    gathered = Gathered([], settings, start, count, Feed(start, count, settings.frame_time))
    if gravity_moves(scene):
        gathered.feed.follow_gravity(settings.gravity)
        gathered.gravity = lambda time: gathered.feed.at(GRAVITY, time)
    led = [ob for ob in objects if ob.vbd.role != "COLLIDER" and moves(ob)]
    earlier = earlier_poses(context, led)
    depsgraph = context.evaluated_depsgraph_get()
    for ob in objects:
        if not ob.evaluated_get(depsgraph).is_evaluated:
            raise ValueError(f"{ob.name} is hidden in the viewport or excluded; show it to bake")
        if is_analytic(ob):
            gathered.bodies += _analytic_colliders(gathered, ob, depsgraph)
            continue
        pose = read_pose(ob, depsgraph, True)
        if ob.vbd.role == "COLLIDER":
            body = _collider(gathered, ob, depsgraph, pose)
        else:
            body = _deformable(gathered, ob, depsgraph, pose)
            if ob in led:
                motion = *earlier[identity(ob)], start, settings.frame_time
                gathered.notes += set_going(body, gathered.targets[-1], *motion)
        body.collides_with = _collides_with(ob, objects)
        gathered.bodies.append(body)
    deformable = [body for body in gathered.bodies if isinstance(body, Solid | Cloth | Rod)]
    # A floor may be much larger than what falls on it, and than the gap that this may leave.
    thinnest = min(map(collision_thickness, deformable))
    for body in gathered.bodies:
        if isinstance(body, Collider) and not body.thickness:
            body.thickness = thinnest
    gathered.notes += [note for body in deformable for note in _too_thick(body)]
    return gathered


def _too_thick(body):
    """A sentence about a thickness of the user's own that the mesh has no room for."""
    own, room = body.material.collision_thickness, 0.5 * short_edge(body)
    if own > room:
        yield (
            f"{body.name}: its collision thickness of {own:.3g} m is more than half an edge of the "
            f"surface, which makes contact slow; set it to {room:.1g} m or less, or to 0"
        )


def _collides_with(ob, objects):
    """Names of those `objects` that are in the collision collection of `ob`; None without one."""
    collection = ob.vbd.collision_collection
    if collection is None:
        return None
    inside = set(collection.all_objects)
    return tuple(other.name for other in objects if other in inside and not is_analytic(other))


def _analytic_colliders(gathered, ob, depsgraph):
    pose = read_pose(ob, depsgraph, with_points=ob.vbd.collider_shape != "PLANE")
    if moves(ob):
        gathered.feed.hold(ob, pose)
    return analytic_colliders_of(ob, pose)


def _outward(triangles, pose):
    """Triangles whose winding survives a mirroring transform."""
    return triangles[:, ::-1] if np.linalg.det(pose.matrix[:3, :3]) < 0.0 else triangles


def _collider(gathered, ob, depsgraph, pose):
    triangles = _outward(read_mesh.triangles(ob.evaluated_get(depsgraph).data), pose)
    if not len(triangles):
        raise ValueError(f"{ob.name}: the collider has no faces; add some or remove its role")
    feed, key, moving = gathered.feed, identity(ob), moves(ob)
    if moving:
        feed.add(ob, pose, with_points=True)
    return Collider(
        (lambda time: feed.at(key, time).world_points()) if moving else pose.world_points(),
        triangles,
        friction=ob.vbd.friction if ob.vbd.use_friction else None,
        thickness=shown(ob.vbd, "collision_thickness"),
        name=ob.name,
    )


def _deformable(gathered, ob, depsgraph, pose):
    mesh = ob.evaluated_get(depsgraph).data
    deforming, _ = simulation_point(ob)
    if len(pose.points) != len(ob.data.vertices):
        blame = deforming[-1].name if deforming else "a modifier"
        raise ValueError(
            f"{ob.name}: {blame} changes the number of vertices; apply it or switch it off"
        )
    moving = moves(ob)
    target = Target(ob.name, identity(ob), pose, [m.name for m in deforming], moving)
    gathered.targets.append(target)
    pinned = np.empty(0, int)
    if ob.vbd.pin_group:
        pinned = read_mesh.group_members(ob, mesh, ob.vbd.pin_group)
    if moving:
        gathered.feed.add(ob, pose, with_points=len(pinned) > 0)
    make = {"SOFT": _soft_body, "CLOTH": _cloth, "ROD": _rod}[ob.vbd.role]
    return make(gathered, ob, mesh, target, pinned)


def _pins(gathered, target, pinned, indices=None, follow=None):
    """`Pins` at `indices` that follow the object's `pinned` vertices through `follow`."""
    if not len(pinned):
        return None
    indices = pinned if indices is None else indices
    if not target.moving:
        return Pins(indices)
    feed, key = gathered.feed, target.key

    def targets(time):
        now = feed.at(key, time).world_points()[pinned]
        return now if follow is None else follow(now)

    return Pins(indices, targets)


def _soft_body(gathered, ob, mesh, target, pinned):
    points, material = target.start.world_points(), material_of(ob)
    tets = stored_tets(ob.name, ob.data)
    if tets is not None:
        pins = _pins(gathered, target, pinned)
        return Solid(points, tets, material=material, pins=pins, name=ob.name)
    triangles = _outward(read_mesh.triangles(mesh), target.start)
    if not len(triangles):
        raise ValueError(f"{ob.name}: the soft body has no faces; add some or make it a rod")
    lattice = cage(points, triangles, ob.vbd.resolution, ob.name)
    target.corners, target.weights = embed(points, lattice)
    pins = None
    if len(pinned):
        held = CagePins(lattice.points, target.corners, target.weights, pinned, points[pinned])
        pins = _pins(gathered, target, pinned, held.indices, held.targets)
    # A tet that is only partly inside weighs and resists only as much as that part.
    material = replace(
        material,
        youngs_modulus=material.youngs_modulus * lattice.fractions,
        density=material.density * lattice.fractions,
    )
    touching, faces = contact_mesh(points, triangles, lattice.cell_size, ob.vbd.contact_vertices)
    return Solid(
        lattice.points,
        lattice.tets,
        material=material,
        pins=pins,
        name=ob.name,
        surface=EmbeddedSurface(*embed(touching, lattice), faces) if len(faces) else None,
    )


def _refuse_hanging_edges(ob, mesh):
    edges, faces = read_mesh.edges(mesh), read_mesh.corner_vertices(mesh)
    hanging = np.setdiff1d(edges, faces)
    if len(hanging):
        raise ValueError(
            f"{ob.name}: {len(hanging)} vertices hang on edges without a face (first: vertex "
            f"{hanging[0]}); delete them (Mesh > Clean Up > Delete Loose) or make them a rod"
        )


def _cloth(gathered, ob, mesh, target, pinned):
    _refuse_hanging_edges(ob, mesh)
    corners = _outward(read_mesh.cloth_corners(mesh), target.start)
    material = material_of(ob)
    uv = read_mesh.corner_uv(mesh) if material.membrane == "orthotropic" else None
    return Cloth(
        target.start.world_points(),
        read_mesh.corner_vertices(mesh)[corners],
        material=material,
        pins=_pins(gathered, target, pinned),
        name=ob.name,
        uv=None if uv is None else uv[corners],
    )


def _rod(gathered, ob, mesh, target, pinned):
    return Rod(
        target.start.world_points(),
        read_mesh.edges(mesh),
        material=material_of(ob),
        pins=_pins(gathered, target, pinned),
        name=ob.name,
    )
