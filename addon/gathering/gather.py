# SPDX-License-Identifier: GPL-3.0-or-later
"""Scene -> plain bodies: the last place that knows Blender. SI units, world space.

The simulated mesh is the one under the deforming modifiers before the first one that changes its
vertices, or up to the place that the user has chosen. The others act on the baked result.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

import bpy

from ...solver.bodies import Collider, Deformable
from ...solver.messages import message
from ...solver.settings import Settings
from ..objects import own_mesh, refining
from ..objects.curves import is_curve, unusable_spline
from ..objects.grains import NAME as SPHERES
from ..objects.hair import add_probe, is_hair, on_surface, remove_probe, simulates
from ..objects.identity import identity, present
from ..objects.modifiers import DEFORMING, is_place_chosen, simulation_point
from ..objects.participants import BODIES, mover_of, nothing_to_bake, unsuited
from ..objects.units import gravity_of, shown
from ..playing import playback
from ..values.analytic_colliders import is_analytic
from ..values.scene_time import frame_time
from . import far, fibers, huge, ignored, instances, thickness, tiny, too_soft, weak_wind
from .absorption import walls_against
from .attaching import attach, kinematic_targets
from .bodies import analytic_colliders, collider, deformable
from .force_fields import field_objects, force_fields
from .reader import GRAVITY, Reader, gravity_moves, moves, read_pose
from .rigid import rigid_body
from .start_velocity import earlier_poses, set_initial_velocity, unfollowed
from .target import Target
from .textures import Questions

# Modifiers of which one may think that they take part in the simulation.
NOT_SIMULATED = {"ARRAY": "note.array", "BOOLEAN": "note.boolean"}


@dataclass
class Gathered:
    """A scene in the form of the solver, and the map back."""

    bodies: list
    settings: Settings
    frame_start: int
    frame_count: int
    reader: Reader
    questions: Questions
    targets: list[Target] = field(default_factory=list)
    holding: list = field(default_factory=list)
    """`Attachment`s: soft pins, seams, and those of the user."""
    gravity: Callable | None = None
    """Gravity [m/s²] at a time [s] since the input state, if it changes."""
    notes: list[str] = field(default_factory=list)
    restart_every: int = 0
    """Frames from one checkpoint that is kept to the next; 0 for the last one alone."""

    def start(self):
        """Points of the input state in object space, one array per target; of rigid bodies as in
        `playing/object_keys.py`.
        """
        return [target.stored_start() for target in self.targets]

    def local(self, frame, positions, skins):
        """`start` for positions [m] and the offsets of smooth skins [m] in a frame."""
        time = frame * self.settings.frame_time
        found = zip(self.targets, positions, self.poses(frame), skins, strict=True)
        return [target.stored(points, pose, time, skin) for target, points, pose, skin in found]

    def poses(self, frame):
        """The pose of every target in a frame."""
        time = frame * self.settings.frame_time
        return [
            self.reader.at(target.key, time) if target.moving else target.start
            for target in self.targets
        ]

    def simulated(self):
        """The bodies of the targets, in their order."""
        return [body for body in self.bodies if isinstance(body, Deformable)]


def participants(scene):
    """Objects with a role; refuses those that cannot take part. Changes nothing."""
    chosen = [ob for ob in scene.objects if ob.vbd.role != "NONE"]
    reason = nothing_to_bake(scene)
    if reason:
        raise ValueError(reason)
    for ob in chosen:
        if reason := unsuited(ob, ob.vbd.role):
            raise ValueError(reason)
        if ob.type == "MESH" and not len(ob.data.vertices) and ob.vbd.role != "COLLIDER":
            raise ValueError(message("mesh.empty", name=ob.name))
        if is_curve(ob) and (reason := unusable_spline(ob)):
            raise ValueError(f"{ob.name}: {reason}")
        if ob.mode == "EDIT":
            raise ValueError(message("mesh.edit_mode", name=ob.name))
        if ob.vbd.role != "COLLIDER":
            refuse_unbakeable(ob)
            if mover := mover_of(ob, scene):
                raise ValueError(message("mesh.moved_twice", name=ob.name, parent=mover.name))
    return chosen


def refuse_unbakeable(ob):
    """Refuse an object that cannot play a bake."""
    reason = own_mesh.missing(ob)
    if reason:
        raise ValueError(reason)
    if ob.vbd.role != "RIGID" and ob.parent and ob.parent_type in {"ARMATURE", "LATTICE"}:
        raise ValueError(message("mesh.parent_type", name=ob.name))


@contextmanager
def prepared(scene, objects):
    """`prepared_for_bake` that leaves the scene unchanged."""
    with refining.taken_back_unless_baked(objects):
        with prepared_for_bake(scene, objects) as notes:
            yield notes


@contextmanager
def prepared_for_bake(scene, objects):
    """Context with the scene as it is gathered: first frame, without old bakes and later modifiers.

    Gives notes about modifiers that the user may expect to take part. Afterwards the scene is
    unchanged, but soft bodies stay refined. Colliders keep their bakes: they play them.
    """
    # Rigid bodies and colliders take part with all their modifiers.
    bodies = [ob for ob in objects if ob.vbd.role in BODIES]
    rigid = [ob for ob in objects if ob.vbd.role == "RIGID"]
    frame, subframe = scene.frame_current, scene.frame_subframe
    keys, off, notes = [identity(ob) for ob in (*bodies, *rigid)], [], []
    try:
        for ob in rigid:
            playback.suspend(ob)
        for ob in bodies:
            playback.suspend(ob)
            refining.even_levels(ob)
        behind = [simulation_point(ob)[1] for ob in bodies]
        for ob, after in zip(bodies, behind, strict=True):
            for modifier in after:
                if modifier.name == SPHERES:
                    continue  # it adds to what is read, which is shown during a bake
                if modifier.type in DEFORMING and not is_place_chosen(ob):
                    notes.append(
                        message(
                            "note.after_bake",
                            name=ob.name,
                            modifier=modifier.name,
                            after=after[0].name,
                        )
                    )
                if modifier.type == "MIRROR" and ob.type == "MESH" and not is_place_chosen(ob):
                    notes.append(message("note.mirror", name=ob.name, modifier=modifier.name))
                if modifier.type in NOT_SIMULATED and ob.type == "MESH" and not is_place_chosen(ob):
                    notes.append(
                        message(NOT_SIMULATED[modifier.type], name=ob.name, modifier=modifier.name)
                    )
                if is_hair(ob) and simulates(modifier):
                    notes.append(
                        message("note.simulates_again", name=ob.name, modifier=modifier.name)
                    )
                modifier.show_viewport = False
                off.append((identity(ob), modifier.name))
            if on_surface(ob):
                add_probe(ob)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        fields = field_objects(scene)
        walls = [wall for field in fields for wall in walls_against(scene, field)]
        others = [*fields, *walls, *kinematic_targets(objects), *instances.movers(depsgraph)]
        others += fibers.targets(objects)
        if gravity_moves(scene) or any(moves(ob) for ob in [*objects, *others]):
            scene.frame_set(scene.vbd.frame_start)
        for ob, after in zip(bodies, behind, strict=True):
            refining.divide_faces(ob, after)
        yield notes + ignored.notes(scene, objects)
    finally:
        # A script may have deleted some.
        for key, name in off:
            ob = present(key)
            if ob and name in ob.modifiers:
                ob.modifiers[name].show_viewport = True
        for ob in filter(None, map(present, keys)):
            if is_hair(ob):
                remove_probe(ob)
            playback.resume(ob)
        if (scene.frame_current, scene.frame_subframe) != (frame, subframe):
            scene.frame_set(frame, subframe=subframe)


def settings_of(scene):
    """`Settings` of a scene: its own numbers and time scale, Blender's gravity and frame rate."""
    group = scene.vbd
    own = {f.name: shown(group, f.name) for f in fields(Settings) if hasattr(group, f.name)}
    return Settings(
        **own,
        gravity=gravity_of(scene),
        frame_time=frame_time(scene),
    )


