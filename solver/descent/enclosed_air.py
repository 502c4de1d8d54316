# SPDX-License-Identifier: GPL-3.0-or-later
"""Air inside closed cloth: the pressure of a constant amount of air follows its volume; a given
pressure may vary in time.
"""

import numpy as np
import warp as wp

from ..elements.pressure import enclosures, pressure_at
from ..kernels.descent import enclosed_air as kernels
from ..model.chunks import chunked
from ..model.stage import RecordedStage

# Rough cost of a triangle [ns].
COST = 5.0


class EnclosedAir(RecordedStage):
    """Updates the pressure of enclosures: by volume after every iteration, and by time."""

    state_name = "enclosed_air"

    def __init__(self, model):
        self.enclosures, gauge, self.sizes = make_enclosures(model)
        self.pressure = model.upload(gauge, float)
        self.compliance = wp.clone(self.enclosures.inertial)
        self.residual = wp.zeros_like(self.pressure)
        self.chunks = wp.zeros(len(self.sizes), dtype=wp.float64, device=model.device)
        self.saved = {"pressure": self.pressure, "compliance": self.compliance}
        self.keeps = bool(model.assembly.elements["pressure"].keeps.any())
        self.body, self.gauge = bodies_of(model.assembly), gauge
        self.start, self.end = wp.clone(self.pressure), wp.clone(self.pressure)
        super().__init__(model)

    @staticmethod
    def is_needed(model):
        """Return whether any cloth keeps its amount of air, or has a pressure that varies."""
        pressed = model.assembly.elements.get("pressure")
        return pressed is not None and bool((pressed.keeps | pressed.varies).any())

    def record(self):
        record, rest = self.model.launches.record, self.model.tables["pressure"].struct.rest
        self.rest = rest
        inputs = [self.enclosures, self.model.x]
        self.add_up = record(
            kernels.add_volumes, len(self.sizes), inputs, [self.chunks], COST * self.sizes
        )
        inputs = [self.enclosures, self.chunks]
        outputs = [self.pressure, self.compliance, self.residual, rest]
        self.press = record(kernels.press_on, len(rest), inputs, outputs)
        volume, gauge = self.enclosures.volume, self.enclosures.gauge
        inputs = [self.start, self.end, self.model.fraction, volume]
        self.change = record(kernels.change_pressures, len(rest), inputs, [gauge, self.pressure])

    def begin_frame(self, _frame, time):
        """Read the pressures at both ends of the frame."""
        if self.model.pressures:
            self.start.assign(self._at(time - self.model.settings.frame_time))
            self.end.assign(self._at(time))

    def _at(self, time):
        """Return the pressure [Pa] of every enclosure at a time [s], where it varies."""
        now = self.gauge.astype(np.float32)
        for body, pressure in self.model.pressures:
            value = pressure_at(pressure, time)
            now[self.body == body] = value
        return now

    def begin_step(self):
        """Begin with the pressure at the end of the last substep."""
        self.residual.zero_()
        if self.model.pressures:
            self.change()
        wp.copy(self.rest, self.pressure)

    def after_sweep(self):
        if self.keeps:
            self.add_up()
            self.press()


def bodies_of(assembly):
    """Return the number of the body of each enclosure, [enclosure]."""
    of, count = enclosures(assembly.elements["pressure"].corners)
    body = np.zeros(count, dtype=int)
    body[of] = assembly.owner["pressure"]
    return body


def make_enclosures(model):
    """Return the `Enclosures` of a model, their pressures [Pa], and the triangles per chunk."""
    scene, upload = model.assembly, model.upload
    pressed = scene.elements["pressure"]
    of, count = enclosures(pressed.corners)
    order, start, _owner, first = chunked(of, count)
    gauge, keeps, volume = np.zeros(count), np.zeros(count, dtype=bool), np.zeros(count)
    gauge[of], keeps[of], volume[of] = pressed.pressure, pressed.keeps, pressed.volume
    made = kernels.Enclosures()
    made.corners = upload(pressed.corners[order].astype(np.int32), wp.vec3i)
    made.start = upload(start.astype(np.int32), int)
    made.first = upload(first.astype(np.int32), int)
    made.volume = upload(np.where(keeps, volume, 0.0), float)
    made.gauge = upload(gauge, float)
    made.inertial = upload(inertial_compliance(model, pressed.corners, of, count), float)
    return made, gauge, np.diff(start)


def inertial_compliance(model, corners, of, count):
    """Return Σ |∂V/∂x_i|² h²/m_i [m³/Pa] at rest: the change of volume per pressure in a step if
    only inertia holds the vertices.
    """
    points, mass = model.assembly.rest_points[corners], model.assembly.mass
    normal = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]) / 6.0
    slope = np.zeros((len(mass), 3))
    for k in range(3):
        np.add.at(slope, corners[:, k], normal)
    of_vertex = np.zeros(len(mass), dtype=int)
    of_vertex[corners] = of[:, None]
    share = (slope**2).sum(axis=1) * model.settings.step_time**2 / np.maximum(mass, 1e-12)
    return np.bincount(of_vertex, share, minlength=count)
