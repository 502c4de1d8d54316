# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes whose trajectories are recorded, with nothing but the public interface.

No other test has the motion under these forces, and iterations converge: twice as many change free
motion by less than 1e-5 of it, and motion in contact by less than 1e-3. So records depend on
forces, inertia and the contact law, not on the path of the solver.
"""

from dataclasses import dataclass

from shapes import box, grid, tet_ball

from vbd.solver.bodies import Cloth, Collider, Deformable, Pins, Solid
from vbd.solver.scene.analytic_colliders import Plane, Sphere
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

WEIGHTLESS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Scene:
    """Arguments of `simulate`."""

    bodies: list
    settings: Settings
    frames: int

    @property
    def deformable(self):
        return [body for body in self.bodies if isinstance(body, Deformable)]

    def run(self):
        return simulate(self.bodies, self.settings, self.frames)


# All iterations, so that records do not depend on the estimate that ends them.
ALL = {"accuracy": 0.0}
PLATE = {"adapt_folds": False}


def scene(*bodies, frames=8, **settings):
    return Scene(list(bodies), Settings(**ALL | settings), frames)


# Without contact.


def sheet(uv=None, **material):
    """A metre of cloth, held by two corners."""
    points, triangles = grid(12)
    cloth = {"youngs_modulus": 2e5, "density": 0.3, "bending_stiffness": 1e-4, **PLATE, **material}
    return Cloth(points, triangles, Material(**cloth), Pins([0, 12]), uv=uv)


def woven():
    points, _ = grid(12)
    return sheet(uv=points[:, :2], membrane="orthotropic", weft_modulus=1e5, damping=2e-3)


FREE = {
    "woven membrane": lambda: scene(woven()),
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
    "cube on mesh": lambda: scene(cube([0.0, 0.0, 0.1]), floor(), frames=24),
    "two balls": lambda: scene(*thrown_balls(), gravity=WEIGHTLESS, frames=10),
    "stack, Chebyshev": lambda: scene(*stacked(), frames=8, acceleration=0.9),
}
