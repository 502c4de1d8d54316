# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of the experiments with contact, small enough for tests by default; SI units.

All but `flattened` start free of intersections, and no two surfaces are nearer than the contact
distance, which is the sum of the thicknesses on both sides.
"""

from dataclasses import dataclass

import numpy as np

from vbd.benchmarks.experiments import contact_shapes as shapes
from vbd.benchmarks.experiments.figures import surface
from vbd.benchmarks.experiments.quasistatic_scenes import block
from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid, points_at
from vbd.solver.settings import Material, Settings

SELF_CONTACT = {"self_contact": True}
# Collision thickness as a fraction of the length of an edge.
THICK = 0.15
FRAME = 1.0 / 30.0
# Rods are shown and tested as tubes that are thinner than their contact distance, by this factor.
SHOWN_ROD, ROD_SIDES = 0.6, 6


@dataclass(frozen=True)
class Scene:
    """Bodies and colliders, settings, number of frames, and a direction of view."""

    bodies: list
    settings: Settings
    frames: int
    view: tuple[float, float] = (25.0, 20.0)
    """Azimuth and elevation [degrees]."""
    focus: float | None = None
    """Pictures show this much [m] round the origin, or everything."""

    @property
    def deformable(self):
        return [body for body in self.bodies if not isinstance(body, Collider)]

    @property
    def colliders(self):
        return [body for body in self.bodies if isinstance(body, Collider)]

    def surfaces(self, positions, frame, rod=SHOWN_ROD):
        """(points, triangles) of all deformable bodies, then of all colliders, in one frame.

        Rods are tubes with a radius of `rod` times their thickness.
        """
        found = []
        for body, points in zip(self.deformable, positions, strict=True):
            points = np.asarray(points, dtype=np.float64)
            if isinstance(body, Solid):
                found.append((points, surface(body.tets)))
            elif isinstance(body, Cloth):
                found.append((points, body.triangles))
            else:
                radius = rod * body.material.collision_thickness
                found.append(shapes.tube(points, radius, ROD_SIDES))
        now = frame * self.settings.frame_time
        for body in self.colliders:
            found.append((points_at(body.name, body.points, frame, now), body.triangles))
        return found


def how(substeps=4, iterations=20, **others):
    """Settings of a scene, with defaults for cloth."""
    settings = {"frame_time": FRAME, "collision_stiffness": 1e3, "friction": 0.3, **others}
    return Settings(substeps=substeps, iterations=iterations, **settings)


def cotton(edge, **others):
    """A material for cloth whose edges have the length `edge` [m]."""
    stiffness = {"youngs_modulus": 2e5, "bending_stiffness": 2e-6, "damping": 1e-3}
    cloth = {"density": 0.2, "collision_thickness": THICK * edge, **stiffness, **SELF_CONTACT}
    return Material(**{**cloth, **others})


def rubber(edge, **others):
    """A material for solids whose surface has edges of the length `edge` [m]."""
    solid = {"youngs_modulus": 5e4, "poisson_ratio": 0.4, "density": 1000.0, "damping": 2e-3}
    return Material(**{**solid, "collision_thickness": THICK * edge, **others})


def edge_length(points, tets):
    """Median length [m] of the edges of the surface of a body."""
    corners = points[surface(tets)]
    return float(np.median(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)))


def unit_size(points):
    """Points moved to the origin and scaled to a largest extent of 1 m."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (points - 0.5 * (low + high)) / (high - low).max()


def floor(size=4.0, height=0.0, friction=None):
    """A square that faces up, as a collider."""
    points, triangles = shapes.sheet((1, 1), (size, size))
    return Collider(points + [0.0, 0.0, height], triangles, friction=friction, name="Floor")


