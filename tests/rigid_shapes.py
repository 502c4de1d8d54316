# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that tests share."""

import numpy as np
from shapes import block, rotation

from vbd.solver.bodies import RigidBody
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation


def cuboid(half, at=(0.0, 0.0, 0.0), turn=None, **how):
    """A rigid box with these half sides, turned about its center, which is `at`."""
    size = 2.0 * np.broadcast_to(np.asarray(half, dtype=float), 3)
    points, triangles = block(size, (0.0, 0.0, 0.0))
    points = points @ (np.eye(3) if turn is None else turn).T + np.asarray(at)
    return RigidBody(points, triangles, how.pop("material", Material()), **how)


def tower(count, ratio=1.0, half=0.1, gap=0.002):
    """Boxes on the ground z = 0, each above the other; the top one `ratio` times as heavy."""
    return [
        cuboid(
            half,
            (0.0, 0.0, half + gap + k * (2.0 * half + gap)),
            material=Material(density=1000.0 * (ratio if k == count - 1 else 1.0)),
            name=f"Box {k}",
        )
        for k in range(count)
    ]


def tilted(degrees, axis=(1.0, 0.3, 0.0)):
    """A rotation by an angle about an axis of any length."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    return rotation(axis, np.radians(degrees))


def settings_of(**more):
    return Settings(**{"threads": 1, **more})


def centers(frame):
    """Centers of the rigid bodies of a frame [m], [body, 3]."""
    return np.array([pose[0] for pose in frame.poses if pose is not None])


def speeds(before, after, frame_time=1.0 / 24.0):
    """Mean speeds of the centers between two frames [m/s]."""
    return np.linalg.norm(centers(after) - centers(before), axis=1) / frame_time


class Momenta:
    """Momenta of a scene after every substep; use it as `cancelled` of `Simulation.frames`."""

    def __init__(self, bodies, settings):
        self.simulation = Simulation(bodies, settings)
        self.model, self.states = self.simulation.model, []

    def __call__(self):
        model, rigid = self.model, self.model.rigid.struct
        own = np.where(
            np.arange(model.vertex_count) < model.assembly.rigid_start, model.assembly.mass, 0.0
        )
        places = np.concatenate([model.x.numpy()[: model.vertex_count], rigid.center.numpy()])
        momenta = np.concatenate(
            [
                own[:, None] * model.velocity.numpy(),
                rigid.mass.numpy()[:, None] * rigid.velocity.numpy(),
            ]
        )
        self.states.append((places.astype(float), momenta, rigid.momentum.numpy().copy()))
        return False

    def run(self, frames):
        for frame in self.simulation.frames(frames, self):
            last = frame
        self()
        return last

    def linear(self):
        """Momentum after every substep [kg m/s], [substep, 3]."""
        return np.array([momenta.sum(axis=0) for _, momenta, _ in self.states])

    def twists(self):
        """Σ x × Δp + Δℓ of every substep [kg m²/s]: the torque of its forces, where they act."""
        return np.array(
            [
                np.cross(x, p - p_before).sum(axis=0) + (spin - spin_before).sum(axis=0)
                for (_, p_before, spin_before), (x, p, spin) in zip(
                    self.states, self.states[1:], strict=False
                )
            ]
        )
