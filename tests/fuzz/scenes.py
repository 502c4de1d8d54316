# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes in which everything starts apart, aligned on purpose half of the time."""

from dataclasses import dataclass, replace

import numpy as np
from shapes import block, box, bumpy_ball, cell_box, chain, grid, in_cells, plane, rotation

from vbd.solver.bodies import Cells, Cloth, Collider, Pins, Rod, Solid
from vbd.solver.scene.analytic_colliders import Bowl, Box, Plane, Sphere
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings

# Substeps of a scene: enough to fall, to hit and to press.
SUBSTEPS = (6, 24)
TET = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class Scene:
    """What `simulate` is given, and what it is in words; `travel` [m] is how far animation goes."""

    name: str
    bodies: list
    settings: Settings
    frames: int
    travel: float = 0.0

    def without(self, number):
        """The same without one body and what is attached to it."""
        gone = self.bodies[number]
        left = [
            body
            for body in self.bodies
            if body is not gone
            and not (isinstance(body, Attachment) and gone in (body.body, body.other))
        ]
        return replace(self, bodies=left)


def make_scene(seed, index):
    """The scene of this number, always the same."""
    return _Maker(np.random.default_rng([seed, index])).scene()


class _Maker:
    """Makes one scene; lengths are in units of `size` until bodies are made of them."""

    def __init__(self, random):
        self.random = random
        self.size = 10.0 ** self.uniform(-3.0, 3.0)
        self.aligned = self.chance(0.5)
        self.frames, self.settings = self._settings()
        self.frame_time = self.settings.frame_time
        self.bodies, self.travel = [], 0.0
        # A few kinds of bodies in one scene: kernels are compiled for each combination of them.
        self.family = self.pick(["tets", "tets", "tets", "cells", "lattice", "sheets", "mixed"])

    # What chance decides.

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
            more = {"accuracy": 0.01}
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

    def scene(self):
        layout = self.pick(
            [
                self.stack,
                self.stack,
                self.edges,
                self.slot,
                self.press,
                self.drag,
                self.throw,
                self.throw,
                self.twist,
                self.sheets,
                self.loops,
                self.pile,
            ]
        )
        layout()
        words = ["aligned" if self.aligned else "askew", self.family, f"{self.size:.2g} m"]
        name = f"{layout.__name__} ({', '.join(words)})"
        return Scene(name, self.bodies, self.settings, self.frames, self.travel * self.size)

    # Bodies.

    def material(self, **more):
        thickness = self.pick([0.0, 0.0, self.size * 10.0 ** self.uniform(-5.0, -1.5)])
        stiffness = 10.0 ** self.uniform(3.0, 11.0)
        return Material(
            youngs_modulus=stiffness,
            poisson_ratio=self.pick([0.0, 0.3, 0.45]),
            density=10.0 ** self.uniform(1.0, 4.0),
            thickness=0.003 * self.size,
            bending_stiffness=min(self.pick([0.0, 2e-9 * stiffness * self.size**3]), 1e9),
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
        material = self.material(self_contact=shape in (Cloth, Rod) and self.chance(0.5))
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

    def collider(self, mesh, turn=None, shift=(0.0, 0.0, 0.0), path=None):
        """Add a collider; `path` [frame, 3] is where it goes, in sizes."""
        points, triangles = mesh
        points = points @ (np.eye(3) if turn is None else turn).T + shift
        if path is not None:
            points = points[None] + path[:, None, :]
            self.travel += np.abs(path).max() * 2.0
        thickness = self.pick([0.0, 0.0, 1e-3 * self.size])
        self.bodies.append(
            Collider(points * self.size, triangles, thickness=thickness, name=self.name("Collider"))
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
            kind = self.pick([kind, "sheet", "rod"])
        if self.family == "sheets":
            kind = self.pick([kind, "sheet", "sheet"])
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
            self.bodies.append(Bowl((here + [0.0, 0.0, 19.5]) * size, 20.0 * size))
            self.bodies.append(Plane(here * size, (0.0, 0.1, 1.0)))

    def attach(self):
        """Perhaps tie a body to a point that is led, or break off."""
        if not self.chance(0.15):
            return
        body = self.pick([b for b in self.bodies if hasattr(b, "elements")])
        k = int(self.random.integers(len(body.points)))
        way = self.uniform(-1.0, 1.0, 3) * self.size
        points = [body.points[[k]] + way * f / self.frames for f in range(self.frames + 1)]
        self.travel += 2.0
        stiffness = min(body.material.youngs_modulus * self.size, 1e12)
        self.bodies.append(Attachment(body, [k], stiffness, points=points))

    # Layouts.

    def stack(self):
        """Boxes above each other."""
        count, turn = int(self.random.integers(2, 6)), rotation((0.0, 0.0, 1.0), 0.0)
        height, gap = self.gap(), self.gap()
        self.floor(0.0)
        if self.aligned:
            turn = rotation((0.0, 0.0, 1.0), self.pick([0.0, 0.0, np.pi / 4.0]))
        quiet = {"velocities": None} if self.chance(0.7) else {}
        shape, points, elements = self.solid()
        for _ in range(count):
            aside = np.zeros(2) if self.chance(0.5) else self.shift()
            if not self.aligned:
                turn = rotation((0.0, 0.0, 1.0), self.pick([1e-6, 1e-3, self.uniform(0.0, 3.0)]))
            if self.family == "lattice" and self.chance(0.5):
                self.ball((*(aside + 0.5), height + 0.5))
            else:
                self.add(shape, points, elements, turn, (*aside, height), **quiet)
            height += 1.0 + gap
        self.attach()

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

    def edges(self):
        """Wedges, bars and tets whose edges lie along each other."""
        shape = self.pick([wedge, bar])
        points, elements = shape()
        angle, tilt = 0.0, 0.0
        if not self.aligned:
            angle, tilt = (self.pick([0.0, 1e-6, 1e-4, 3e-3, 0.1]) for _ in range(2))
        elif self.chance(0.3):
            angle = 0.5 * np.pi
        turn = rotation((0.0, 1.0, 0.0), tilt) @ rotation((0.0, 0.0, 1.0), angle)
        low = points * [1.0, -1.0, -1.0]
        if self.chance(0.5):
            self.collider((low, boundary(elements)))
        else:
            pins = Pins(np.arange(len(low))) if self.chance(0.5) else None
            self.add(Solid, low, elements, np.eye(3), np.zeros(3), pins, velocities=None)
        shift = [self.pick([0.0, 0.05, 0.25, 0.5]), 0.0, self.gap() + abs(tilt)]
        fast = np.array([0.0, 0.0, -self.size / self.frame_time * self.pick([0.0, 0.1, 1.0])])
        self.add(Solid, points, elements, turn, shift, velocities=fast)

    def slot(self):
        """A body between two walls that leave it hardly any room."""
        gap = self.pick([1e-6, 1e-5, 1e-4, 1e-2]) if self.aligned else self.uniform(0.0, 0.1) + 1e-4
        shape, points, elements = self.pick(
            [(Solid, TET, np.array([[0, 1, 2, 3]])), self.solid(), self.solid((1, 1, 1))]
        )
        fast = (
            self.uniform(-1.0, 1.0, 3) * self.size / self.frame_time * self.pick([0.0, 0.05, 1.0])
        )
        self.add(shape, points, elements, np.eye(3), np.zeros(3), velocities=fast)
        for x in (-0.5 - 0.5 * gap, 1.5 + 0.5 * gap):
            kind = self.pick(["block", "sheet", "solid"])
            middle = np.array([x, 0.5, 0.0])
            if kind == "block":
                self.collider(block((1.0, 4.0, 4.0), middle))
            elif kind == "sheet":
                mesh, triangles = plane(4.0)
                face = x + (0.5 if x < 0.0 else -0.5)
                self.collider((mesh[:, [2, 0, 1]], triangles), shift=(face, 0.5, 0.0))
            else:
                rest, tets = box((1, 2, 2), (1.0, 2.0, 2.0))
                low = middle - [0.5, 1.0, 1.0]
                pins = Pins(np.flatnonzero(rest[:, 0] == (0.0 if x < 0.0 else 1.0)))
                self.add(Solid, rest, tets, np.eye(3), low, pins, velocities=None)

    def press(self):
        """Boxes between a floor and a plate that comes down and goes aside."""
        count = int(self.random.integers(1, 4))
        shape, points, elements = self.solid()
        gap = self.pick([1e-3, 1e-2])
        turn = rotation((0.0, 0.0, 1.0), self.pick([0.0, 0.3]) if not self.aligned else 0.0)
        for k in range(count):
            low = gap + k * (1.0 + gap)
            aside = self.shift() if not self.aligned else np.zeros(2)
            if self.family == "lattice":
                self.ball((*(aside + 0.5), low + 0.5))
            else:
                self.add(shape, points, elements, turn, (*aside, low), velocities=None)
        if self.chance(0.5):
            self.collider(plane(6.0), shift=(0.5, 0.5, 0.0))
        else:
            self.settings = replace(self.settings, use_ground=True, ground_height=0.0)
        top = gap + count * (1.0 + gap)
        part = np.arange(self.frames + 1)[:, None] / self.frames
        way = self.uniform(0.1, 0.8) * count
        path = -way * part * [0.0, 0.0, 1.0] + part * [self.pick([0.0, 0.5]), 0.0, 0.0]
        plate = self.pick([plane(3.0), block((3.0, 3.0, 0.5), (0.0, 0.0, 0.25))])
        tilt = rotation((1.0, 0.0, 0.0), 0.0 if self.aligned else self.uniform(0.0, 0.1))
        lift = 1.5 * abs(tilt[2, 1])
        self.collider(plate, tilt, np.array([0.5, 0.5, top + lift]), path)

    def drag(self):
        """A body held at some vertices is led through or against others."""
        shape, points, elements = self.solid()
        part = np.arange(self.frames + 1)[:, None, None] / self.frames
        pins = np.flatnonzero(points[:, 2] == points[:, 2].max())
        if self.chance(0.3):
            pins = np.arange(len(points))
        way = np.array([self.uniform(0.3, 3.0), self.pick([0.0, self.uniform(-1.0, 1.0)]), 0.0])
        targets = (points[pins] + part * way) * self.size
        self.travel += 2.0 * np.abs(way).max()
        self.add(shape, points, elements, np.eye(3), np.zeros(3), Pins(pins, targets))
        x = 1.0
        for _ in range(int(self.random.integers(1, 4))):
            gap = self.gap()
            if self.family == "sheets" and self.chance(0.5):
                rest, triangles = grid(3, 1.0)
                held = Pins([0, 3, 12, 15]) if self.chance(0.6) else None
                self.add(Cloth, rest[:, [2, 0, 1]], triangles, np.eye(3), (x + gap, 0.0, 0.0), held)
                x += gap
            elif self.chance(0.2):
                self.collider(block((1.0, 1.0, 1.0), (x + gap + 0.5, 0.5, 0.5)))
                x += gap + 1.0
            else:
                self.add(*self.solid(), np.eye(3), (x + gap, 0.0, 0.0), velocities=None)
                x += gap + 1.0
        self.floor(-1e-3)

    def throw(self):
        """Two or three bodies fly at each other."""
        count = self.pick([2, 2, 3])
        speed = self.size / self.frame_time * self.pick([0.05, 0.3, 1.0, 5.0])
        aside = self.shift()
        for k in range(count):
            shape, rest, elements = self.body()
            turn = self.turn()
            turned = rest @ turn.T
            low, high = turned.min(axis=0), turned.max(axis=0)
            middle = 0.5 * (low + high)
            if self.aligned:
                middle = low
            reach = self.gap()
            along = [0.0, -1.0, 1.0][k] if count == 3 else [-1.0, 1.0][k]
            place = np.array([along * (1.0 + reach), 0.0, 0.0]) - middle
            if not self.aligned:
                place[0] = along * (0.9 + reach) - middle[0]
            place[1:] += aside * (k % 2)
            if along == 0.0:
                place[0] = -low[0] - 0.5
            elif self.aligned:  # face to face
                place[0] = along * (0.5 + reach) - (high if along < 0.0 else low)[0]
            v = -along * np.array([1.0, 0.0, 0.0]) * speed
            if not self.aligned:
                v = v + self.uniform(-0.1, 0.1, 3) * speed
            pins = Pins([0, len(rest) - 1]) if shape is Cloth and self.chance(0.4) else None
            self.add(shape, rest, elements, turn, place, pins, velocities=v)
        if self.chance(0.3):
            self.floor(-3.0)
        self.attach()

    def twist(self):
        """Bars or sheets, both ends of which are turned against each other."""
        count, frames = self.pick([1, 2]), self.frames
        angle = self.uniform(0.2, 1.5) * frames
        for k in range(count):
            if self.family in ("sheets", "mixed"):
                rest, elements = grid(4)
                shape = Cloth
            else:
                shape, (rest, elements) = Solid, box((4, 1, 1), (1.0, 0.25, 0.25))
            place = np.array([0.0, 0.0, k * (0.25 + self.gap())])
            left, right = (np.flatnonzero(rest[:, 0] == end) for end in (0.0, 1.0))
            middle = np.array([0.0, *rest.mean(axis=0)[1:]]) + place
            targets = []
            for f in range(frames + 1):
                ends = [
                    (rest[at] + place - middle)
                    @ rotation((1.0, 0.0, 0.0), s * angle * f / frames).T
                    + middle
                    for at, s in ((left, -0.5), (right, 0.5))
                ]
                targets.append(np.concatenate(ends) * self.size)
            pins = Pins(np.concatenate([left, right]), targets)
            self.add(shape, rest, elements, np.eye(3), place, pins, velocities=None)
            self.travel += 2.0
        if self.chance(0.5):
            self.floor(-self.pick([1e-3, 0.1]))

    def sheets(self):
        """Sheets exactly above each other, on something."""
        self.family = self.pick(["sheets", "mixed"])
        cells, height = int(self.random.integers(1, 6)), self.gap()
        kind = self.pick(["floor", "box", "block", "sphere"])
        if kind == "floor":
            self.floor(0.0)
        elif kind == "box":
            self.add(*self.solid(), np.eye(3), (0.0, 0.0, -1.0), velocities=None)
        elif kind == "block":
            self.collider(block((0.5, 0.5, 1.0), (0.5, 0.5, -0.5)))
        else:
            self.bodies.append(Sphere(self.size * np.array([0.5, 0.5, -0.6]), 0.6 * self.size))
        gap = self.gap()
        for _ in range(int(self.random.integers(1, 5))):
            turn, shift = np.eye(3), np.zeros(2)
            if not self.aligned:
                turn, shift = rotation((0.0, 0.0, 1.0), self.uniform(0.0, 3.0)), self.shift()
            rest, triangles = grid(cells)
            pins = None
            if self.chance(0.2):
                pins = Pins([0, cells])
            if self.family == "mixed" and self.chance(0.3):
                points, edges = chain(5, 0.25)
                self.add(Rod, points, edges, turn, (*shift, height), pins)
            else:
                self.add(Cloth, rest, triangles, turn, (*shift, height), pins)
            height += gap
        self.attach()

    def loops(self):
        """Rings of rods around each other, or above each other."""
        self.family = "mixed"
        count = int(self.random.integers(3, 12))
        angle = 2.0 * np.pi * np.arange(count) / count
        ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)]) * 0.5
        edges = np.column_stack([np.arange(count), (np.arange(count) + 1) % count])
        speed = self.size / self.frame_time * self.pick([0.1, 1.0])
        linked, height = self.chance(0.5), 0.0
        for k in range(int(self.random.integers(2, 5))):
            turn, place = np.eye(3), np.array([0.0, 0.0, height])
            if linked:
                turn = rotation((1.0, 0.0, 0.0), 0.5 * np.pi * (k % 2))
                place = np.array([0.55 * k, 0.0, 0.0])
                if not self.aligned:
                    place += self.uniform(-0.05, 0.05, 3)
            v = speed * self.uniform(-1.0, 1.0, 3)
            self.add(Rod, ring, edges, turn, place, velocities=v)
            height += self.pick([1e-3, 0.1])
        if self.chance(0.3):
            self.add(*self.solid(), np.eye(3), (-0.5, -0.5, height + 0.1))

    def pile(self):
        """All kinds of bodies at the places of a grid."""
        for k in self.random.permutation(8)[: int(self.random.integers(2, 6))]:
            corner = np.array([k & 1, k >> 1 & 1, k >> 2])
            if self.family == "lattice" and self.chance(0.5):
                self.ball(0.5 + corner * 1.02)
                continue
            shape, rest, elements = self.body()
            turned = rest @ (turn := self.turn()).T
            low, high = turned.min(axis=0), turned.max(axis=0)
            scale = min(1.0, 1.0 / (high - low).max())
            self.add(shape, rest * scale, elements, turn, corner * 1.01 - low * scale)
        self.floor(-self.gap())
        self.attach()


def boundary(tets):
    """The faces of tets that belong to one only."""
    from vbd.solver.contact.surface import boundary_triangles

    return boundary_triangles(tets)


def bar():
    """A bar of a unit along x that lies on one of its long edges."""
    points, tets = box((4, 1, 1), (1.0, 0.1, 0.1))
    points = (points - [0.5, 0.05, 0.05]) @ rotation((1.0, 0.0, 0.0), np.pi / 4.0).T
    return points - [0.0, 0.0, points[:, 2].min()], tets


def wedge():
    """The same of a wedge, its edge down."""
    points = [[x, y, z] for y, z in ((0.0, 0.0), (-0.1, 0.2), (0.1, 0.2)) for x in (-0.5, 0.5)]
    return np.array(points), np.array([[0, 4, 2, 1], [2, 4, 3, 1], [4, 5, 3, 1]])
