# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene on the device: one set of Warp arrays for all bodies."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..contact.contact_model import contact_model
from ..contact.contacts import ContactLists
from ..elements import records
from ..kernels import vertex
from ..kernels.elements import records as layout
from ..kernels.elements.damping import Damping
from ..scene.gravity import Gravity
from .augmentation import spring_penalty

PLURAL = {"continuum": "continua", "viscous": "viscous"}
# Kinds whose damping moves the rest value; see kernels/damping.py.
DAMPED = ("tet", "triangle", "hinge", "spring")


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

    # Nanoseconds of one visit of a vertex and of each of its records, measured on one CPU core.
    WORK = {
        "vertex": 60.0,
        "tet": 12.0,
        "continuum": 60.0,
        "viscous": 40.0,
        "triangle": 20.0,
        "stable_triangle": 20.0,
        "hinge": 30.0,
        "spring": 10.0,
    }

    def __init__(self, assembly, settings, surface, analytic, ties, launches, gravity=None):
        self.launches, self.device = launches, launches.device
        self.assembly, self.surface = assembly, surface
        self.vertex_count = len(assembly.points)
        self.free_count = assembly.free_count
        self.color_start = assembly.color_start
        h = settings.step_time

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

        self.spring_penalty = spring_penalty(assembly, settings)
        self.augmented = np.zeros(self.vertex_count, dtype=bool)
        self.augmented[assembly.springs.corners[self.spring_penalty > 0.0]] = True
        self.augmented[assembly.attachments.corners[ties.penalty > 0.0]] = True
        self._make_elements(assembly, h)
        self.contact_model = contact_model(surface, analytic, settings, self.upload)
        self.has_analytic_colliders = len(analytic.kind) > 0
        self.objective = vertex.Objective()
        self._weigh(settings)
        self.objective.inertial = self.inertial
        self.objective.x_start = self.x_start
        self.objective.elements = self.elements
        self.parts = self._parts(ties)
        self.kernels = vertex.vertex_kernels(self.parts)
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
        self.objective.elements = self.elements
        self._weigh(settings)

    @property
    def size(self):
        kinds = self.assembly
        return ModelSize(
            device=self.device.name if self.device.is_cuda else "CPU",
            vertices=self.vertex_count,
            tets=len(kinds.tets.corners),
            triangles=len(kinds.triangles.corners),
            springs=len(kinds.springs.corners),
            colors=len(self.color_start) - 1,
        )

    def _make_elements(self, assembly, h):
        """Records of all elements, their rest values, and how damping moves them."""
        count, rest = self.vertex_count, assembly.rest_points
        tets, diagonal = records.tet_records(rest, assembly.tets, h)
        kinds = {
            "tet": (layout.TetRecord, float, tets),
            "continuum": (
                layout.ContinuumRecord,
                None,
                records.continuum_records(rest, assembly.tets, h),
            ),
            "viscous": (
                layout.ViscousRecord,
                layout.vec6,
                records.viscous_records(rest, assembly.tets, h),
            ),
            "triangle": (
                layout.TriangleRecord,
                wp.vec3,
                records.triangle_records(rest, assembly.triangles, h),
            ),
            "stable_triangle": (
                layout.StableTriangleRecord,
                None,
                records.stable_triangle_records(rest, assembly.triangles, h),
            ),
            "hinge": (layout.HingeRecord, float, records.hinge_records(assembly.hinges, h, count)),
            "spring": (
                layout.SpringRecord,
                float,
                records.spring_records(assembly.springs, self.spring_penalty, h, count),
            ),
        }
        self.record_counts = {kind: len(part.data) for kind, (_, _, part) in kinds.items()}
        self.record_place = {kind: part.place for kind, (_, _, part) in kinds.items()}
        self.elements, self.damping = layout.Elements(), Damping()
        self.elements.tet_diagonal = self.upload(diagonal, float)
        self.work = np.full(count, self.WORK["vertex"])
        self.damped = any(part.share.any() for _, _, part in kinds.values())
        for kind, (struct, rest_type, part) in kinds.items():
            setattr(self.elements, f"{kind}_start", self.upload(part.start, int))
            setattr(self.elements, PLURAL.get(kind, f"{kind}s"), self.upload(part.data, struct))
            if rest_type:
                setattr(self.elements, f"{kind}_rest", self.upload(part.rest, rest_type))
            self.work += self.WORK[kind] * np.diff(part.start)
            if self.damped and kind in DAMPED:
                setattr(self.damping, f"{kind}_share", self.upload(part.share, float))
                if kind != "triangle":  # an undamped triangle rests at zero strain
                    setattr(self.damping, f"{kind}_rest", self.upload(part.rest, float))

    def _parts(self, ties):
        """Bits of the kinds of terms that the objective has."""
        bits = {
            "tet": vertex.TETS,
            "continuum": vertex.CONTINUA,
            "viscous": vertex.VISCOUS,
            "triangle": vertex.TRIANGLES,
            "stable_triangle": vertex.STABLE_TRIANGLES,
            "hinge": vertex.HINGES,
            "spring": vertex.SPRINGS,
        }
        present = (bit for kind, bit in bits.items() if self.record_counts[kind])
        others = {
            vertex.ATTACHMENTS: ties.count,
            vertex.CONTACTS: self.surface.can_touch,
            vertex.EMBEDDED: len(self.surface.points),
            vertex.ANALYTIC: self.has_analytic_colliders,
        }
        return sum(present) + sum(bit for bit, wanted in others.items() if wanted)

    def surface_ranges(self):
        """(first, count) of free vertices and of embedded points, where there are any."""
        ranges = (0, self.free_count), (self.led_end, len(self.surface.points))
        return [(first, count) for first, count in ranges if count]

    def positions(self):
        """Positions of every body [m], float64 [vertex, 3], in the order its points came in."""
        points = self.x.numpy().astype(np.float64) + self.assembly.origin
        return [points[place] for place in self.assembly.place]
