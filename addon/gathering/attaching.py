# SPDX-License-Identifier: GPL-3.0-or-later
"""`object.vbd.attachments` -> the solver's: vertices of an object tied to the nearest places of
another one, which is pulled back if it is simulated and kinematic if it is not.
"""

from dataclasses import dataclass

import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.curves import is_curve
from ..objects.identity import found, identity
from ..objects.nearest import frames, nearest, weights_in
from ..objects.units import shown
from .joints import joint_of
from .reader import is_keyed, moves, read_pose
from .spikes import Spikes

# The grip of an attachment of full strength.
SOFT = 0.99
# A distance below this fraction of the attached object's size is zero.
NO_DISTANCE = 1e-6


@dataclass
class TiedVertices:
    """Tied `vertices` of the object [row] at `points` [row, 3], with a relative `weight` [row]."""

    vertices: np.ndarray
    points: np.ndarray
    weight: np.ndarray

    def within(self, gap, distance):
        """Rows whose `gap` [row] to the target is at most `distance` [m]."""
        near = gap <= distance
        return TiedVertices(self.vertices[near], self.points[near], self.weight[near])


def kinematic_targets(objects):
    """Targets of attachments and axes of joints of `objects` that are not simulated themselves."""
    found = [
        target
        for ob in objects
        if ob.vbd.role not in {"NONE", "COLLIDER"}
        for item in ob.vbd.attachments
        if item.enabled
        for target in (item.target, item.axis_object)
        if target is not None
    ]
    return [ob for ob in dict.fromkeys(found) if ob.vbd.role in {"NONE", "COLLIDER"}]


def attach(gathered, context, ob, made):
    """The `Attachment`s of an object; `made` has the body and the `Target` of every identity."""
    spikes = Spikes(ob)
    for item in ob.vbd.attachments:
        if not item.enabled:
            continue
        if ob.vbd.role == "RIGID" and item.kind != "ATTACHMENT":
            _refuse(f"{ob.name}: {item.name or 'a joint'}", context.scene, item, in_space=True)
            yield joint_of(gathered, context, ob, item, made)
        else:
            yield _attachment(gathered, context, ob, item, made, spikes)
    gathered.notes += spikes.notes()


def _attachment(gathered, context, ob, item, made, spikes):
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.attachments import Attachment

    name = f"{ob.name}: {item.name or 'an attachment'}"
    _refuse(name, context.scene, item)
    depsgraph = context.evaluated_depsgraph_get()
    body, own = made[identity(ob)]
    rows = _members(name, ob, item, own, ob.evaluated_get(depsgraph).data)
    if identity(item.target) in made:
        place = _Simulated(*made[identity(item.target)], item.target, depsgraph)
    else:
        place = _Animated(gathered.reader, item.target, depsgraph)
    rows = _near(name, item, rows, place)
    spikes.take(item, rows.vertices, own, place)
    fraction = rows.weight / rows.weight.sum()
    options = {"damping": item.damping, "name": name}
    options |= _strength(gathered.reader, ob, item, item.stiffness * fraction)
    if item.maximum_force > 0.0:
        limit = "strength" if item.tears else "maximum_force"
        options[limit] = item.maximum_force * fraction
    vertices = rows.vertices
    if own.corners is not None:
        options["own_weights"] = own.weights[vertices]
        vertices = own.corners[vertices]
    options |= place.end(rows.points, item.keep_distance)
    return Attachment(body, vertices, **options)


def _strength(reader, ob, item, stiffness):
    """Arguments of an `Attachment` for its stiffness [row], which keyframes may scale."""
    key, index = identity(ob), list(ob.vbd.attachments).index(item)
    if not is_keyed(ob, item.path_from_id("strength")):
        return {"stiffness": item.strength * stiffness}
    name, rows = ("strength", key, index), np.ones(len(stiffness))
    reader.follow(name, lambda _: found(key).vbd.attachments[index].strength, item.strength)
    # A grip of 1 would hold as hard as a pin.
    grip = lambda time: SOFT * np.clip(reader.at(name, time), 0.0, 1.0) * rows  # noqa: E731
    return {"stiffness": stiffness / SOFT, "grip": grip}


def _refuse(name, scene, item, in_space=False):
    """Refuse a target that cannot hold anything; with `in_space` there may be none."""
    target = item.target
    if target is None and in_space:
        return
    if target is None:
        raise ValueError(message("pin.no_target", name=name))
    if target == item.id_data:
        raise ValueError(message("pin.to_itself", name=name))
    if target.name not in scene.objects:
        raise ValueError(
            message("pin.target_elsewhere", name=name, target=target.name, scene=scene.name)
        )
    if not target.visible_get():  # Blender would not move it
        raise ValueError(message("pin.target_hidden", name=name, target=target.name))


