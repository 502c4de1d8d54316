# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes whose trajectories are recorded, with nothing but the public interface."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from shapes import block, box, bumpy_ball, caged, chain, grid, rotation

from vbd.solver.bodies import Cloth, Collider, Deformable, Pins, Rod, Solid
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

try:  # where the first version has them, and where scripts may go on to find them
    from vbd.solver.attachments import Attachment
    from vbd.solver.bounds import Box, Plane, Sphere
except ImportError:
    from vbd.solver.scene.attachments import Attachment
    from vbd.solver.scene.bounds import Box, Plane, Sphere

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

    @property
    def colliders(self):
        return [body for body in self.bodies if isinstance(body, Collider)]

    def run(self):
        return simulate(self.bodies, self.settings, self.frames, gravity=self.gravity)


# All iterations, so that what is recorded tells of every stage but the estimate that ends them; the
# first version knows no other way.
ALL = {"accuracy": 0.0} if hasattr(Settings, "accuracy") else {}
# Faces of the first version do not buckle.
PLATE = {"adapt_folds": False} if hasattr(Material, "adapt_folds") else {}


def scene(*bodies, frames=8, in_time=None, **settings):
    """A scene whose gravity may change `in_time`."""
    return Scene(list(bodies), Settings(**ALL | settings), frames, in_time)


# Without contact.


def beam(pins=None, at=(0.0, 0.0, 0.0), **material):
    """A bar of rubber or the like, held at one end."""
    points, tets = box((10, 2, 2), (0.5, 0.1, 0.1))
    held = pins or Pins(np.flatnonzero(points[:, 0] < 1e-9))
    return Solid(points + at, tets, Material(**{"youngs_modulus": 2e5, **material}), held)


def sheet(cells=12, pins=(0, 12), uv=None, **material):
    """A metre of cloth, held by two corners."""
    points, triangles = grid(cells)
    cloth = {"youngs_modulus": 2e5, "density": 0.3, "bending_stiffness": 1e-4, **PLATE, **material}
    return Cloth(points, triangles, Material(**cloth), Pins(pins) if len(pins) else None, uv=uv)


def woven():
    points, _ = grid(12)
    return sheet(uv=points[:, :2], membrane="orthotropic", weft_modulus=1e5, damping=2e-3)


def rope(at=(0.0, 0.0, 0.0), **material):
    """A slack rope between two nails."""
    along = np.linspace(0.0, 1.0, 40)
    points = np.stack([along, 0.1 * np.sin(3.0 * along), 0.1 * along**2], axis=1) + at
    edges = np.stack([np.arange(39), np.arange(1, 40)], axis=1)
    material = Material(**{"youngs_modulus": 1e6, "thickness": 0.01, "density": 0.1, **material})
    return Rod(points, edges, material, Pins([0, 39]))


def wire(**material):
    """A coil of wire, clamped at one end."""
    from vbd.solver.scene.directors import with_directors  # what the first version has not

    turn = np.linspace(0.0, 4.0 * np.pi, 33)
    line = 0.1 * np.stack([np.cos(turn), np.sin(turn), 0.3 * turn], axis=1)
    edges = np.stack([np.arange(32), np.arange(1, 33)], axis=1)
    points, directors = with_directors(line, edges)
    material = {"youngs_modulus": 1e8, "thickness": 0.005, "density": 0.05, **material}
    pins = Pins([0, 1, directors[0]])
    return Rod(points, edges, Material(bending_factor=1.0, **material), pins, directors=directors)


def heavy_chain():
    """Light links with a weight at the end, on springs that only multipliers make stiff."""
    points, edges = chain(10, 0.1)
    mass = np.full(10, 0.02)
    mass[-1] = 1.0
    return Rod(points, edges, Material(spring_stiffness=1e4, vertex_mass=mass), Pins([0]))


def attached():
    """A bar on moving points, a cloth on a wall that it may slide along, and a row that breaks."""
    bar, cloth = beam(Pins([])), sheet(8, ())
    cloth.points = cloth.points + [0.0, 0.2, 0.0]
    end = np.flatnonzero(bar.points[:, 0] < 1e-9)
    there = bar.points[end]
    edge = np.arange(9)
    return [
        bar,
        cloth,
        Attachment(bar, end, 1e4, points=lambda time: there + [0.0, 0.0, 0.4 * time]),
        Attachment(
            cloth,
            edge,
            1e4,
            points=cloth.points[edge],
            normal=[0.0, 1.0, 0.0],
            tangential_stiffness=20.0,
        ),
        Attachment(cloth, [80], 1e3, points=cloth.points[[80]], strength=0.05),
    ]


