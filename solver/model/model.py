# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene on the device: one set of Warp arrays for all bodies."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..elements import records
from ..kernels import vertex
from ..kernels.contact.law import ContactLaw
from ..kernels.elements import records as layout
from ..kernels.elements.damping import Damping
from ..scene.embedding import Followers, upload_embedding
from ..scene.gravity import Gravity
from .augmentation import AttachmentRows, spring_penalty

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
    `inertial` of what is kinematic is where it should be at the end of the step.

    `contact` are the lists of contacts, None where no surfaces can touch. `revision` rises when
    arrays of elements or masses have been replaced. `inherited` are arrays [vertex] that a
    duplicate takes over from its vertex when cloth tears.

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

    def __init__(self, assembly, settings, surface, bounds, launches, gravity=None):
        self.launches, self.device, self.settings = launches, launches.device, settings
        self.assembly, self.surface, self.bounds = assembly, surface, bounds
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
        self.inherited = [self.x, self.x_start, self.velocity, self.last_velocity]
        self.standing = wp.zeros(self.vertex_count, dtype=int, device=self.device)
        self.touched = wp.zeros(self.vertex_count, dtype=int, device=self.device)
        self.rejected = wp.zeros(self.vertex_count, dtype=int, device=self.device)

        self._augment(assembly, settings)
        self._make_elements(assembly, h)
        self.law = ContactLaw()
        self.law.slip = settings.friction_velocity * h
        self.law.damping = settings.collision_damping / h
        self.objective = vertex.Objective()
        self._weigh()
        self.objective.inertial = self.inertial
        self.objective.x_start = self.x_start
        self.objective.elements = self.elements
        self.parts = self._parts()
        self.kernels = vertex.vertex_kernels(self.parts)
        self.objective.attachments = self.attachments.struct
        self.objective.bounds = bounds
        self.objective.law = self.law
        self.objective.embedding = upload_embedding(
            surface.points, surface.hidden, self.led_end, self.upload
        )

        self.contact, self.revision = None, 0
        self.followers = Followers(self, launches.threads)

    def upload(self, values, dtype):
        return wp.array(np.asarray(values), dtype=dtype, device=self.device)

    def _augment(self, assembly, settings):
        """Multipliers of attachments and stiff springs. Relaxed, they would grow."""
        self.attachments = AttachmentRows(assembly, settings, self.device)
        self.spring_penalty = spring_penalty(assembly, settings)
        self.spring_multiplier = wp.zeros(len(self.spring_penalty), dtype=float, device=self.device)
        self.augmented = np.zeros(self.vertex_count, dtype=bool)
        self.augmented[assembly.springs.corners[self.spring_penalty > 0.0]] = True
        self.augmented[assembly.attachments.corners[self.attachments.penalty > 0.0]] = True
        omega = np.where(self.augmented, 1.0, settings.sweep_relaxation)
        self.relaxation = self.upload(omega, float)

    def _weigh(self):
        """Inertia and load of every vertex from its mass."""
        mass, still = self.assembly.mass, self.settings.quasistatic
        inertia = mass * (not still) / self.settings.step_time**2
        self.objective.inertia = self.upload(inertia, float)
        self.objective.load = self.upload(self._load(), wp.vec3)

    def _load(self):
        """The weight [N] of every vertex where it is no part of the inertia."""
        return self.assembly.mass[:, None] * self.gravity.now * self.settings.quasistatic

    def pull(self, fraction):
        """Let gravity be what it is after a fraction of the frame."""
        if self.gravity.varies:
            self.gravity.move(fraction)
            self.objective.load.assign(self._load().astype(np.float32))

    def renew(self):
        """Take over elements and masses that have changed in the assembly."""
        self._make_elements(self.assembly, self.settings.step_time)
        self.objective.elements = self.elements
        self._weigh()
        self.revision += 1

    @property
    def revisions(self):
        """Changes when arrays that launches may have been recorded with have been replaced."""
        return self.revision, 0 if self.contact is None else self.contact.revision

    @property
    def carried(self):
        """Arrays that a sweep changes, contacts apart."""
        rows = self.attachments
        return [
            self.x,
            rows.multiplier,
            rows.struct.pull,
            self.spring_multiplier,
            self.elements.spring_rest,
        ]

    @property
    def candidate(self):
        """Where new positions go: x itself, or an array of its own where contact truncates them."""
        return self.x if self.contact is None else self.contact.candidate

    def commit(self, first, last):
        """Move the vertices from `first` to `last` to their candidates, as far as contact allows,
        and embedded points after them.
        """
        if self.contact is None:
            self.followers.follow(first, last)
        else:
            self.contact.settle(first, last)

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

    def _parts(self):
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
            vertex.ATTACHMENTS: self.attachments.count,
            vertex.CONTACTS: self.surface.can_touch,
            vertex.EMBEDDED: len(self.surface.points),
            vertex.BOUNDS: len(self.bounds.kind),
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