def _members(name, ob, item, own, mesh):
    """The vertices that an attachment may tie."""
    points = own.start_points()
    weight = np.ones(len(points))
    if item.vertex_group and not is_curve(ob):
        weight = read_mesh.members(ob, mesh, item.vertex_group)
        if not weight.any():
            raise ValueError(message("pin.group_empty", name=name, group=item.vertex_group))
    vertices = np.flatnonzero(weight)
    return TiedVertices(vertices, points[vertices], weight[vertices])


def _near(name, item, rows, place):
    """The rows that are near enough to the place that they are tied to."""
    distance = shown(item, "distance")
    if not distance and item.vertex_group:
        return rows
    gap = np.linalg.norm(place.nearest(rows.points) - rows.points, axis=1)
    near = rows.within(gap, distance or gap.min())
    if not len(near.vertices):
        raise ValueError(
            message(
                "pin.out_of_reach",
                name=name,
                distance=distance,
                target=item.target.name,
                gap=gap.min(),
            )
        )
    return near


class _Simulated:
    """The surface of another simulated body."""

    def __init__(self, body, target, ob, depsgraph):
        self.body, self.target = body, target
        self.is_soft = target.lattice is not None
        self.points = target.start_points() if target.own is None else body.points
        if ob.vbd.role == "RIGID":
            self.points, self.elements = body.mesh_points, body.triangles
        elif ob.vbd.role == "SOFT":
            self.elements = read_mesh.triangles(ob.evaluated_get(depsgraph).data)
            if target.corners is None:
                from ...solver.topology.meshes import boundary_triangles

                self.elements = boundary_triangles(body.elements)
        else:
            self.elements = body.elements

    def nearest(self, points):
        """The places of the surface [point, 3] that are nearest to `points` [point, 3]."""
        return nearest(points, self.points, self.elements)[1]

    def end(self, points, keeps_distance):
        """Arguments of an `Attachment` of `points` [row, 3] that describe its other end."""
        element, place = nearest(points, self.points, self.elements)
        gap = np.linalg.norm(points - place, axis=1)
        length = np.where(gap > NO_DISTANCE * np.ptp(self.points, axis=0).max(), gap, 0.0)
        lattice = self.target.lattice
        if lattice is not None:
            from ...solver.lattice.lattice import embed

            # Points near the surface move rigidly with the material.
            near = gap <= lattice.cell_size
            if keeps_distance:
                place, length = np.where(near[:, None], points, place), np.where(near, 0.0, length)
            corners, weights = embed(place, lattice)
        else:
            corners = self.elements[element]
            weights = weights_in(place, self.points[corners])
        return {
            "other": self.body,
            "corners": corners,
            "weights": weights,
            "length": length if keeps_distance else 0.0,
        }


class _Animated:
    """An object moved by its animation alone: faces that carry points with them or, without faces,
    its transform.
    """

    is_soft = False

    def __init__(self, reader, ob, depsgraph):
        evaluated = ob.evaluated_get(depsgraph)
        self.reader, self.key, self.moves = reader, identity(ob), moves(ob)
        self.elements = np.zeros((0, 3), np.int64)
        if ob.type == "MESH":
            self.elements = read_mesh.triangles(evaluated.data)
        self.start = read_pose(ob, depsgraph, len(self.elements) > 0)
        if self.moves:
            reader.add(ob, self.start, len(self.elements) > 0)

    def nearest(self, points):
        """The places of the object [point, 3] that are nearest to `points` [point, 3]."""
        if not len(self.elements):
            return np.broadcast_to(self.start.matrix[:3, 3], points.shape)
        return nearest(points, self.start.world_points(), self.elements)[1]

    def end(self, points, keeps_distance):
        """Arguments of an `Attachment` of `points` [row, 3] that describe its other end."""
        if not keeps_distance:
            points = self.nearest(points)
        if not self.moves:
            return {"points": points}
        follow = self._along_faces(points) if len(self.elements) else self._along_matrix(points)
        return {"points": lambda time: follow(self.reader.at(self.key, time))}

    def _along_matrix(self, points):
        inside = read_mesh.transformed(np.linalg.inv(self.start.matrix), points)
        return lambda pose: read_mesh.transformed(pose.matrix, inside)

    def _along_faces(self, points):
        start = self.start.world_points()
        element, place = nearest(points, start, self.elements)
        corners = self.elements[element]
        weights = weights_in(place, start[corners])
        lever = np.einsum("pij,pi->pj", frames(start[corners]), points - place)

        def follow(pose):
            now = pose.world_points()[corners]
            at = np.einsum("pk,pki->pi", weights, now)
            return at + np.einsum("pij,pj->pi", frames(now), lever)

        return follow