def seams():
    """Two bars end to end and a cloth at their side, which would touch where they are tied."""
    left, alone = beam(), {"collides_with": ()}
    left.collides_with = ()
    right = Solid(left.points + [0.5, 0.0, 0.0], left.tets, left.material, **alone)
    points, triangles = grid(6, 0.3)
    cotton = Material(youngs_modulus=1e5, density=0.3, **PLATE)
    flag = Cloth(points + [0.5, 0.1, 0.0], triangles, cotton, **alone)
    end = np.flatnonzero(left.points[:, 0] > 0.5 - 1e-9)
    start = np.flatnonzero(right.points[:, 0] < 0.5 + 1e-9)
    return [
        left,
        right,
        flag,
        Attachment(left, end, 1e4, other=right, corners=start[:, None]),
        Attachment(
            flag, np.arange(3), 1e3, other=right, corners=np.tile(end[-2:], (3, 1)), offset=None
        ),
    ]


def torn():
    """A sheet pulled apart by its ends, notched so that it tears in the middle."""
    points, triangles = grid(10)
    left = np.flatnonzero(points[:, 0] < 1e-9)
    right = np.flatnonzero(points[:, 0] > 1.0 - 1e-9)
    ends = np.concatenate([left, right])
    pull = np.where(points[ends, :1] > 0.5, [[1.0, 0.0, 0.0]], [[-1.0, 0.0, 0.0]])
    middle = points[triangles].mean(axis=1)
    notch = (np.abs(middle[:, 0] - 0.45) < 0.05) & (middle[:, 1] < 0.3)
    return Cloth(
        points,
        triangles[~notch],
        Material(youngs_modulus=1e5, density=0.3, bending_stiffness=1e-4, damping=5e-3, **PLATE),
        Pins(ends, lambda time: points[ends] + 0.6 * time * pull),
        tear_strain=0.15,
    )


def twisted():
    """A bar whose end is turned and pulled."""
    points, _ = box((10, 2, 2), (0.5, 0.1, 0.1))
    ends = np.flatnonzero((points[:, 0] < 1e-9) | (points[:, 0] > 0.5 - 1e-9))
    axis = np.array([0.0, 0.05, 0.05])

    def at(time):
        turn = rotation([1.0, 0.0, 0.0], 2.0 * time)
        far = points[ends, :1] > 0.25
        pulled = (points[ends] - axis) @ turn.T + axis + [0.1 * time, 0.0, 0.0]
        return np.where(far, pulled, points[ends])

    return beam(Pins(ends, at))


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
    "hanging sheet": lambda: scene(sheet()),
    "bent sheets": lambda: scene(*bent()),
    "neo-Hookean beam": lambda: scene(beam()),
    "neo-Hookean beam, damped": lambda: scene(beam(damping=0.01)),
    "logarithm beam": lambda: scene(beam(solid_model="neo_hookean_log")),
    "logarithm beam, damped": lambda: scene(beam(solid_model="neo_hookean_log", damping=0.01)),
    "corotated beam": lambda: scene(beam(solid_model="corotated")),
    "corotated beam, damped": lambda: scene(beam(solid_model="corotated"), damping=0.01),
    "neo-Hookean membrane": lambda: scene(sheet(membrane="neo_hookean", damping=1e-3)),
    "woven membrane": lambda: scene(woven()),
    "rope": lambda: scene(rope()),
    "rope, damped": lambda: scene(rope(damping=0.02)),
    "wire": lambda: scene(wire()),
    "wire, damped": lambda: scene(wire(damping=0.01)),
    "stiff chain": lambda: scene(heavy_chain(), iterations=40),
    "attachments": lambda: scene(*attached()),
    "seams": lambda: scene(*seams()),
    "tearing": lambda: scene(torn(), gravity=WEIGHTLESS, frames=10),
    "moved pins": lambda: scene(twisted()),
    "quasistatic": lambda: scene(beam(), quasistatic=True, iterations=100, frames=3),
    "Chebyshev": lambda: scene(beam(), acceleration=0.95, iterations=60),
    "line search": lambda: scene(beam(), line_search=True),
    "line search, plain": lambda: scene(sheet(), line_search=True, coarse_correction=False),
    "varying gravity": lambda: scene(sheet(), rope([0.0, 1.1, 0.0]), in_time=swinging),
    "one iteration": lambda: scene(
        beam(at=[0.0, -0.3, 0.0]), sheet(), iterations=1, substeps=8, frames=6
    ),
    "plain sweeps": lambda: scene(beam(), coarse_correction=False, relaxation=1.0),
    "guess: inertia": lambda: scene(beam(), initial_guess="inertia"),
    "guess: acceleration": lambda: scene(sheet(), initial_guess="inertia_acceleration"),
    "guess: previous": lambda: scene(rope(), initial_guess="previous"),
    "thrown": lambda: scene(*thrown()),
}

# With contact.


def ball(center, radius=0.15, cells=3, **more):
    """A ball of tets: a cube of cells drawn onto a sphere."""
    points, tets = box((cells,) * 3, (2.0, 2.0, 2.0))
    points = points - 1.0
    size = np.linalg.norm(points, axis=1)
    points *= (np.abs(points).max(axis=1) / np.maximum(size, 1e-9))[:, None]
    return Solid(radius * points + center, tets, rubber(), **more)