def eased(time, duration):
    """From 0 to 1 within a duration, starting and ending at rest."""
    share = np.clip(time / duration, 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def twisted_beams(cells=(40, 2, 2), turns=2.0, duration=3.0):
    """Two beams side by side, wound round each other by their ends.

    `turns` is that of one end against the other. (330, 11, 11) cells make 2 × 47,664 vertices.
    """
    points, tets = block(cells, (4.0, 0.2, 0.2))
    points -= [2.0, 0.1, 0.1]
    edge = 4.0 / cells[0]
    ends = np.flatnonzero(np.abs(points[:, 0]) > 2.0 - 1e-9)
    bodies = []
    for name, y in (("Left", -1.0), ("Right", 1.0)):
        start = points + [0.0, y * (0.1 + 1.5 * THICK * edge), 0.0]

        def led(time, start=start):
            angle = np.pi * turns * eased(time, duration) * np.sign(start[ends, 0])
            return shapes.turned_about_x(start[ends], angle)

        material = rubber(edge, youngs_modulus=1e5, **SELF_CONTACT)
        bodies.append(Solid(start, tets, material, Pins(ends, led), name=f"{name} Beam"))
    settings = how(iterations=30, gravity=(0.0, 0.0, 0.0), collision_stiffness=1e4)
    return Scene(bodies, settings, round(duration / FRAME))


def incline(friction=0.5, angle=20.0, frames=30):
    """A cube on a slope of an angle [degrees], whose coefficient is that of floor and cube."""
    points, tets = block((3, 3, 3), (0.3, 0.3, 0.3))
    thickness = THICK * 0.1
    tilt = np.radians(angle)
    turn = np.array(
        [[np.cos(tilt), 0.0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]]
    )
    plane = floor(2.4, friction=friction)
    slope = Collider(plane.points @ turn.T, plane.triangles, friction, name="Slope")
    start = (points + [-0.15, -0.15, thickness]) @ turn.T
    material = rubber(0.1, youngs_modulus=1e6, friction=friction)
    body = Solid(start, tets, material, rest_points=points, name="Cube")
    settings = how(10, 100, collision_stiffness=1e5, friction_velocity=0.005)
    return Scene([body, slope], settings, frames, (0.0, 5.0))


def into_a_box(mesh=None, count=4, friction=0.3, frames=60):
    """`count` copies of a body (points, tets) fall into a box; by default small jacks of six arms.

    The mesh of the paper is octopus_5k.
    """
    points, tets = mesh or shapes.jack(1.0)
    points = 0.5 * unit_size(points)
    size, edge = np.ptp(points, axis=0), edge_length(points, tets)
    bodies = []
    for k in range(count):
        side = 0.05 * np.array([np.cos(2.0 * k), np.sin(2.0 * k), 0.0])
        up = [0.0, 0.0, (0.6 + 1.1 * k) * size[2]]
        spin = shapes.turned_about_x(points[:, [2, 0, 1]], 0.4 * k)[:, [1, 2, 0]]
        material = rubber(edge, youngs_modulus=3e4, friction=friction, **SELF_CONTACT)
        bodies.append(Solid(spin + side + up, tets, material, rest_points=points, name=f"Body {k}"))
    room = 1.3 * np.hypot(size[0], size[1])
    box, triangles = shapes.open_box((room, room, 1.5 * size[2]), 0.1 * room)
    walls = Collider(box, triangles, friction=friction, name="Box")
    return Scene(
        [*bodies, walls], how(friction=friction, collision_stiffness=1e4), frames, (25, 35)
    )


def pile(meshes=None, container=None, frames=75, view=(25.0, 30.0)):
    """Bodies (points, tets), a cloth and a rod fall into a container (points, triangles).

    By default balls, jacks and blocks into a box. Bodies are scaled to a size of 0.3 m, and the
    opening of the container, of 0.8 m or more, is round its highest point on the z axis.
    """
    if meshes is None:
        meshes = [shapes.ball(1.0, 1, 2), shapes.jack(1.0, 1, 1), block((3, 3, 3))] * 2
    points, triangles = container or shapes.open_box((0.8, 0.8, 0.7), 0.1)
    top = points[:, 2].max()
    bodies = []
    for k, (mesh, tets) in enumerate(meshes):
        mesh = 0.3 * unit_size(mesh)
        angle = 2.5 * k
        at = [0.17 * np.cos(angle), 0.17 * np.sin(angle), top + 0.2 + 0.33 * k]
        material = rubber(edge_length(mesh, tets), **SELF_CONTACT)
        bodies.append(Solid(mesh + at, tets, material, name=f"Body {k}"))
    top += 0.33 * len(meshes) + 0.2
    sheet, faces = shapes.sheet((14, 14), (0.5, 0.5))
    bodies.append(Cloth(sheet + [0.0, 0.0, top], faces, cotton(0.5 / 14), name="Sheet"))
    rod, edges = (
        shapes.even(np.array([[-0.3, 0.0, top + 0.1], [0.3, 0.05, top + 0.1]]), 25),
        line(25),
    )
    bodies.append(Rod(rod, edges, cord(0.6 / 24), name="Cord"))
    settings = how(collision_stiffness=5e3)
    return Scene([*bodies, Collider(points, triangles, name="Container")], settings, frames, view)


def line(count):
    """Edges of a chain [count − 1, 2]."""
    index = np.arange(count)
    return np.stack([index[:-1], index[1:]], axis=1)


def cord(edge, **others):
    """A material for rods with edges of the length `edge` [m]; thicker than cloth."""
    rod = {"thickness": 0.004, "density": 0.02, "youngs_modulus": 1e7, "damping": 2e-3}
    return Material(**{**rod, "collision_thickness": 0.25 * edge, **SELF_CONTACT, **others})


def stack(densities=(100.0, 200000.0), youngs_modulus=1e7, stiffness=1e6, cells=3, frames=60):
    """Cubes of 0.4 m on each other, the lowest first; by default 2000 times the mass on top."""
    points, tets = block((cells, cells, cells), (0.4, 0.4, 0.4))
    points -= [0.2, 0.2, 0.0]
    edge = 0.4 / cells
    thickness = THICK * edge
    bodies = [
        Solid(
            points + [0.0, 0.0, thickness + k * (0.4 + 2.0 * thickness)],
            tets,
            rubber(edge, youngs_modulus=youngs_modulus, density=density),
            name=f"Cube {k}",
        )
        for k, density in enumerate(densities)
    ]
    settings = how(8, 60, collision_stiffness=stiffness, friction=0.5)
    return Scene([*bodies, floor()], settings, frames, (25.0, 10.0))


def stack_of_ten(frames=300):
    """Ten cubes of the same rubber, for ten seconds."""
    return stack([500.0] * 10, youngs_modulus=1e7, cells=2, frames=frames)


def colliding_balls(speed=2.0, offset=0.15, frames=30):
    """Two balls meet in free space, not quite head on."""
    points, tets = shapes.ball(0.3)
    edge, settings = edge_length(points, tets), how(collision_stiffness=1e4, gravity=(0, 0, 0))
    bodies = [
        Solid(
            points + [0.5 * side, 0.0, 0.5 * offset * side],
            tets,
            rubber(edge, damping=0.0),
            velocities=[-speed * side, 0.0, 0.0],
            name=f"Ball {side:+d}",
        )
        for side in (-1, 1)
    ]
    return Scene(bodies, settings, frames, (0.0, 10.0))


def released(mesh=None, stretch=2.5, frames=60):
    """A body (points, tets), stretched along z and released; the paper's mesh is bunny_small."""
    points, tets = mesh or shapes.jack(1.0)
    points = unit_size(points)
    edge = edge_length(points, tets)
    material = rubber(edge, collision_thickness=0.5 * THICK * edge, **SELF_CONTACT)
    start = points * [1.0, 1.0, stretch]
    body = Solid(start, tets, material, rest_points=points, name="Released")
    settings = how(gravity=(0.0, 0.0, 0.0), collision_stiffness=1e4)
    return Scene([body], settings, frames)


def flattened(mesh=None, frames=60):
    """A body (points, tets) that begins in the plane z = 0; that of the paper is armadillo_15k."""
    points, tets = mesh or shapes.ball(0.5)
    points = unit_size(points)
    edge = edge_length(points, tets)
    material = rubber(edge, collision_thickness=0.5 * THICK * edge, **SELF_CONTACT)
    start = points * [1.0, 1.0, 0.0]
    body = Solid(start, tets, material, rest_points=points, name="Flattened")
    settings = how(gravity=(0.0, 0.0, 0.0), collision_stiffness=1e4)
    return Scene([body], settings, frames)


def sphere(radius=0.3, center=(0.0, 0.0, 0.0), subdivisions=3):
    """A round collider."""
    points, triangles = shapes.icosphere(subdivisions, radius)
    return Collider(points + np.array(center), triangles, name="Sphere")


def layers(count=10, cells=19, size=1.0, gap=0.03, frames=60):
    """Sheets above each other fall on a sphere over a floor; they are turned by some degrees."""
    points, triangles = shapes.sheet((cells, cells), (size, size))
    bodies = []
    for k in range(count):
        c, s = np.cos(0.15 * k), np.sin(0.15 * k)
        start = points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        up = [0.0, 0.0, 0.4 + gap * k]
        bodies.append(Cloth(start + up, triangles, cotton(size / cells), name=f"Layer {k}"))
    return Scene([*bodies, sphere(), floor(height=-0.4)], how(), frames)


def cloth_on_sphere(cells=24, frames=60):
    """One sheet."""
    return layers(1, cells, frames=frames)


def cloth_on_cloth(cells=20, frames=60):
    """A sheet held at its corners catches another one."""
    points, triangles = shapes.sheet((cells, cells), (1.0, 1.0))
    corners = np.flatnonzero((np.abs(points[:, :2]) > 0.5 - 1e-9).all(axis=1))
    held = Cloth(points, triangles, cotton(1.0 / cells), Pins(corners), name="Held")
    c, s = np.cos(0.6), np.sin(0.6)
    small = 0.7 * points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    falling = Cloth(small + [0.0, 0.0, 0.15], triangles, cotton(0.7 / cells), name="Falling")
    return Scene([held, falling], how(), frames)


def towel(cells=(48, 16), turns=3.0, approach=0.2, duration=4.0, rest=0.5):
    """A cloth of 1.2 m twisted by both ends, which come nearer by a fraction of the length.

    The ends rest for another `rest` [s].
    """
    points, triangles = shapes.sheet(cells, (1.2, 0.4))
    ends = np.flatnonzero(np.abs(points[:, 0]) > 0.6 - 1e-9)
    side = np.sign(points[ends, 0])

    def led(time):
        share = eased(time, duration)
        moved = points[ends] * [1.0 - approach * share, 1.0, 1.0]
        return shapes.turned_about_x(moved, np.pi * turns * share * side)

    material = cotton(1.2 / cells[0])
    body = Cloth(points, triangles, material, Pins(ends, led), name="Towel")
    return Scene([body], how(6, 30), round((duration + rest) / FRAME))


def knot(count=120, length=2.4, slack=10.0, duration=3.0):
    """An overhand knot pulled tight by the ends of a cord.

    The ends stop when the cord is longer than the distance between them by `slack` edges.
    """
    points = shapes.overhand(count, length)
    edge = length / (count - 1)
    ends = np.array([0, 1, count - 2, count - 1])
    span = points[-1, 0] - points[0, 0]
    pull = 0.5 * (length - slack * edge - span)

    def led(time):
        away = np.sign(points[ends, :1]) * [pull * eased(time, duration), 0.0, 0.0]
        return points[ends] + away

    body = Rod(points, line(count), cord(edge), pins=Pins(ends, led), name="Cord")
    settings = how(8, 40, gravity=(0.0, 0.0, 0.0))
    return Scene([body], settings, round((duration + 0.5) / FRAME), (20.0, 40.0), 0.35)


def squeezed_ball(subdivisions=2, shells=4, hole=0.75, duration=3.0):
    """A soft ball whose kinematic core pulls it through a ring, narrower than it by a factor."""
    radius, minor = 0.3, 0.08
    points, tets = shapes.ball(radius, subdivisions, shells)
    core = np.flatnonzero(np.linalg.norm(points, axis=1) < radius * 1.5 / shells)
    start = points + [0.0, 0.0, radius + 2.5 * minor]

    def led(time):
        return start[core] - [0.0, 0.0, 2.0 * (radius + 2.5 * minor) * eased(time, duration)]

    material = rubber(edge_length(points, tets), youngs_modulus=3e4, **SELF_CONTACT)
    body = Solid(start, tets, material, Pins(core, led), rest_points=points, name="Ball")
    ring = Collider(*shapes.torus(hole * radius + minor, minor), name="Ring")
    settings = how(6, 30, gravity=(0.0, 0.0, 0.0), collision_stiffness=1e4)
    return Scene([body, ring], settings, round((duration + 0.3) / FRAME), (25.0, 15.0))


def closing(cells=24, gap=8.0, duration=2.0):
    """A meandering cloth between two plates that close to `gap` times its thickness.

    Its tangent has the angle 1.3 rad · sin(2π s/λ) at arc length s: bent, but not stretched.
    """
    flat, triangles = shapes.sheet((2 * cells, cells), (1.2, 0.6))
    material = cotton(0.6 / cells)
    way = np.linspace(-0.6, 0.6, 4001)
    angle = 1.3 * np.sin(2.0 * np.pi * way / 0.4)
    step = way[1] - way[0]
    x, z = (np.cumsum(turn(angle)) * step for turn in (np.cos, np.sin))
    x, z = x - x.mean(), z - 0.5 * (z.max() + z.min())
    start = np.stack(
        [np.interp(flat[:, 0], way, x), flat[:, 1], np.interp(flat[:, 0], way, z)], axis=1
    )
    open_gap = np.ptp(z) + 0.05
    plate, faces = shapes.cuboid((2.0, 2.0, 0.1))

    def plate_at(side):
        def points(time):
            share = eased(time, duration)
            between = (1.0 - share) * open_gap + share * gap * material.collision_thickness
            return plate + [0.0, 0.0, side * 0.5 * (between + 0.1)]

        return Collider(points, faces, name="Upper Plate" if side > 0 else "Lower Plate")

    body = Cloth(start, triangles, material, rest_points=flat, name="Cloth")
    settings = how(6, 30, friction=0.1)
    plates = [plate_at(-1), plate_at(1)]
    return Scene([body, *plates], settings, round((duration + 0.5) / FRAME), (10.0, 10.0))


def sleeve(sides=28, angle=100.0, radius=0.1, duration=2.0, rest=1.0):
    """A sleeve on an arm that bends at the elbow by an angle [degrees]; it is held at its top.

    The arm rests for another `rest` [s].
    """
    elbow, loose = 0.36, 1.25 * radius
    edge = 2.0 * np.pi * loose / sides
    arm, along = np.linspace(-0.6, 0.9, 51), np.arange(-0.35, 0.65, edge)

    def bent_arm(time):
        centers = shapes.bent(arm, np.radians(angle) * eased(time, duration), elbow)
        return shapes.tube(centers, radius, 24)[0]

    _, faces = shapes.tube(shapes.bent(arm, 0.0, elbow), radius, 24)
    points = shapes.rings(shapes.bent(along, 0.0, elbow), loose, sides)
    triangles = shapes.grid_triangles(len(along), sides, around=True)
    body = Cloth(points, triangles, cotton(edge), Pins(np.arange(sides)), name="Sleeve")
    collider = Collider(bent_arm, faces, name="Arm")
    return Scene([body, collider], how(6, 30), round((duration + rest) / FRAME), (-10.0, 15.0))


def twisted_beams_large():
    """2 × 47,664 vertices, as many as in the paper."""
    return twisted_beams((330, 11, 11))


def octopi(folder):
    """Four octopi in a box."""
    return into_a_box(shapes.read_tets(folder, "octopus_5k"))


def bunny(folder):
    """A stretched bunny is released."""
    return released(shapes.read_tets(folder, "bunny_small"))


def armadillo(folder):
    """An armadillo that begins flat."""
    return flattened(shapes.read_tets(folder, "armadillo_15k"))


def teapot(folder, names=("cube", "bunny_small", "teapot", "octopus_5k", "cube", "bunny_small")):
    """Bunnies, an octopus, cubes and a small teapot, or other `names`, fall into a large teapot."""
    points, tets = shapes.read_tets(folder, "teapot_container")
    meshes = [shapes.read_tets(folder, name) for name in names]
    return pile(meshes, (1.2 * points, surface(tets)), view=(25.0, 65.0))


def small_teapot(folder):
    """A bunny and two cubes fall into a large teapot."""
    return teapot(folder, ("cube", "bunny_small", "cube"))


SCENES = {
    build.__name__: build
    for build in (
        twisted_beams,
        incline,
        into_a_box,
        pile,
        stack,
        stack_of_ten,
        colliding_balls,
        released,
        flattened,
        cloth_on_sphere,
        cloth_on_cloth,
        layers,
        towel,
        knot,
        squeezed_ball,
        closing,
        sleeve,
        twisted_beams_large,
    )
}
# These take the folder of the paper's meshes.
SCENES_OF_MESHES = {
    build.__name__: build for build in (octopi, bunny, armadillo, teapot, small_teapot)
}