def gather(context, objects):
    """All bodies of the scene, to be called inside `prepared`."""
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.force_fields import ForceField

    scene = context.scene
    start, count = scene.vbd.frame_start, scene.vbd.frame_end - scene.vbd.frame_start
    if count < 1:
        raise ValueError(message("bake.frame_range", end=scene.vbd.frame_end, start=start))
    settings = settings_of(scene)
    reader = Reader(start, count, settings.frame_time)
    gathered = Gathered([], settings, start, count, reader, Questions(reader))
    gathered.restart_every = scene.vbd.restart_every
    if gravity_moves(scene):
        gathered.reader.follow(GRAVITY, lambda _: gravity_of(bpy.context.scene), settings.gravity)
        gathered.gravity = lambda time: gathered.reader.at(GRAVITY, time)
    gathered.bodies += force_fields(gathered, scene)
    moving = [ob for ob in objects if ob.vbd.role != "COLLIDER" and moves(ob)]
    earlier, made = earlier_poses(context, moving), {}
    gathered.notes += unfollowed(context, moving, earlier, count)
    depsgraph = context.evaluated_depsgraph_get()
    instanced = instances.instanced_colliders(gathered, depsgraph)
    for ob in objects:
        if not ob.evaluated_get(depsgraph).is_evaluated:
            raise ValueError(_out_of_sight(ob, context))
        if is_analytic(ob):
            gathered.bodies += analytic_colliders(gathered, ob, depsgraph)
            continue
        pose = read_pose(ob, depsgraph, True)
        if ob.vbd.role == "COLLIDER":
            body = collider(gathered, ob, depsgraph, pose)
        else:
            make = rigid_body if ob.vbd.role == "RIGID" else deformable
            body = make(gathered, ob, depsgraph, pose)
            made[identity(ob)] = body, gathered.targets[-1]
            if ob in moving and gathered.targets[-1].first is None:
                motion = *earlier[identity(ob)], start, settings.frame_time
                gathered.notes += set_initial_velocity(body, gathered.targets[-1], *motion)
        body.collides_with = _collides_with(ob, objects, instanced)
        gathered.bodies.append(body)
    for ob, body in instanced:
        body.collides_with = _collides_with(ob, objects, instanced)
        gathered.bodies.append(body)
    simulated = gathered.simulated()
    # A floor may be much larger than the bodies on it, and than the gap that suits them.
    thinnest = min(map(thickness.of, simulated))
    for body in gathered.bodies:
        if isinstance(body, Collider) and not body.thickness:
            body.thickness = thinnest
    gathered.notes += [note for body in simulated for note in thickness.notes(body)]
    fields = [body for body in gathered.bodies if isinstance(body, ForceField)]
    gathered.notes += weak_wind.notes(fields, simulated, settings)
    gathered.notes += huge.notes(simulated, settings, scene)
    gathered.notes += tiny.notes(simulated, settings)
    gathered.notes += far.notes(simulated)
    for ob in (ob for ob in objects if identity(ob) in made):
        gathered.holding += attach(gathered, context, ob, made)
    gathered.notes += too_soft.notes(gathered)
    gathered.bodies += gathered.holding
    return gathered


def _out_of_sight(ob, context):
    """A sentence about an object that Blender does not evaluate in this view layer."""
    layers = [layer.name for layer in context.scene.view_layers if ob.name in layer.objects]
    here = context.view_layer.name
    if layers and here not in layers:
        return message("mesh.excluded", name=ob.name, layer=here, other=layers[0])
    return message("mesh.hidden", name=ob.name)


def _collides_with(ob, objects, instanced):
    """Names of those `objects`, and of `instanced` ones (object, body), that are in the collision
    collection of `ob`; None without one.
    """
    collection = ob.vbd.collision_collection
    if collection is None:
        return None
    inside = set(collection.all_objects)
    names = [other.name for other in objects if other in inside and not is_analytic(other)]
    return (*names, *(body.name for other, body in instanced if other in inside))
