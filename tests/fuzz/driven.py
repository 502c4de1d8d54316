# SPDX-License-Identifier: GPL-3.0-or-later
"""Causes of motion in a random scene: values with keyframes, analytic colliders that move, joints
with motors, and edits.
"""

from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from shapes import rotation

from vbd.solver.bodies import Cells, Cloth, Deformable, RigidBody, Rod, Solid
from vbd.solver.rest_shapes.finding import with_new_bodies
from vbd.solver.scene.analytic_colliders import Box, Plane, Sphere
from vbd.solver.scene.joints import KINDS, MOVABLE, Joint, Motor

from .refined import with_refined_surfaces

# Parts of the bodies that keep their shape and that have keyed values, of the analytic colliders
# that move, of the pairs of rigid bodies with joints, and of the scenes with edits.
KEEPS, KEYED, MOVES, JOINED, EDITED = 0.1, 0.1, 0.6, 0.3, 0.15
# Analytic colliders farther away than so many sizes only catch what is lost.
FAR = 100.0


@dataclass(frozen=True)
class Ramp:
    """A number that goes from one value to another in a time [s]."""

    before: float
    after: float
    until: float

    def __call__(self, time):
        part = min(max(time / self.until, 0.0), 1.0)
        return self.before * (self.after / self.before) ** part if self.before else self.after


@dataclass(frozen=True)
class Motion:
    """A steady displacement [m], and a turn about a center [m], in a time [s]."""

    way: np.ndarray
    axis: np.ndarray
    angle: float
    center: np.ndarray
    until: float

    def __call__(self, time):
        part = min(max(time / self.until, 0.0), 1.0)
        matrix = np.eye(4)
        matrix[:3, :3] = rotation(self.axis, part * self.angle)
        matrix[:3, 3] = part * np.asarray(self.way) + self.center - matrix[:3, :3] @ self.center
        return matrix


@dataclass(frozen=True)
class Edit:
    """After a frame: other values of a body, or of the settings; or a pull of a vertex to a goal
    [m], of a stiffness and damping in `values`, that lasts `frames`.
    """

    after: int
    name: str | None
    values: dict
    vertex: int = 0
    goal: np.ndarray | None = None
    frames: int = 0


def driven(random, scene):
    """A scene that more happens in, with what `random` chooses."""
    until = scene.frames * scene.settings.frame_time
    scene = replaced(scene, with_refined_surfaces(random, scene))
    scene = replaced(scene, with_values(random, scene, until))
    travel = scene.travel + 4.0 * scene.size
    if scene.settings.use_ground and random.random() < MOVES:
        ground = Plane((0.0, 0.0, scene.settings.ground_height), name="Moving ground")
        settings = replace(scene.settings, use_ground=False)
        scene = replace(scene, bodies=[*scene.bodies, ground], settings=settings)
    bodies = [moving(random, scene, body, until) for body in scene.bodies]
    scene = replace(scene, bodies=bodies, travel=travel)
    # Attachments are kinds of elements: they are in these families without joints and pulls, too.
    if not any(isinstance(body, Cells) for body in bodies):
        scene = replace(scene, bodies=[*bodies, *joints(random, bodies, scene.size)])
    edits = scene_edits(random, scene) if random.random() < EDITED else ()
    return replace(scene, edits=tuple(edits))


def replaced(scene, new):
    """A scene with new bodies, by the id of those that they replace."""
    return replace(scene, bodies=[with_new_bodies(body, new) for body in scene.bodies])


def with_values(random, scene, until):
    """Bodies that keep their shape under gravity, and that have keyed values, by id."""
    new = {}
    for body in scene.bodies:
        if type(body) not in (Solid, Cells, Cloth, Rod):
            continue
        change = {}
        if random.random() < KEEPS:
            change["keeps_shape"] = True
        if random.random() < KEYED:
            name = random.choice(["youngs_modulus", "density", "friction"])
            before = getattr(body.material, name) or 0.1
            change["keyed"] = {name: Ramp(before, before * 10.0 ** random.uniform(-1, 1), until)}
        if change:
            new[id(body)] = replace(body, **change)
    return new


def moving(random, scene, body, until):
    """A collider that moves by up to a size, or the same body."""
    if not isinstance(body, Plane | Box | Sphere) or random.random() > MOVES:
        return body
    center = {Plane: "point", Box: "low", Sphere: "center"}[type(body)]
    if np.abs(getattr(body, center)).max() > FAR * scene.size:
        return body
    way = random.choice([0.1, 1.0]) * random.uniform(-1.0, 1.0, 3) * scene.size
    axis, angle = np.eye(3)[random.integers(3)], random.choice([0.0, 0.3]) * random.uniform(-1, 1)
    middle = 0.5 * scene.size * np.ones(3)
    return replace(body, motion=Motion(way, axis, float(angle), middle, until))


def joints(random, bodies, size):
    """Joints of rigid bodies with the next one, or with space."""
    rigid = [body for body in bodies if isinstance(body, RigidBody)]
    for body, other in zip_longest(rigid, rigid[1:]):
        if random.random() > JOINED:
            continue
        kind = str(random.choice(KINDS))
        points = body.mesh_points if other is None else [body.points.mean(0), other.points.mean(0)]
        point = np.mean(points, axis=0)
        if random.random() < 0.5:
            point = body.mesh_points[random.integers(len(body.mesh_points))]
        motor = None
        if kind in MOVABLE and random.random() < 0.5:
            speed = random.uniform(-3.0, 3.0) * (size if kind == "slider" else 1.0)
            mass = body.properties.mass
            motor = Motor(speed=speed, maximum=float(random.choice([np.inf, 20.0 * mass * size])))
        axis = random.standard_normal(3)
        yield Joint(
            kind,
            body,
            other,
            point,
            axis / np.linalg.norm(axis),
            (-0.5, 0.5) if kind == "hinge" and random.random() < 0.3 else None,
            motor,
            collides=kind != "fixed" and random.random() < 0.3,
            name=f"Joint of {body.name}",
        )


def scene_edits(random, scene):
    """Some edits, each after a frame of its own."""
    able = [body for body in scene.bodies if isinstance(body, Deformable)]
    has_cells = any(isinstance(body, Cells) for body in able)
    for after in range(1, scene.frames):
        if random.random() > 0.5:
            continue
        body = able[random.integers(len(able))]
        what = random.choice(["gravity", "value", "pull"])
        if what == "gravity":
            part = random.choice([0.0, 0.5, -0.5])
            yield Edit(after, None, {"gravity": tuple(part * np.array(scene.settings.gravity))})
        elif what == "value":
            name = random.choice(["youngs_modulus", "friction"])
            if isinstance(body, RigidBody):
                name = "friction"
            if not (body.keyed and name in body.keyed):
                value = (getattr(body.material, name) or 0.1) * 10.0 ** random.uniform(-1, 1)
                yield Edit(after, body.name, {str(name): float(value)})
        elif not has_cells:
            seen = getattr(body, "mesh_points", body.points)
            if getattr(body, "surface", None) is not None and not isinstance(body, RigidBody):
                seen = body.surface.points(body.points)
            vertex = int(random.integers(len(seen)))
            goal = seen[vertex] + random.uniform(-1.0, 1.0, 3) * scene.size
            stiffness = min(body.material.youngs_modulus * scene.size, 1e12)
            values = {"stiffness": stiffness, "damping": 0.1}
            yield Edit(after, body.name, values, vertex, goal, int(random.integers(1, 4)))