def rubber(**more):
    return Material(
        **{"youngs_modulus": 1e5, "damping": 0.01, "collision_thickness": 0.005, **more}
    )


def cube(corner, size=0.2, cells=2, **more):
    points, tets = box((cells,) * 3, (size,) * 3)
    return Solid(points + corner, tets, rubber(), **more)


def cotton(cells):
    return Material(
        youngs_modulus=2e5,
        density=0.2,
        thickness=5e-4,
        bending_stiffness=1e-5,
        damping=2e-3,
        collision_thickness=0.1 / cells,
        self_contact=True,
        **PLATE,
    )


def floor():
    points, triangles = grid(2, 4.0)
    return Collider(points - [2.0, 2.0, 0.0], triangles, name="Floor")


def visible_ball(height):
    points, triangles = bumpy_ball(0.3, 8)
    return caged(points + [0.0, 0.0, height], triangles, resolution=5)


def lifted():
    """A slab that rises under what lies on it."""
    points, triangles = block((1.0, 1.0, 0.2), (0.0, 0.0, -0.15))
    return Collider(lambda time: points + [0.0, 0.0, 0.3 * time], triangles, name="Slab")


def thrown_balls():
    return [
        ball([-0.3, 0.0, 0.0], velocities=[2.0, 0.0, 0.0], name="Left"),
        ball([0.3, 0.05, 0.0], velocities=[-1.0, 0.0, 0.0], name="Right"),
    ]


def stacked():
    """Three cubes that fall on each other."""
    cubes = (cube([0.01 * k, 0.0, 0.05 + 0.28 * k], name=f"Cube {k}") for k in range(3))
    return [*cubes, floor()]


def cloth_on_ball():
    points, triangles = grid(12)
    return [
        Cloth(points - [0.5, 0.5, -0.1], triangles, cotton(12), name="Sheet"),
        Collider(*round_surface(0.25, [0.0, 0.0, -0.25]), name="Ball"),
    ]


def round_surface(radius, center):
    points, triangles = bumpy_ball(1.0, 10)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return radius * points + center, triangles


def pierced():
    """A sheet through which a strip hangs."""
    points, triangles = grid(8)
    lower = points - [0.5, 0.5, 0.0]
    upright = 0.4 * lower[:, [2, 0, 1]] + [0.013, 0.017, 0.16]
    return [
        Cloth(lower, triangles, cotton(8), name="Sheet"),
        Cloth(upright, triangles, cotton(8), name="Strip"),
    ]


def in_a_box():
    """A ball, a cloth and a cord that fall on each other inside of a box."""
    points, triangles = grid(6, 0.4)
    string, edges = chain(12, 0.03)
    cord = Material(
        thickness=0.004,
        density=0.02,
        youngs_modulus=1e6,
        damping=2e-3,
        collision_thickness=0.006,
        self_contact=True,
    )
    return [
        ball([0.0, 0.0, 0.18]),
        Cloth(points + [-0.2, -0.2, 0.4], triangles, cotton(12)),
        Rod(string + [-0.17, 0.02, 0.45], edges, cord),
        Box([-0.25, -0.25, 0.0], [0.25, 0.25, 2.0]),
    ]


CONTACT = {
    "ball on plane": lambda: scene(ball([0, 0, 0.3]), Plane([0, 0, 0]), frames=24),
    "ball on sphere": lambda: scene(
        ball([0.02, 0.01, 0.25]), Sphere([0, 0, -0.5], 0.5), frames=12, friction=0.8
    ),
    "ball on ground": lambda: scene(
        ball([0, 0, 0.25], velocities=[1.0, 0.0, 0.0]), use_ground=True, frames=16
    ),
    "cube on mesh": lambda: scene(cube([0.0, 0.0, 0.1]), floor(), frames=24),
    "visible surface on mesh": lambda: scene(visible_ball(0.2), floor(), frames=16),
    "visible surface on plane": lambda: scene(visible_ball(0.2), Plane([0, 0, 0]), frames=16),
    "lifted": lambda: scene(cube([-0.1, -0.1, 0.05]), lifted(), frames=12),
    "cloth on ball": lambda: scene(*cloth_on_ball(), frames=10),
    "two balls": lambda: scene(*thrown_balls(), gravity=WEIGHTLESS, frames=10),
    "stack": lambda: scene(*stacked(), frames=16),
    "in a box": lambda: scene(*in_a_box(), frames=14),
    "stack, line search": lambda: scene(*stacked(), frames=8, line_search=True),
    "stack, Chebyshev": lambda: scene(*stacked(), frames=8, acceleration=0.9),
    "stack, plain sweeps": lambda: scene(*stacked(), frames=8, coarse_correction=False),
    "two balls, one iteration": lambda: scene(*thrown_balls(), gravity=WEIGHTLESS, iterations=1),
    "bad start": lambda: scene(*pierced(), frames=24),
}
