# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a running simulation: other values, and pulls, from its next frame on."""

import threading
from dataclasses import dataclass

import numpy as np

from ..bodies import Deformable, RigidBody
from ..messages import message
from ..rest_shapes.finding import with_new_bodies
from ..scene.attachments import Attachment
from ..scene.joints import Joint
from ..settings import Settings
from ..topology.meshes import are_rows
from ..topology.values import three_numbers
from .changes import changed, changed_settings


@dataclass(frozen=True)
class EditedScene:
    """The input of the following frames. `rows` [row]: the row that each row of the attachments had
    before, −1 for new ones.
    """

    bodies: list
    settings: Settings
    gravity: object
    rows: np.ndarray


class PullSpring:
    """A damped spring from a point of a body to a `goal` [m], which may be set at any time; the
    point is pulled there within the next frame. `release()` ends it.
    """

    def __init__(self, edits, body, corners, goal, **spring):
        self.edits, self.name, self.goal = edits, body.name, goal
        self.tie = Attachment(body, [corners], points=self.at, name=body.name, **spring)

    @property
    def goal(self):
        return self._goal

    @goal.setter
    def goal(self, goal):
        self._goal = three_numbers(self.name, "goal", goal)

    def at(self, _time):
        """The goal as the target [1, 3] of an attachment."""
        return self._goal[None]

    def release(self):
        """Let go, from the next frame on."""
        self.edits.release(self)


class Edits:
    """Changes of a simulation while it runs: give one to `simulate` as `edits=`.

    They act from the next frame on, and may come from any thread. The scene is then set up again
    from its state (positions, velocities, plastic flow, tears, friction anchors), in the time of a
    few frames; a new goal of a pull alone costs nothing. `first_frame` is the first frame that an
    edit acted on, 0 if there is none: a run with edits is not that of its input.
    """

    # Whether the kernels of pulls are known to be compiled, for this mix of bodies.
    is_compiled = False
    # The number of rows of the scene's own attachments, joints and bonds.
    own_rows = 0

    def __init__(self):
        self.lock, self.first_frame = threading.Lock(), 0
        # Bodies and all else as given, with rest shapes, and with the values that have changed.
        self.given, self.originals, self.current, self.values = [], [], [], {}
        self.settings = self.gravity = None
        self.pulls, self.used, self.pending = [], [], False

    def begin(self, bodies, settings, gravity):
        """Begin with the input of a simulation; `simulate` calls this."""
        with self.lock:
            self.given = self.originals = list(bodies)
            self.current, self.values = list(bodies), {}
            self.settings, self.gravity = settings, gravity
            self.pulls, self.used, self.pending, self.first_frame = [], [], False, 0

    def replace(self, bodies):
        """Take over the same bodies with their rest shapes, which `simulate` has found."""
        with self.lock:
            self.originals, self.current = bodies, list(bodies)
            for at, values in self.values.items():
                self.current[at] = changed(bodies[at], values)

    def change(self, of=None, **values):
        """Give a body, collider, attachment or force field (or its name) other `values`: those of
        its material, its friction, stiffness and so on; or the settings, if none is given.

        Raises ValueError for values out of range, and for those that cannot change.
        """
        with self.lock:
            if of is None:
                self.settings = changed_settings(self._running(), values)
                if "gravity" in values:
                    self.gravity = None
            else:
                at = self._find(of)
                values = self.values.get(at, {}) | values
                self.current[at] = changed(self.originals[at], values)
                self.values[at] = values
            self.pending = True

    def pull(self, of, vertex, goal, stiffness, *, weights=None, damping=0.0):
        """Pull a point of a body to a `goal` [m] by a spring of a stiffness [N/m]; return a
        `PullSpring`.

        `vertex` is one of the body, or of its embedded surface if it has one. With `weights` [n]
        it is the corners [n] of one element, of which the point is the sum. `damping` [s] is that
        of an `Attachment`. A high stiffness pins the point. Raises ValueError for no such point.
        """
        with self.lock:
            self._running()
            body = self.given[self._find(of)]
            corners, weights = _point_of(body, vertex, weights)
            spring = {"stiffness": stiffness, "damping": damping, "own_weights": [weights]}
            pull = PullSpring(self, body, corners, goal, **spring)
            self.pulls.append(pull)
            self.pending = True
        return pull

    def release(self, pull):
        """End a `PullSpring` from the next frame on."""
        with self.lock:
            if pull in self.pulls:
                self.pulls.remove(pull)
                self.pending = True

    def take(self, frame):
        """Return the `EditedScene` from a frame on, or None if nothing has changed."""
        with self.lock:
            if not self.pending:
                return None
            self.pending, self.first_frame = False, self.first_frame or frame
            at = {id(pull): self.own_rows + number for number, pull in enumerate(self.used)}
            rows = [*range(self.own_rows), *(at.get(id(pull), -1) for pull in self.pulls)]
            self.used = list(self.pulls)
            return self._scene(self.pulls, rows)

    def pulled_scene(self):
        """Return the `EditedScene` with a pull that is not there, to compile its kernels."""
        with self.lock:
            body = next(each for each in self.given if isinstance(each, Deformable))
            corners, weights = _point_of(body, 0, None)
            spring = {"stiffness": 1.0, "damping": 1.0, "own_weights": [weights]}
            pull = PullSpring(self, body, corners, np.zeros(3), **spring)
            return self._scene([pull], [])

    def _scene(self, pulls, rows):
        """Return the present `EditedScene` with some pulls; attachments tie the present bodies."""
        new = {}
        for known in (self.given, self.originals):
            new |= {id(old): now for old, now in zip(known, self.current, strict=True)}
        bodies = [with_new_bodies(each, new) if isinstance(each, Attachment | Joint) else each
                  for each in self.current]  # fmt: skip
        ties = [with_new_bodies(pull.tie, new) for pull in pulls]
        return EditedScene([*bodies, *ties], self.settings, self.gravity, np.array(rows, dtype=int))

    def _running(self):
        """The present settings; ValueError before `simulate` has been called."""
        if self.settings is None:
            raise ValueError(message("script.edit_early"))
        return self.settings

    def _find(self, of):
        """The number of a body, or of one with a name; ValueError if there is none."""
        self._running()
        for number, item in enumerate(self.given):
            if item is of or item.name == of:
                return number
        name = of if isinstance(of, str) else getattr(of, "name", of)
        names = ", ".join(item.name for item in self.given)
        raise ValueError(message("script.edit_unknown", name=name, names=names))


def _point_of(body, vertex, weights):
    """Corners and weights [n] of a point of a body; ValueError if it has no such point."""
    if not isinstance(body, Deformable):
        raise ValueError(message("script.pull_body", name=body.name))
    is_rigid = isinstance(body, RigidBody)  # its points are those of its mesh
    if weights is not None:
        corners = np.array(vertex, dtype=np.int64).ravel()
        elements = body.triangles if is_rigid else body.elements
        fits = len(corners) == elements.shape[1]
        if not fits or not are_rows(corners[None], elements).all():
            raise ValueError(message("script.pull_corners", name=body.name))
        return corners, np.ravel(weights)
    surface = None if is_rigid else getattr(body, "surface", None)
    points = body.mesh_points if is_rigid else body.points
    count = len(points) if surface is None else len(surface.corners)
    if not 0 <= vertex < count:
        raise ValueError(message("script.pull_vertex", name=body.name, vertex=vertex, count=count))
    if surface is None:
        return np.array([vertex]), np.ones(1)
    return surface.corners[vertex], surface.weights[vertex]
