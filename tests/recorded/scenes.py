# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes whose trajectories are recorded, with nothing but the public interface.

They are those in which iterations come to their end: twice as many change what moves freely by less
than 1e-5 of its motion, and what touches by less than 1e-3. So they tell of forces, inertia and the
contact law, not of the way to the solution.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from shapes import box, chain, grid, tet_ball

from vbd.solver.bodies import Cloth, Collider, Deformable, Pins, Rod, Solid
from vbd.solver.scene.analytic_colliders import Bowl, Plane, Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

WEIGHTLESS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Scene:
    """What is given to `simulate`."""

    bodies: list
    settings: Settings
    frames: int
    gravity: Callable | None

    @property
    def deformable(self):
        return [body for body in self.bodies if isinstance(body, Deformable)]

    def run(self):
        return simulate(self.bodies, self.settings, self.frames, gravity=self.gravity)


# All iterations, so that what is recorded does not tell of the estimate that ends them.
ALL = {"accuracy": 0.0}
PLATE = {"adapt_folds": False}


def scene(*bodies, frames=8, in_time=None, **settings):
    """A scene whose gravity may change `in_time`."""
    return Scene(list(bodies), Settings(**ALL | settings), frames, in_time)


# Without contact.


def beam(**material):
    """A bar of rubber or the like, held at one end."""
    points, tets = box((10, 2, 2), (0.5, 0.1, 0.1))
    held = Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return Solid(points, tets, Material(youngs_modulus=2e5, **material), held)


def sheet(uv=None, **material):
    """A metre of cloth, held by two corners."""
    points, triangles = grid(12)
    cloth = {"youngs_modulus": 2e5, "density": 0.3, "bending_stiffness": 1e-4, **PLATE, **material}
    return Cloth(points, triangles, Material(**cloth), Pins([0, 12]), uv=uv)


def woven():
    points, _ = grid(12)
    return sheet(uv=points[:, :2], membrane="orthotropic", weft_modulus=1e5, damping=2e-3)


def rope(at):
    """A slack rope between two nails."""
    along = np.linspace(0.0, 1.0, 40)
    points = np.stack([along, 0.1 * np.sin(3.0 * along), 0.1 * along**2], axis=1) + at
    edges = np.stack([np.arange(39), np.arange(1, 40)], axis=1)
    material = Material(youngs_modulus=1e6, thickness=0.01, density=0.1)
    return Rod(points, edges, material, Pins([0, 39]))


def thrown():
    """A soft body, a cloth and a rod that fly and spin, each by itself."""
    points, tets = box((2, 2, 2), (0.3, 0.3, 0.3))
    spin = np.cross([0.0, 3.0, 4.0], points - 0.15) + [1.0, 0.0, 2.0]
    mesh, triangles = grid(5, 0.5)
    string, edges = chain(6, 0.1)
    return [
        Solid(points, tets, Material(youngs_modulus=2e4, damping=0.01), velocities=spin),
        Cloth(
            mesh + [1.0, 0.0, 0.0],
            triangles,
            Material(youngs_modulus=1e5, density=0.2, bending_stiffness=1e-4, **PLATE),
            velocities=np.cross([2.0, 0.0, 1.0], mesh - [0.25, 0.25, 0.0]),
        ),
        Rod(
            string + [0.0, 1.0, 0.0],
            edges,
            Material(youngs_modulus=1e6, density=0.05, thickness=0.005, damping=0.01),
            velocities=[0.0, 0.0, 1.0] * np.arange(6)[:, None],
        ),
    ]


def bent():
    """A sheet that begins bent and wants to be flat, beside one that keeps its bend."""
    points, triangles = grid(8)
    curved = points.copy()
    curved[:, 2] = 0.2 * np.sin(3.0 * points[:, 0])
    held = Pins(np.arange(9))
    stiff = {"youngs_modulus": 1e5, "density": 0.3, "bending_stiffness": 1e-2, **PLATE}
    return [
        Cloth(curved, triangles, Material(rest_flat=True, **stiff), held, name="Flat"),
        Cloth(curved + [0.0, 1.1, 0.0], triangles, Material(**stiff), held, name="Bent"),
    ]


def swinging(time):
    return 9.81 * np.array([np.sin(3.0 * time), 0.0, -np.cos(3.0 * time)])


FREE = {
    "bent sheets": lambda: scene(*bent()),
    "neo-Hookean beam": lambda: scene(beam()),
    "logarithm beam": lambda: scene(beam(solid_model="neo_hookean_log")),
    "corotated beam": lambda: scene(beam(solid_model="corotated")),
    "neo-Hookean membrane": lambda: scene(sheet(membrane="neo_hookean", damping=1e-3)),
    "woven membrane": lambda: scene(woven()),
    "varying gravity": lambda: scene(sheet(), rope([0.0, 1.1, 0.0]), in_time=swinging),
    "thrown": lambda: scene(*thrown()),
}

# With contact.

RUBBER = Material(youngs_modulus=1e5, damping=0.01, collision_thickness=0.005)


def ball(center, **more):
    points, tets = tet_ball(3, 0.15)
    return Solid(points + center, tets, RUBBER, **more)


def cube(corner, **more):
    points, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    return Solid(points + corner, tets, RUBBER, **more)


def floor():
    points, triangles = grid(2, 4.0)
    return Collider(points - [2.0, 2.0, 0.0], triangles, name="Floor")


def thrown_balls():
    return [
        ball([-0.3, 0.0, 0.0], velocities=[2.0, 0.0, 0.0], name="Left"),
        ball([0.3, 0.05, 0.0], velocities=[-1.0, 0.0, 0.0], name="Right"),
    ]


def stacked():
    """Three cubes that fall on each other."""
    cubes = (cube([0.01 * k, 0.0, 0.05 + 0.28 * k], name=f"Cube {k}") for k in range(3))
    return [*cubes, floor()]


CONTACT = {
    "ball on plane": lambda: scene(ball([0, 0, 0.3]), Plane([0, 0, 0]), frames=24),
    "ball on sphere": lambda: scene(
        ball([0.02, 0.01, 0.25]), Sphere([0, 0, -0.5], 0.5), frames=12, friction=0.8
    ),
    "ball in bowl": lambda: scene(ball([0.1, 0, 0.3]), Bowl([0, 0, 0.5], 0.5), frames=12),
    "cube on mesh": lambda: scene(cube([0.0, 0.0, 0.1]), floor(), frames=24),
    "two balls": lambda: scene(*thrown_balls(), gravity=WEIGHTLESS, frames=10),
    "stack, Chebyshev": lambda: scene(*stacked(), frames=8, acceleration=0.9),
}
