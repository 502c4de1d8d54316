# SPDX-License-Identifier: GPL-3.0-or-later
"""MousePulls of the mouse on bodies: soft springs that last through the runs of a `LiveSession`."""

from dataclasses import dataclass, field

import numpy as np

# A body hangs on a spring that its weight stretches by this fraction of its size. [Gravity in m/s²]
STRETCH, GRAVITY = 0.2, 9.81
# Damping coefficient over stiffness [s]: a pulled vertex does not swing.
DAMPING = 0.05


@dataclass(eq=False)
class MousePull:
    """A spring from a point of a body, in the numbers of the solver, to a `goal` [m]."""

    body: str
    """The name of the body, which is that of its object."""
    point: int
    vertex: int
    """The vertex of the object that is nearest to the point."""
    goal: np.ndarray
    stiffness: float
    """In N/m."""
    at_start: np.ndarray
    """The place of the point in the input state [m]."""
    has_vertex: bool = True
    """False where no vertex of the object itself is simulated."""
    is_pin: bool = False
    is_held: bool = True
    track: dict = field(default_factory=dict)
    """The goal in every frame that it acted on, by the frame's number from 0."""
    spring = edits = None

    def move(self, goal):
        """Pull towards another place [m], from the next frame on."""
        self.goal = np.array(goal, dtype=np.float64)
        if self.spring is not None:
            self.spring.goal = self.goal


class Recorded:
    """The pulls of the last session, for the scene with this name that begins at frame `start`."""

    pulls, scene, start = [], "", 0

    @classmethod
    def take(cls, session):
        """Record the pulls of a session that ends."""
        cls.pulls = [pull for pull in session.pulls.all if pull.track]
        cls.scene, cls.start = session.scene.name, session.run.gathered.frame_start

    @classmethod
    def of(cls, scene):
        """The pulls of a scene."""
        return cls.pulls if scene.name == cls.scene else []


class MousePulls:
    """The pulls of a session: `all` that there were, of which some are held."""

    def __init__(self):
        self.all = []

    def held(self):
        return [pull for pull in self.all if pull.is_held]

    def pins(self):
        return [pull for pull in self.all if pull.is_held and pull.is_pin]

    def begin(self, pull):
        self.all.append(pull)

    def end(self, pull):
        """Let go, from the next frame on."""
        pull.is_held = False
        if pull.spring is not None:
            pull.spring.release()
            pull.spring = None

    def clear(self):
        """Forget all pulls: the simulation starts over."""
        for pull in self.held():
            self.end(pull)
        self.all = []

    def serve(self, run):
        """Give springs to the pulls that have none in a run, once its solver can take them."""
        edits = run.solver.edits
        if edits.settings is None:
            return
        for pull in self.held():
            if pull.edits is not edits:
                spring = {"damping": DAMPING}
                pull.spring = edits.pull(pull.body, pull.point, pull.goal, pull.stiffness, **spring)
                pull.edits = edits

    def record(self, index):
        """Note the goals for a frame that begins; called in the solver's thread."""
        for pull in list(self.all):
            if pull.is_held and pull.spring is not None:
                pull.track[index] = pull.goal


def stiffness_for(body, strength):
    """The stiffness [N/m] of a spring that carries a body of the solver, times the strength."""
    from ...solver.bodies import RigidBody  # Warp takes half a second to import
    from ...solver.model.masses import vertex_mass

    points = body.mesh_points if isinstance(body, RigidBody) else body.points
    size = float(np.ptp(points, axis=0).max())
    return strength * float(np.sum(vertex_mass(body))) * GRAVITY / (STRETCH * size)


def pullable(body, positions, skin=None):
    """The points [point, 3] of a body of the solver at `positions` that a pull can take, by the
    numbers that `Edits.pull` knows. `skin`: the offsets of its smooth skin there, if it has one.
    """
    from ...solver.bodies import RigidBody, Rod  # Warp takes half a second to import

    positions, surface = np.asarray(positions), getattr(body, "surface", None)
    if isinstance(body, Rod) and body.directors is not None:  # those lie beside it, unseen
        return positions[: len(positions) - len(body.directors)]
    if surface is None or isinstance(body, RigidBody):  # those of its mesh
        return positions
    return surface.points(positions, skin)
