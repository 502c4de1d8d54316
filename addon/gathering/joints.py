# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of `object.vbd.attachments` -> the solver's."""

from math import pi

import numpy as np

from ...solver.bodies import RigidBody
from ...solver.messages import message
from ..objects import read_mesh
from ..objects.identity import found, identity
from ..objects.nearest import nearest
from ..objects.units import shown
from .reader import is_keyed, moves, read_pose


def joint_of(gathered, context, ob, item, made):
    """The `Joint` of an item of a rigid object; `made` has the body of every simulated object."""
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.joints import Joint

    name = f"{ob.name}: {item.name or 'a joint'}"
    body, depsgraph = made[identity(ob)][0], context.evaluated_depsgraph_get()
    other = pose = None
    if item.target is not None and identity(item.target) in made:
        other = made[identity(item.target)][0]
        if not isinstance(other, RigidBody):
            raise ValueError(message("joint.soft_target", name=name, target=item.target.name))
    else:
        pose = _pose(gathered, item.target or item.axis_object, depsgraph)
    point, axis = _place(body, other, item, depsgraph)
    return Joint(
        item.kind.lower(),
        body,
        other,
        point,
        axis,
        limits=_limits(item),
        motor=_motor(gathered, ob, item),
        strength=item.breaking_force or np.inf,
        collides=item.collides,
        pose=pose,
        name=name,
    )


def _pose(gathered, ob, depsgraph):
    """The function of time for `Joint.pose`; None for what does not move."""
    if ob is None or not moves(ob):
        return None
    reader, key = gathered.reader, identity(ob)
    reader.add(ob, read_pose(ob, depsgraph, False), False)
    return lambda time: reader.at(key, time).matrix


def _place(body, other, item, depsgraph):
    """The point [m] and the axis of a joint at the start."""
    if item.axis_object is not None:
        matrix = read_pose(item.axis_object, depsgraph, False).matrix
        return matrix[:3, 3], matrix[:3, "XYZ".index(item.axis)]
    return _between(body, other, item.target, depsgraph), np.array([0.0, 0.0, 1.0])


def _between(body, other, target, depsgraph):
    """The middle [m] between the nearest points of a rigid body and its target."""
    if other is not None:
        points, triangles = other.mesh_points, other.triangles
    elif target is None:
        return body.properties.center
    elif target.type == "MESH" and len(target.data.polygons):
        evaluated = target.evaluated_get(depsgraph)
        pose, triangles = read_pose(target, depsgraph, True), read_mesh.triangles(evaluated.data)
        points = pose.world_points()
    else:
        return read_pose(target, depsgraph, False).matrix[:3, 3]
    places = nearest(body.mesh_points, points, triangles)[1]
    own = np.linalg.norm(places - body.mesh_points, axis=1).argmin()
    there = places[own : own + 1]
    here = nearest(there, body.mesh_points, body.triangles)[1]
    return 0.5 * (here + there)[0]


def _limits(item):
    if not item.use_limits or item.kind not in {"HINGE", "SLIDER"}:
        return None
    what = "angle" if item.kind == "HINGE" else "distance"
    return shown(item, f"low_{what}"), shown(item, f"high_{what}")


def _motor(gathered, ob, item):
    """The `Motor` of a joint; None for none."""
    if item.motor == "OFF" or item.kind not in {"HINGE", "SLIDER"}:
        return None
    from ...solver.scene.joints import Motor

    angular = item.kind == "HINGE"
    most = item.motor_torque if angular else item.maximum_force
    if item.motor == "SPEED":
        name, factor = ("motor_turns", 2.0 * pi) if angular else ("motor_speed", 1.0)
        return Motor(speed=_value(gathered, ob, item, name, factor), maximum=most or np.inf)
    name = "motor_angle" if angular else "motor_distance"
    return Motor(position=_value(gathered, ob, item, name, 1.0), maximum=most or np.inf)


def _value(gathered, ob, item, name, factor):
    """A number of a motor, or the function of time where it has keyframes."""
    number, key = list(ob.vbd.attachments).index(item), identity(ob)
    start = factor * shown(item, name)
    if not is_keyed(ob, f"vbd.attachments[{number}].{name}"):
        return start
    reader, value = gathered.reader, (name, number, key)
    reader.follow(value, lambda _: factor * shown(found(key).vbd.attachments[number], name), start)
    return lambda time: reader.at(value, time)
