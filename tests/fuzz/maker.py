# SPDX-License-Identifier: GPL-3.0-or-later
"""Random components of scenes: settings, bodies, colliders."""

from dataclasses import replace

import numpy as np
from shapes import (
    block,
    box,
    bumpy_ball,
    cell_box,
    chain,
    grid,
    in_cells,
    plane,
    rotation,
    wedge,
)

from vbd.solver.bodies import Cells, Cloth, Collider, RigidBody, Rod, Solid
from vbd.solver.bodies.rigid import OF_MATERIAL
from vbd.solver.scene.analytic_colliders import Box, Plane, Sphere
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.topology.meshes import boundary_triangles

# Substeps of a scene: enough to fall, to hit and to press.
SUBSTEPS = (6, 24)
TET = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


class Maker:
    """Makes bodies of a scene; lengths are in units of `size` until a body is complete."""

    def __init__(self, *seeds):
        self.random = np.random.default_rng(seeds)
        self.size = 10.0 ** self.uniform(-3.0, 3.0)
        self.aligned = self.chance(0.5)
        self.frames, self.settings = self._settings()
        self.frame_time = self.settings.frame_time
        self.bodies, self.travel = [], 0.0
        # Every second scene has rigid bodies; what else it has does not depend on that.
        self.rigid = np.random.default_rng([*seeds, 1])
        self.has_rigid = self.rigid.random() < 0.5
        if self.has_rigid:  # their motion is all inertia
            self.settings = replace(self.settings, quasistatic=False)
        # Kernels are compiled for each combination of kinds of bodies: there are few of these.
        self.family = self.pick(["tets", "tets", "tets", "cells", "lattice", "mixed"])

    # Random choices.

    def uniform(self, low, high, *shape):
        return self.random.uniform(low, high, *shape)

    def chance(self, part):
        return self.random.random() < part

    def pick(self, choices):
        return choices[self.random.integers(len(choices))]

    def _settings(self):
        substeps = self.pick([1, 2, 4, 4, 8])
        steps = self.random.integers(*SUBSTEPS)
        frame_time = self.pick([1.0 / 24.0, 1.0 / 24.0, 1.0 / 60.0, 0.2])
        per_frame = self.size / frame_time
        gravity = np.array([0.0, 0.0, -self.pick([9.81, 0.3 * per_frame, 0.03 * per_frame])])
        if self.chance(0.1):
            gravity[0] = -0.7 * gravity[2]
        more = {}
        if self.chance(0.1):
            more = {"acceleration": 0.9}
        elif self.chance(0.1):
            more = {"accuracy": 0.0}
        elif self.chance(0.03):
            more = {"line_search": True}
        settings = Settings(
            frame_time=frame_time,
            substeps=substeps,
            iterations=self.pick([1, 2, 3, 5, 10, 20, 20, 40]),
            gravity=tuple(gravity),
            collision_stiffness=10.0 ** self.uniform(2.0, 9.0),
            friction=self.pick([0.0, 0.4, 1.0]),
            damping=self.pick([0.0, 0.0, 0.01]),
            coarse_correction=not self.chance(0.2),
            initial_guess=self.pick(
                ["adaptive", "adaptive", "inertia_acceleration", "inertia", "previous"]
            ),
            collision_interval=self.pick([1, 3, 5, 5, 10]),
            relaxation=self.pick([1.0, 1.5, 1.5, 1.9]),
            quasistatic=self.chance(0.03),
            threads=1,
            **more,
        )
        return int(np.ceil(steps / substeps)), settings

    # Bodies.

    def material(self, **more):
        thickness = self.pick([0.0, 0.0, self.size * 10.0 ** self.uniform(-5.0, -1.5)])
        stiffness = 10.0 ** self.uniform(3.0, 11.0)
        return Material(
            youngs_modulus=stiffness,
            poisson_ratio=self.pick([0.0, 0.3, 0.45]),
            density=10.0 ** self.uniform(1.0, 4.0),
            thickness=0.003 * self.size,
            bending_stiffness=min(self.pick([1e-12, 2e-9]) * stiffness * self.size**3, 1e9),
            friction=self.pick([None, 0.0, 0.5]),
            collision_thickness=thickness,
            **more,
        )

    def velocities(self, points):
        """None, or a common velocity with some spin, up to a size per frame."""
        if self.chance(0.5):
            return None
        speed = self.size / self.frame_time * self.pick([0.01, 0.1, 1.0])
        spin = self.pick([0.0, 1.0]) * self.uniform(-1.0, 1.0, 3) / self.frame_time
        middle = points.mean(axis=0)
        return speed * self.uniform(-1.0, 1.0, 3) + np.cross(spin, points - middle)

    def name(self, word):
        return f"{word} {len(self.bodies)}"

    def add(self, shape, rest, elements, turn, shift, pins=None, **more):
        """Add a body of a shape, the rest points of which are turned and shifted."""
        rest = np.asarray(rest, dtype=np.float64) * self.size
        points = rest @ np.asarray(turn).T + np.asarray(shift) * self.size
        more.setdefault("velocities", self.velocities(points))
        touches_itself = self.chance(0.5 if shape in (Cloth, Rod) else 0.2)
        material = self.material(self_contact=touches_itself)
        if pins is None and self.becomes_rigid(shape):
            return self.add_rigid(shape, points, elements, material, more["velocities"])
        body = shape(
            points,
            elements,
            material,
            rest_points=rest,
            pins=pins,
            name=self.name(shape.__name__),
            **more,
        )
        self.bodies.append(body)
        return body

    def becomes_rigid(self, shape):
        """Return whether a body without pins is rigid instead of deformable."""
        part = {Solid: 0.7, Cells: 0.7, Cloth: 0.3, Rod: 0.0}[shape]
        return self.has_rigid and self.rigid.random() < part

    def add_rigid(self, shape, points, elements, material, velocities):
        """Add a rigid body in place of a deformable one: its boundary, or a shell."""
        triangles = elements if shape is Cloth else boundary_triangles(elements)
        used, numbers = np.unique(triangles, return_inverse=True)
        velocity, spin = np.zeros(3), np.zeros(3)
        if velocities is not None:
            velocity = np.atleast_2d(velocities).mean(axis=0)
            spin = self.rigid.choice([0.0, 1.0, 5.0]) * self.rigid.uniform(-1.0, 1.0, 3)
        body = RigidBody(
            points[used],
            numbers.reshape(-1, 3),
            Material(**{name: getattr(material, name) for name in OF_MATERIAL}),
            thickness=0.01 * self.size if shape is Cloth else None,
            velocity=velocity,
            angular_velocity=spin / self.frame_time,
            name=self.name("Rigid"),
        )
        self.bodies.append(body)
        return body

    def collider(self, mesh, turn=None, shift=(0.0, 0.0, 0.0), path=None):
        """Add a collider; `path` [frame, 3] is its displacement, in sizes."""
        points, triangles = mesh
        points = points @ (np.eye(3) if turn is None else turn).T + shift
        if path is not None:
            points = points[None] + path[:, None, :]
            self.travel += np.abs(path).max() * 2.0
        thickness = self.pick([0.0, 0.0, 1e-3 * self.size])
        self.bodies.append(
            Collider(points * self.size, triangles, thickness=thickness, name=self.name("Collider"))
        )

    def ball(self, middle):
        """A bumpy ball of diameter 1 in a lattice of cells."""
        points, triangles = bumpy_ball(self.size, rows=5)
        points = points - 0.5 * (points.min(axis=0) + points.max(axis=0))
        points = points / np.ptp(points, axis=0).max() * self.size * 0.999
        points = points + np.asarray(middle) * self.size
        velocities = np.zeros(3)
        if self.chance(0.5):
            velocities = self.uniform(-0.3, 0.3, 3) * self.size / self.frame_time
        self.bodies.append(
            in_cells(
                points,
                triangles,
                3,
                self.material(),
                velocities=velocities,
                name=self.name("Lattice"),
            )
        )

    def solid(self, cells=None, size=(1.0, 1.0, 1.0)):
        """(shape, rest, elements) of a box from the origin."""
        cells = cells or self.pick([(1, 1, 1), (1, 1, 1), (2, 2, 2), (1, 2, 1)])
        if self.family == "cells" and len(set(np.array(size) / np.array(cells))) == 1:
            return (Cells, *cell_box(cells, size))
        return (Solid, *box(cells, size))

    def body(self):
        """(shape, rest, elements) of anything about a unit large."""
        kind = self.pick(["box", "box", "tet", "bar", "wedge"])
        if self.family == "mixed":
            kind = self.pick([kind, "sheet", "sheet", "rod"])
        if kind == "tet":
            return Solid, TET, np.array([[0, 1, 2, 3]])
        if kind == "bar":
            return self.solid((4, 1, 1), (1.0, 0.25, 0.25))
        if kind == "wedge":
            return Solid, *wedge()
        if kind == "sheet":
            return Cloth, *grid(int(self.random.integers(1, 5)))
        if kind == "rod":
            count = int(self.random.integers(2, 8))
            return Rod, *chain(count, 1.0 / (count - 1))
        return self.solid()

    def turn(self):
        """A rotation: none or an eighth about an axis when aligned, else nearly that, or any."""
        if self.aligned:
            angle = self.pick([0.0, 0.0, 0.0, np.pi / 4.0, np.pi / 2.0])
        else:
            angle = self.pick([1e-6, 1e-4, 1e-2, self.uniform(0.0, 3.0)])
        axis = np.eye(3)[self.random.integers(3)]
        if not self.aligned and self.chance(0.5):
            axis = self.random.standard_normal(3)
            axis /= np.linalg.norm(axis)
        return rotation(axis, angle)

    def gap(self):
        return self.pick([1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5])

    def shift(self):
        """A shift aside: none or half a size when aligned."""
        aside = self.uniform(-0.4, 0.4, 2)
        if self.aligned:
            aside = np.array([self.pick([0.0, 0.0, 0.5]), self.pick([0.0, 0.0, 0.5])])
        return aside

    def floor(self, height):
        """Something to fall on, its top at a height; or nothing."""
        kind = self.pick(["mesh", "mesh", "ground", "block", "sphere", "box", "bowl", "none"])
        size, here = self.size, np.array([0.5, 0.5, height])
        if kind == "mesh":
            turn = rotation((1.0, 0.0, 0.0), self.pick([0.0, 0.0, 0.2]))
            low = 0.0 if turn[2, 1] == 0.0 else -3.0
            self.collider(plane(8.0), turn, here + [0.0, 0.0, low])
        elif kind == "ground":
            self.settings = replace(self.settings, use_ground=True, ground_height=height * size)
        elif kind == "block":
            wide = self.pick([1.0, 1.0, 4.0])
            self.collider(block((wide, wide, 1.0), here - [0.0, 0.0, 0.5]))
        elif kind == "sphere":
            self.bodies.append(Sphere((here - [0.0, 0.0, 2.0]) * size, 2.0 * size))
        elif kind == "box":
            self.bodies.append(Box((here - [6.0, 6.0, 0.0]) * size, (here + 12.0) * size))
        elif kind == "bowl":
            points, triangles = grid(6)
            points = 12.0 * (points - points.mean(axis=0))
            points[:, 2] = (points**2).sum(axis=1) / 40.0 - 0.5
            self.collider((points, triangles), shift=here)
            self.bodies.append(Plane(here * size, (0.0, 0.1, 1.0)))

    def complete(self):
        """Add missing kinds of the family, aside, or so far off that float32 is coarser."""
        kinds = {
            "tets": [Solid],
            "cells": [Solid, Cells],
            "lattice": [Solid, Cells],
            "mixed": [Solid, Cloth, Rod],
        }[self.family]
        missing = [kind for kind in kinds if not any(type(b) is kind for b in self.bodies)]
        if sum(isinstance(b, Solid | Cells | Cloth | Rod | Collider) for b in self.bodies) == 1:
            missing.append(Solid)
        far = 10.0 ** self.uniform(1.0, 4.0) if self.chance(0.1) else 1.0
        if self.has_rigid:  # they need gaps of many roundings of their four points
            far = 1.0
        if far > 1.0 and not missing:
            missing.append(Solid)
        for k, kind in enumerate(missing):
            place = np.array([-6.0 - 3.0 * k, -5.0, 3.0]) * far
            if kind is Cells and self.family == "lattice":
                self.ball(place)
                continue
            shape = {
                Solid: (TET, np.array([[0, 1, 2, 3]])),
                Cells: cell_box((1, 1, 1)),
                Cloth: grid(1),
                Rod: chain(2, 1.0),
            }[kind]
            self.add(kind, *shape, np.eye(3), place, velocities=None)
        if not self.settings.use_ground:
            self.bodies.append(Plane((0.0, 0.0, -1e3 * far * self.size)))
        if self.family != "tets":
            self.settings = replace(self.settings, damping=0.0, line_search=False)

    def attach(self):
        """Perhaps tie a body to a kinematic point, or break off."""
        if self.family in ("cells", "lattice") or not self.chance(0.2):
            return
        body = self.pick([b for b in self.bodies if hasattr(b, "elements")])
        places = getattr(body, "mesh_points", body.points)
        k = int(self.random.integers(len(places)))
        way = self.uniform(-1.0, 1.0, 3) * self.size
        points = [places[[k]] + way * f / self.frames for f in range(self.frames + 1)]
        self.travel += 2.0
        stiffness = min(body.material.youngs_modulus * self.size, 1e12)
        self.bodies.append(Attachment(body, [k], stiffness, points=points))
