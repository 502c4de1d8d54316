# SPDX-License-Identifier: GPL-3.0-or-later
"""Model of a scene on the device: one set of Warp arrays for all bodies."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent import motion, vertex_solve
from ..lattice.embedding import Followers
from ..messages import message
from ..scene.force_fields import ExternalForces, Fields
from ..scene.gravity import Gravity
from .contact_lists import ContactLists
from .contact_model import contact_model
from .penalties import AttachmentRows
from .rigid_bodies import RigidBodies
from .tables import ElementTable, chained


@dataclass(frozen=True)
class ModelSize:
    """Size of a scene, and the device that solves it."""

    device: str
    vertices: int
    tets: int
    cells: int
    triangles: int
    springs: int
    colors: int


class Model:
    """Positions [m], shape [vertex, 3], and all constants of a scene, in solver order.

    Free vertices, then pinned ones (`vertex_count` in all), and behind them in `x`, `x_start` and
    `inertial` the vertices of colliders (`kinematic_end` in all), then embedded points of surfaces.
    `inertial` of kinematic vertices is their goal at the end of the step.

    `contact` is the `Contact` of the scene, None where no surfaces can touch. `revision` rises when
    arrays of elements or masses have been replaced. `inherited` are arrays [vertex] that a
    duplicate copies from its vertex when cloth tears.

    `changing` [body] are bodies whose material changes in this frame (descent/keyed.py).

    `work` [vertex] estimates the nanoseconds of one visit without contacts, to share a color
    between threads.
    """

    state_name = "model"

    # Time of one visit of a vertex without its elements, on one CPU core [ns].
    VERTEX = 60.0

    def __init__(self, assembly, settings, surface, analytic, launches, external_forces=None):
        self.launches, self.device, self.settings = launches, launches.device, settings
        self.assembly, self.surface = assembly, surface
        self.vertex_count = len(assembly.points)
        self.free_count = assembly.free_count
        self.color_start = assembly.color_start
        h = settings.step_time
        external_forces = external_forces or ExternalForces()
        self.pressures = external_forces.pressures

        self.kinematic_end = surface.point_start
        colliders = surface.rest[surface.collider_start : surface.point_start]
        embedded = surface.points.of(assembly.points) + surface.points.offset
        self.x = self.upload(np.concatenate([assembly.points, colliders, embedded]), wp.vec3)
        self.x_start = wp.clone(self.x)
        self.inertial = wp.clone(self.x)
        self.velocity = self.upload(assembly.velocities, wp.vec3)
        # Fraction of the frame at the end of the substep.
        self.fraction = wp.zeros(1, dtype=wp.float64, device=self.device)
        # 0 if the rest of the frame is skipped: contact lists lack capacity, or cloth must tear.
        self.frame_continues = wp.ones(1, dtype=int, device=self.device)
        self.gravity = Gravity(settings.gravity, external_forces.gravity, self.device)
        self.fields = Fields(
            external_forces.fields, assembly.origin, settings.frame_time, self.device
        )
        # As if the bodies had been in free fall: the adaptive guess then starts with full gravity.
        before = assembly.velocities - h * self.gravity.at_end
        self.last_velocity = self.upload(before, wp.vec3)
        self.steady = wp.zeros(self.vertex_count, dtype=wp.vec3, device=self.device)
        self.acceleration = wp.zeros_like(self.velocity)
        self.inherited = [self.x, self.x_start, self.velocity, self.last_velocity]
        self.standing = wp.zeros(self.vertex_count, dtype=int, device=self.device)
        self.touched = wp.zeros(self.vertex_count, dtype=int, device=self.device)
        # 1 for bodies and colliders that sleep: no collider does.
        self.asleep = wp.zeros(len(surface.may_touch), dtype=int, device=self.device)
        self.rejected = wp.zeros(self.vertex_count, dtype=int, device=self.device)
        # The number of the current iteration, from 0.
        self.iteration = wp.zeros(1, dtype=int, device=self.device)
        self._augment(assembly, settings)
        # Plastic rest values of the elements at the start of the scene, by the name of their kind.
        self.plastic = {}
        self._make_elements()
        self.contact_model = contact_model(surface, analytic, settings, self.upload)
        self.has_analytic_colliders = len(analytic.kind) > 0
        self.objective = vertex_solve.Objective()
        self._weigh()
        self.objective.inertial = self.inertial
        self.objective.x_start = self.x_start
        self.terms = self._terms()
        self.kernels = vertex_solve.vertex_kernels(assembly.kinds, self.terms, self.device.is_cpu)
        self.objective.attachments = self.attachments.struct
        self.objective.contact_model = self.contact_model
        touching = len(surface.body) if surface.can_touch else 0
        self.lists = ContactLists(self.objective.contacts, touching, self.device)

        self.contact, self.revision = None, 0
        self.changing = np.zeros(len(assembly.vertices), dtype=bool)
        self.followers = Followers(self)
        self.rigid = RigidBodies(self) if len(assembly.rigid) else None
        # Surfaces begin as their corners carry them in float32: gaps may be as small as that.
        self.followers.follow(0, self.vertex_count)

    def upload(self, values, dtype):
        """Return an array on the device; not during capture: the graph would replay the copy."""
        if self.device.is_capturing:
            raise RuntimeError("nothing can be given to the device inside of a graph")
        return wp.array(np.asarray(values), dtype=dtype, device=self.device)

    def hand_over(self, values, dtype):
        """Return an array on the device of structured values of the right type. On the CPU it is
        not copied: the caller must not use `values` any more.
        """
        return wp.array(values, dtype=dtype, device=self.device, copy=False)

    def _augment(self, assembly, settings):
        """Make the multipliers of attachments and stiff springs: over-relaxed, they would grow."""
        self.attachments = AttachmentRows(assembly, settings, self.device)
        self.augmented = np.zeros(self.vertex_count, dtype=bool)
        self.spring_penalty = np.zeros(0)
        if "springs" in assembly.elements:
            springs = assembly.elements["springs"]
            self.spring_penalty = springs.penalty
            self.augmented[springs.corners[springs.penalty > 0.0]] = True
        self.spring_multiplier = wp.zeros(len(self.spring_penalty), dtype=float, device=self.device)
        self.augmented[assembly.attachments.corners[self.attachments.penalty > 0.0]] = True
        omega = np.full(self.vertex_count, settings.sweep_relaxation)
        for kind in assembly.kinds:
            if kind.relaxation is not None:
                elements = assembly.elements[kind.name]
                limit = kind.relaxation(elements)[:, None]
                np.minimum.at(omega, elements.corners, limit)
        self.relaxation = self.upload(np.where(self.augmented, 1.0, omega), float)

    def _weigh(self):
        """Set inertia and load of every vertex from its mass."""
        mass, still = self.assembly.mass, self.settings.quasistatic
        inertia = mass * (not still) / self.settings.step_time**2
        self.objective.inertia = self.upload(inertia, float)
        # The weight [N] where it is not part of the inertial positions.
        load = mass[:, None] * self.gravity.at_end * still
        self.objective.load = self.upload(load, wp.vec3)
        self.gravity_updates = self._gravity_updates() if self.gravity.varies else []

    def _gravity_updates(self):
        """Return launches that update gravity and the load."""
        gravity, record, fraction = self.gravity, self.launches.record, self.fraction
        move = record(motion.move_gravity, 1, [gravity.ends, fraction], [gravity.now])
        if not self.settings.quasistatic:
            return [move]
        inputs = [self.upload(self.assembly.mass, wp.float64), gravity.ends, fraction]
        load = self.objective.load
        return [move, record(motion.find_weights, self.vertex_count, inputs, [load])]

    def update_gravity(self):
        """Update gravity to its value at the end of this substep."""
        play(self.gravity_updates)

    def renew(self):
        """Take over elements and masses that have changed in the assembly."""
        self._make_elements()
        self._weigh()
        self.revision += 1

    @property
    def revisions(self):
        """Revision numbers: they change when arrays of recorded launches have been replaced."""
        return self.revision, 0 if self.contact is None else self.contact.revision

    @property
    def reported(self):
        """Arrays that a frame reports: its fraction, and 0 if its rest is skipped."""
        return {"fraction": self.fraction, "frame_continues": self.frame_continues}

    @property
    def saved(self):
        """Arrays that pass from one substep to the next, except for contacts.

        Rest values changed by damping and multipliers are computed again in every substep.
        """
        motion = ("x", "x_start", "inertial", "velocity", "last_velocity", "steady")
        names = (*motion, "acceleration", "rejected", "spring_multiplier")
        rigid = self.rigid.saved if self.rigid else {}
        return {name: getattr(self, name) for name in names} | self.attachments.saved | rigid

    def save(self):
        """Return what never changes, and belongs to the state."""
        return self.assembly.layout

    def restore(self, saved):
        """Refuse arrays in another order."""
        order = self.assembly.layout["order"]
        if not np.array_equal(saved.get("order", order), order):
            raise ValueError(message("resume.numbered"))

    def on_restored(self):
        """Release broken attachments again."""
        self.attachments.release_broken()

    def add_contact(self, contact):
        """Set the `contact.Contact` that finds pairs and truncates steps."""
        self.contact = contact

    @property
    def candidate(self):
        """Array of new positions: x itself, or a separate array where contact truncates them."""
        return self.x if self.contact is None else self.contact.candidate

    def commit(self, first, last, together=False):
        """Move the vertices from `first` to `last` to their candidates, as far as contact allows,
        and let embedded points follow. Rigid bodies may move `together`.
        """
        if self.contact is None:
            self.followers.follow(first, last)
        else:
            self.contact.settle(first, last, together)

    def ranges(self):
        """Yield all ranges (first, last) of vertices that move together: colors and larger sets."""
        free, kinematic = self.free_count, self.kinematic_end
        yield from pairwise(int(start) for start in self.color_start)
        yield from ((0, free), (0, self.vertex_count), (0, kinematic), (free, kinematic))

    @property
    def size(self):
        scene = self.assembly
        return ModelSize(
            device=self.device.name if self.device.is_cuda else "CPU",
            vertices=self.vertex_count,
            tets=len(scene.tets),
            cells=len(scene.cells),
            triangles=len(scene.triangles),
            springs=len(scene.edges),
            colors=len(self.color_start) - 1,
        )

    def _make_elements(self):
        """Make the tables of all elements, and estimate their work."""
        kinds, h = self.assembly.kinds, self.settings.step_time
        for name, rest in self.plastic.items():
            columns = self.assembly.elements[name]
            flowed = rest.numpy()[columns.state]
            self.assembly.elements[name] = replace(columns, rest=flowed.astype(np.float64))
        uploads = self.upload, self.device.is_cpu, self.hand_over
        self.tables = {kind.name: ElementTable(kind, self.assembly, h, *uploads) for kind in kinds}
        for name, table in self.tables.items():
            if table.is_plastic and name not in self.plastic:
                table.columns.state = np.arange(len(table.columns))
                self.plastic[name] = self.upload(table.columns.rest, table.kind.state)
        self.elements = chained(kinds, self.tables)
        self.damped_tables = [table for table in self.tables.values() if table.is_damped]
        self.work = np.full(self.vertex_count, self.VERTEX)
        for table in self.tables.values():
            self.work += table.kind.cost * table.record_counts

    def _terms(self):
        """Return the bits of the terms of the objective besides inertia and elements."""
        terms = {
            vertex_solve.ATTACHMENTS: self.attachments.count,
            vertex_solve.CONTACTS: self.surface.can_touch,
            vertex_solve.IN_TETS: self.surface.points.width == 4,
            vertex_solve.IN_CELLS: self.surface.points.width == 8,
            vertex_solve.ANALYTIC: self.has_analytic_colliders,
        }
        return sum(bit for bit, wanted in terms.items() if wanted)

    def surface_ranges(self):
        """Return (first, count) of free vertices and of embedded points, if there are any; of both
        together if none that are kinematic come between.
        """
        free, points = self.free_count, len(self.surface.points)
        if free == self.kinematic_end:
            free, points = free + points, 0
        ranges = (0, free), (self.kinematic_end, points)
        return [(first, count) for first, count in ranges if count]

    def positions(self):
        """Return positions of all bodies [m], float64 [vertex, 3]: of rigid ones, mesh points."""
        points = self.x.numpy()[: self.vertex_count] + self.assembly.origin
        found = [points[mine] for mine in self.assembly.vertices]
        for number, (body, *pose) in (self.rigid.poses() if self.rigid else {}).items():
            found[number] = body.points_at(*pose)
        return found
