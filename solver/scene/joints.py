# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints between two rigid bodies, or a rigid body and a place in space.

Anchors are rows of attachments: one for a ball, two along the axis of a hinge, four for a fixed
joint. Sliders, limits and motors are rows whose direction turns with the other body, `Guides`
(kernels/scene/joints.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from ..bodies.rigid import SIGNS, RigidBody
from ..messages import message
from ..topology.graphs import connected_components
from ..topology.values import number, numbers, refuse_other, shown, three_numbers
from .attachment_rows import RIGID
from .attachments import Attachment

KINDS = ("ball", "hinge", "slider", "fixed")
# Kinds with a coordinate along which limits and motors act: an angle, or a distance.
MOVABLE = ("hinge", "slider")
# Stiffness of the rows [N/m].
STIFF = 1.0e8
# A motor that is held lags by this fraction of half its joint's size at most.
SLACK = 1.0e-3


def _limit(name, what, value):
    """Refuse anything but a number above 0, which may be infinite."""
    found = numbers(name, what, value)
    if found.shape or not found > 0.0:
        raise ValueError(message("script.above_0", name=name, what=what, value=shown(value)))


@dataclass(eq=False)
class Motor:
    """Drives the coordinate of a joint: to a `position` [rad or m], or at a `speed` [per s].

    Both are a number or a function of the time [s]. It pushes with at most `maximum` [N m of a
    hinge, N of a slider].
    """

    position: float | Callable | None = None
    speed: float | Callable | None = None
    maximum: float = np.inf

    def check(self, name):
        """Refuse anything but one goal and a maximum above 0."""
        if (self.position is None) == (self.speed is None):
            raise ValueError(message("joint.motor", name=name))
        for what, goal in (("position", self.position), ("speed", self.speed)):
            if goal is not None and not callable(goal):
                number(name, what, goal)
        _limit(name, "maximum", self.maximum)


@dataclass(eq=False)
class Joint:
    """Joins `body` to `other`, or to space, at `point` [m] along `axis`, as they are at the start.

    `kind`: "ball" lets it turn about the point, "hinge" about the axis, "slider" move along it,
    "fixed" neither. `limits` bound the angle [rad] of a hinge, counted about `axis` as of `body`
    against `other`, or the distance [m] of a slider; both are 0 at the start, and `motor` drives
    them. A joint breaks permanently where its force, and its moment over half the size of the
    smaller body, add up to more than `strength` [N]. The two bodies collide with each other only if
    `collides`, and those of a fixed joint only once it is broken. `pose`: the animated place in
    space as a function of the time [s] that returns a matrix [4, 4]; None stands still.
    """

    kind: str
    body: object
    other: object = None
    point: np.ndarray = (0.0, 0.0, 0.0)
    axis: np.ndarray = (0.0, 0.0, 1.0)
    limits: tuple[float, float] | None = None
    motor: Motor | None = None
    strength: float = field(default=np.inf, kw_only=True)
    collides: bool = field(default=False, kw_only=True)
    pose: Callable | None = field(default=None, kw_only=True)
    name: str = field(default="Joint", kw_only=True)

    def __post_init__(self):
        refuse_other(self.name, "body", self.body, RigidBody)
        if self.other is not None:
            refuse_other(self.name, "other", self.other, RigidBody)
        if self.motor is not None:
            refuse_other(self.name, "motor", self.motor, Motor)
            self.motor.check(self.name)
        if self.pose is not None:
            refuse_other(self.name, "pose", self.pose, None)
        refuse_other(self.name, "kind", self.kind, str)
        refuse_other(self.name, "collides", self.collides, bool)
        self.point = three_numbers(self.name, "point", self.point)
        self.axis = three_numbers(self.name, "axis", self.axis)
        length = np.linalg.norm(self.axis)
        if not length > 0.0:
            raise ValueError(message("joint.no_axis", name=self.name))
        self.axis = self.axis / length
        if self.kind not in KINDS:
            names = ", ".join(KINDS)
            raise ValueError(
                message("script.one_of", name=self.name, what="kind", value=self.kind, names=names)
            )
        if self.kind not in MOVABLE and (self.limits is not None or self.motor is not None):
            raise ValueError(message("joint.not_movable", name=self.name, kind=self.kind))
        if self.limits is not None:
            limits = numbers(self.name, "limits", self.limits)
            low, high = limits if limits.shape == (2,) else (np.nan, np.nan)
            if not -np.inf < low <= 0.0 <= high < np.inf:
                raise ValueError(message("joint.limits", name=self.name, low=low, high=high))
        if self.other is not None and self.pose is not None:
            raise ValueError(message("joint.pose_or_body", name=self.name))
        if self.other is self.body:
            raise ValueError(message("joint.to_itself", name=self.name, body=self.body.name))
        _limit(self.name, "strength", self.strength)

    def place(self, time):
        """The matrix [4, 4] of `pose` at a time [s], checked."""
        matrix = numbers(self.name, "pose", self.pose(time))
        sound = matrix.shape == (4, 4) and np.isfinite(matrix).all()
        if not sound or abs(np.linalg.det(matrix[:3, :3])) < np.finfo(np.float32).tiny:
            raise ValueError(message("script.collider_motion", name=self.name, time=time))
        return matrix

    @property
    def size(self):
        """The size of the smaller body [m]."""
        bodies = [self.body] if self.other is None else [self.body, self.other]
        return min(np.ptp(body.mesh_points, axis=0).max() for body in bodies)

    def across(self):
        """Two unit vectors across the axis, to the right of each other [2, 3]."""
        first = np.cross(self.axis, np.eye(3)[np.abs(self.axis).argmin()])
        first /= np.linalg.norm(first)
        return np.array([first, np.cross(self.axis, first)])

    def anchors(self, half):
        """Points of both bodies at distances `half` that stay together [anchor, 3] in m."""
        along, (one, other) = self.axis, self.across()
        from_point = {
            "ball": [np.zeros(3)],
            "hinge": [along, -along],
            "slider": [],
            "fixed": SIGNS @ [one, other, along] / np.sqrt(3.0),
        }[self.kind]
        return self.point + half * np.reshape(from_point, (-1, 3))

    def guides(self, half):
        """The `GuidedPoint`s of sliders, limits and motors, at distances `half` [m]."""
        one, other = self.across()
        if self.kind == "slider":
            ends = self.point + half * self.axis, self.point - half * self.axis
            for place in ends:
                yield GuidedPoint(place, place, one)
                yield GuidedPoint(place, place, other)
            aside = self.point + half * one
            yield GuidedPoint(aside, aside, other)
        if self.kind not in MOVABLE:
            return
        arm = half if self.kind == "hinge" else 0.0
        known = {"point": self.point + arm * one, "place": self.point, "axis": self.axis}
        known |= {"arm": arm, "zero": one}
        if self.limits is not None:
            middle = 0.5 * (self.limits[0] + self.limits[1])
            for limit, sign in zip(self.limits, (1.0, -1.0), strict=True):
                yield GuidedPoint(**known, sign=sign, goal=limit, middle=middle)
        if self.motor is not None:
            aim, goal = 0, self.motor.position
            if goal is None:
                aim, goal = 1, self.motor.speed
            most = self.motor.maximum / (arm or 1.0)
            yield GuidedPoint(**known, goal=goal, aim=aim, maximum=most, slack=SLACK * half)


@dataclass(frozen=True)
class GuidedPoint:
    """A `point` [m] of the body whose coordinate along `axis`, or about it at distance `arm` [m],
    is held at `goal`, above (`sign` 1) or below it (-1); see kernels/scene/joints.py. Places and
    directions are those of the start, in space.
    """

    point: np.ndarray
    place: np.ndarray
    axis: np.ndarray
    arm: float = 0.0
    zero: np.ndarray = (0.0, 0.0, 0.0)
    goal: float | Callable = 0.0
    sign: float = 0.0
    aim: int = 0
    middle: float = 0.0
    slack: float = 0.0
    maximum: float = np.inf
    pose: Callable | None = None
    """Place of a target in space, as in `Joint`."""

    def goal_at(self, time):
        """The goal at a time [s], in metres along the axis or the arc."""
        goal = self.goal(time) if callable(self.goal) else self.goal
        return number("Motor", "goal", goal) * (self.arm or 1.0)


def reaches(joints):
    """Half the size [joint] of all that hangs together by joints, in m.

    Anchors at this distance from a joint hold a moment by forces that are no larger than the weight
    of what hangs on it: nearer ones would need penalties that float32 cannot carry
    (model/penalties.py), and points of a rigid body may be outside of it.
    """
    bodies = list({id(b): b for j in joints for b in (j.body, j.other) if b is not None}.values())
    number = {id(body): at for at, body in enumerate(bodies)}
    pairs = [[number[id(j.body)], number[id(j.other or j.body)]] for j in joints]
    group = connected_components(np.reshape(pairs, (-1, 2)), len(bodies))
    low, high = np.full((2, len(bodies), 3), [[[np.inf]], [[-np.inf]]])
    for at, body in zip(group, bodies, strict=True):
        low[at] = np.minimum(low[at], body.mesh_points.min(axis=0))
        high[at] = np.maximum(high[at], body.mesh_points.max(axis=0))
    return [0.5 * (high - low)[group[number[id(j.body)]]].max() for j in joints]


def attachments_of(joints):
    """The `Attachment`s of the anchors of joints and those of their guides."""
    pairs = zip(joints, reaches(joints), strict=True)
    return [tie for joint, half in pairs for tie in _attachments_of(joint, half)]


def _attachments_of(joint, half):
    anchors = joint.anchors(half)
    pose = joint.pose and joint.place
    guides = [replace(guide, pose=pose) for guide in joint.guides(half)]
    made = []
    if len(anchors):
        made.append(_attachment(joint, anchors, {}))
    if guides:
        points = np.array([guide.point for guide in guides])
        options = {"normal": np.array([guide.axis for guide in guides])}
        options["maximum_force"] = np.array([guide.maximum for guide in guides])
        made.append(_attachment(joint, points, options, guides))
    return made


def _attachment(joint, points, options, guides=()):
    corners = np.broadcast_to(np.arange(RIGID), (len(points), RIGID))
    weights = joint.body.weights_of(points)
    if joint.other is not None:
        target = {"corners": corners, "weights": joint.other.weights_of(points)}
        options |= {"other": joint.other, **target}
    elif joint.pose is None:
        options["points"] = points
    else:
        inside = carried(points, np.linalg.inv(joint.place(0.0)))
        options["points"] = lambda time: carried(inside, joint.place(time))
    known = {"own_weights": weights, "name": joint.name}
    known |= {"joint": joint, "guides": tuple(guides)}
    return Attachment(joint.body, corners, STIFF, **known, **options)


def carried(points, pose):
    """Points [point, 3] moved by a matrix [4, 4]."""
    return points @ pose[:3, :3].T + pose[:3, 3]


def joints_of(rows):
    """The joints of `Rows`, each with its rows: (joint, first, end)."""
    runs = groupby(range(len(rows.joint)), key=lambda row: id(rows.joint[row]))
    spans = [(own[0], own[-1] + 1) for own in (list(run) for _joint, run in runs)]
    return [(rows.joint[a], a, b) for a, b in spans if rows.joint[a] is not None]


def exclude_joined(may_touch, rows, bodies):
    """Clear the entries of a table [body, body] of bodies that joints keep from colliding."""
    number = {id(body): at for at, body in enumerate(bodies)}
    for joint, _first, _end in joints_of(rows):
        if joint.other is not None and not joint.collides:
            one, other = number[id(joint.body)], number[id(joint.other)]
            may_touch[one, other] = may_touch[other, one] = False


def kept_apart(may_touch, rows, bodies):
    """Bodies that touch once the fixed joint between them is broken: the first row of the joint and
    the numbers of both, [joint, 3], one for each pair.

    Until then they cannot meet, and contact in the narrow gap would slow their common motion.
    """
    number, found = {id(body): at for at, body in enumerate(bodies)}, {}
    for joint, first, _end in joints_of(rows):
        if joint.kind == "fixed" and joint.other is not None:
            pair = tuple(sorted((number[id(joint.body)], number[id(joint.other)])))
            if may_touch[pair]:
                found.setdefault(pair, first)
    return np.array([(first, *pair) for pair, first in found.items()], np.int32).reshape(-1, 3)
