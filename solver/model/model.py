# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene on the device: one set of Warp arrays for all bodies."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels import vertex
from ..scene.gravity import Gravity
from .contact_lists import ContactLists
from .contact_model import contact_model
from .tables import ElementTable, chained


@dataclass(frozen=True)
class ModelSize:
    """How big a scene is, and where it is solved."""

    device: str
    vertices: int
    tets: int
    triangles: int
    springs: int
    colors: int


class Model:
    """Positions [m], shape [vertex, 3], and everything constant, in solver order.

    Free vertices, then pinned ones (`vertex_count` in all), and behind them in `x`, `x_start` and
    `inertial` the vertices of colliders (`led_end` in all), then the embedded points of surfaces.
    `inertial` of what is led is the place it is led to.

    `work` [vertex] estimates the nanoseconds of one visit, to share a color between threads.
    """

    # Time of one visit of a vertex without its elements, on one CPU core [ns].
    VERTEX = 60.0

    def __init__(self, assembly, settings, surface, analytic, ties, launches, gravity=None):
        self.launches, self.device = launches, launches.device
        self.assembly, self.surface = assembly, surface
        self.vertex_count = len(assembly.points)
        self.free_count = assembly.free_count
        self.color_start = assembly.color_start
        self.step_time = h = settings.step_time

        self.led_end = surface.point_start
        colliders = surface.rest[surface.collider_start : surface.point_start]
        embedded = surface.points.of(assembly.points)
        self.x = self.upload(np.concatenate([assembly.points, colliders, embedded]), wp.vec3)
        self.x_start = wp.clone(self.x)
        self.inertial = wp.clone(self.x)
        self.velocity = self.upload(assembly.velocities, wp.vec3)
        self.gravity = Gravity(settings.gravity, gravity, self.device)
        # As if the bodies had been in free fall: the adaptive guess then starts with full gravity.
        before = assembly.velocities - h * self.gravity.now
        self.last_velocity = self.upload(before, wp.vec3)
        self.steady = wp.zeros(self.vertex_count, dtype=wp.vec3, device=self.device)
        self.acceleration = wp.zeros_like(self.velocity)
        self.touched = wp.zeros(self.vertex_count, dtype=int, device=self.device)
        self.rejected = wp.zeros(self.vertex_count, dtype=int, device=self.device)

        self.augmented = np.zeros(self.vertex_count, dtype=bool)
        if "springs" in assembly.elements:
            springs = assembly.elements["springs"]
            self.augmented[springs.corners[springs.penalty > 0.0]] = True
        self.augmented[assembly.attachments.corners[ties.penalty > 0.0]] = True
        self._make_elements(assembly, h)
        self.contact_model = contact_model(surface, analytic, settings, self.upload)
        self.has_analytic_colliders = len(analytic.kind) > 0
        self.objective = vertex.Objective()
        self._weigh(settings)
        self.objective.inertial = self.inertial
        self.objective.x_start = self.x_start
        self.parts = self._parts(ties)
        self.kernels = vertex.vertex_kernels(assembly.kinds, self.parts)
        self.objective.attachments = ties.struct
        self.objective.contact_model = self.contact_model
        touching = len(surface.body) if surface.can_touch else 0
        self.lists = ContactLists(self.objective.contacts, touching, self.device)

    def upload(self, values, dtype):
        return wp.array(np.asarray(values), dtype=dtype, device=self.device)

    def _weigh(self, settings):
        """Inertia and load of every vertex from its mass."""
        mass, still = self.assembly.mass, settings.quasistatic
        self.objective.inertia = self.upload(mass * (not still) / settings.step_time**2, float)
        self.objective.load = self.upload(self._load(settings), wp.vec3)

    def _load(self, settings):
        """The weight [N] of every vertex where it is no part of the inertia."""
        return self.assembly.mass[:, None] * self.gravity.now * settings.quasistatic

    def pull(self, share, settings):
        """Let gravity be what it is after a share of the frame."""
        if self.gravity.varies:
            self.gravity.move(share)
            self.objective.load.assign(self._load(settings).astype(np.float32))

    def renew(self, settings):
        """Take over elements and masses that have changed in the assembly."""
        self._make_elements(self.assembly, settings.step_time)
        self._weigh(settings)

    @property
    def size(self):
        scene = self.assembly
        return ModelSize(
            device=self.device.name if self.device.is_cuda else "CPU",
            vertices=self.vertex_count,
            tets=len(scene.tets),
            triangles=len(scene.triangles),
            springs=len(scene.edges),
            colors=len(self.color_start) - 1,
        )

    def _make_elements(self, assembly, h):
        """The tables of all elements, and the work that they make."""
        self.tables = {
            kind.name: ElementTable(kind, assembly, h, self.upload) for kind in assembly.kinds
        }
        self.elements = chained(assembly.kinds, self.tables)
        self.work = np.full(self.vertex_count, self.VERTEX)
        for table in self.tables.values():
            self.work += table.kind.cost * table.record_counts

    def _parts(self, ties):
        """Bits of what acts on vertices besides their elements."""
        others = {
            vertex.ATTACHMENTS: ties.count,
            vertex.CONTACTS: self.surface.can_touch,
            vertex.EMBEDDED: len(self.surface.points),
            vertex.ANALYTIC: self.has_analytic_colliders,
        }
        return sum(bit for bit, wanted in others.items() if wanted)

    def surface_ranges(self):
        """(first, count) of free vertices and of embedded points, where there are any."""
        ranges = (0, self.free_count), (self.led_end, len(self.surface.points))
        return [(first, count) for first, count in ranges if count]

    def positions(self):
        """Positions of every body [m], float64 [vertex, 3], in the order its points came in."""
        points = self.x.numpy().astype(np.float64) + self.assembly.origin
        return [points[place] for place in self.assembly.place]
