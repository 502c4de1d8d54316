# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes in which everything starts apart, aligned on purpose half of the time."""

from dataclasses import dataclass, replace

import numpy as np
from shapes import (
    bar,
    block,
    box,
    chain,
    grid,
    plane,
    roller,
    rotation,
    wedge,
)

from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.scene.analytic_colliders import Sphere
from vbd.solver.scene.attachments import Attachment
from vbd.solver.scene.joints import Joint
from vbd.solver.settings import Settings
from vbd.solver.topology.meshes import boundary_triangles

from .driven import Edit, driven
from .maker import TET, Maker
from .strewn import strewn


@dataclass(frozen=True)
class Scene:
    """Arguments of `simulate`, and a name in words; `travel` [m] is the reach of animation."""

    name: str
    bodies: list
    settings: Settings
    frames: int
    travel: float = 0.0
    size: float = 1.0
    edits: tuple[Edit, ...] = ()

    def without(self, number):
        """Copy of the scene without one body and those attached to it."""
        gone = self.bodies[number]
        left = [
            body
            for body in self.bodies
            if body is not gone
            and not (isinstance(body, Attachment | Joint) and gone in (body.body, body.other))
        ]
        edits = tuple(edit for edit in self.edits if edit.name != gone.name)
        return replace(self, bodies=left, edits=edits)


def make_scene(seed, index):
    """The scene of this number, always the same."""
    scene = Layouts(seed, index).scene()
    # Numbers of their own: what a layout makes does not depend on what is added to it.
    random, size = np.random.default_rng([seed, index, 2]), scene.size
    grains = strewn(random, size, scene.bodies, scene.settings)
    if grains is not None:
        scene = replace(scene, bodies=[*scene.bodies, grains])
    return driven(np.random.default_rng([seed, index, 3]), scene)


class Layouts(Maker):
    """Builds a scene by one of several layouts."""

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
                self.rollers,
            ]
        )
        layout()
        self.complete()
        words = ["aligned" if self.aligned else "askew", self.family, f"{self.size:.2g} m"]
        words += ["rigid"] * self.has_rigid
        name = f"{layout.__name__} ({', '.join(words)})"
        travel = self.travel * self.size
        return Scene(name, self.bodies, self.settings, self.frames, travel, self.size)

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
            self.collider((low, boundary_triangles(elements)))
        else:
            pins = Pins(np.arange(len(low))) if self.chance(0.5) else None
            self.add(Solid, low, elements, np.eye(3), np.zeros(3), pins, velocities=None)
        shift = [self.pick([0.0, 0.05, 0.25, 0.5]), 0.0, self.gap() + abs(tilt)]
        fast = np.array([0.0, 0.0, -self.size / self.frame_time * self.pick([0.0, 0.1, 1.0])])
        self.add(Solid, points, elements, turn, shift, velocities=fast)

    def slot(self):
        """A body between two walls that leave it hardly any space."""
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
        way = self.uniform(0.1, 1.1) * count
        path = -way * part * [0.0, 0.0, 1.0] + part * [self.pick([0.0, 0.5]), 0.0, 0.0]
        plate = self.pick([plane(3.0), block((3.0, 3.0, 0.5), (0.0, 0.0, 0.25))])
        tilt = rotation((1.0, 0.0, 0.0), 0.0 if self.aligned else self.uniform(0.0, 0.1))
        lift = 1.5 * abs(tilt[2, 1])
        self.collider(plate, tilt, np.array([0.5, 0.5, top + lift]), path)

    def drag(self):
        """A body pinned at some vertices is moved through or against others."""
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
            if self.family == "mixed" and self.chance(0.5):
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
        speed = self.size / self.frame_time * self.pick([0.05, 0.3, 1.0, 5.0, 40.0])
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
        if self.chance(0.3):
            self.blade()
        self.attach()

    def blade(self):
        """A plate that turns about an axis next to the others."""
        mesh = self.pick([plane(2.0), block((2.0, 2.0, 0.1), (0.0, 0.0, 0.0))])
        angle = self.uniform(0.05, 1.0)
        turns = [rotation((0.0, 1.0, 0.0), angle * f) for f in range(self.frames + 1)]
        points = np.stack([mesh[0] @ turn.T for turn in turns]) + [0.0, 0.0, -1.6]
        self.travel += 4.0
        self.bodies.append(Collider(points * self.size, mesh[1], name=self.name("Blade")))

    def twist(self):
        """Bars or sheets, both ends of which are turned against each other."""
        count, frames = self.pick([1, 2]), self.frames
        angle = self.uniform(0.2, 1.5) * frames
        for k in range(count):
            if self.family == "mixed":
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
        self.family = "mixed"
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
            if self.chance(0.2):
                points, edges = chain(5, 0.25)
                self.add(Rod, points, edges, turn, (*shift, height), pins and Pins([0, 4]))
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

    def rollers(self):
        """Two rollers with edges draw down the body on them."""
        count = self.pick([3, 4, 8, 12])
        gap = self.pick([1e-3, 0.05, 0.3])
        mesh, triangles = roller(count, 4.0, 0.5 * self.aligned)
        turn = self.uniform(0.02, 0.6)
        for side in (-1.0, 1.0):
            turns = [rotation((0.0, 1.0, 0.0), -side * turn * f) for f in range(self.frames + 1)]
            points = np.stack([mesh @ t.T for t in turns]) + [side * 0.5 * (1.0 + gap), 0.0, 0.0]
            self.bodies.append(
                Collider(points * self.size, triangles, 1.0, name=self.name("Roller"))
            )
        self.travel += 4.0
        if self.family == "lattice":
            self.ball((0.0, 0.0, 1.001))
        else:
            shape, rest, elements = self.body()
            turned = rest @ (turn := self.turn()).T
            low, high = turned.min(axis=0), turned.max(axis=0)
            place = -0.5 * (low + high)
            place[2] = 0.5 + self.gap() - low[2]
            self.add(shape, rest, elements, turn, place, velocities=None)

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
