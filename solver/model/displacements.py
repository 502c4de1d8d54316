# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements u of vertices from their anchors, where elements see those (elements/stiffness.py).

The position x is anchor + u as far as float32 holds it, and what surfaces are compared by; u has
the digits that x rounds off. Sweeps, coarse steps and the prediction move both. Whatever else moves
x moves it alone, by more than rounding does, and u is found anew from it.
"""

import numpy as np
import warp as wp

from ..elements.stiffness import put_down
from ..kernels import displacements as kernels


class Displacements:
    """The arrays `u`, `u_start` and `u_inertial` of a model, which are its positions where no
    elements see displacements; then nothing here does anything.
    """

    def __init__(self, model):
        self.model = model
        scene = model.assembly
        of_kinds = [scene.owner[kind.name] for kind in scene.kinds if kind.from_rest]
        self.bodies = np.unique(np.concatenate([[], *of_kinds])).astype(int)
        model.sees_displacements = bool(len(self.bodies))
        self.anchor, self.renewals = wp.zeros(0, dtype=wp.vec3, device=model.device), {}
        if not model.sees_displacements:
            model.u, model.u_start, model.u_inertial = model.x, model.x_start, model.inertial
            return
        x, self.anchors = model.x.numpy(), scene.points.copy()
        for mine in [scene.vertices[number] for number in self.bodies]:
            _turn, self.anchors[mine] = put_down(scene.rest_points[mine], scene.points[mine])
        count, u = len(self.anchors), np.zeros_like(x)
        self.anchor = model.upload(np.concatenate([self.anchors, x[count:]]), wp.vec3)
        u[:count] = scene.points - self.anchors
        model.u = model.upload(u, wp.vec3)
        model.u_start, model.u_inertial = wp.clone(model.u), wp.clone(model.u)
        for first, last in {*model.ranges(), (0, len(x))}:
            self.renewals[first, last] = self._renewal(model.x, model.u, first, last)

    def _renewal(self, x, u, first, last):
        free = self.model.free_count
        inputs = [free, self.anchor, x]
        record = self.model.launches.record
        return record(kernels.follow_positions, last - first, inputs, [u], first=first)

    def renew(self, first=0, last=None):
        """Let u follow what has moved x alone, of vertices from `first` to `last`, or of all."""
        for launch in self.renewal(first, len(self.model.x) if last is None else last):
            launch()

    def renewal(self, first, last):
        """The launches that do that."""
        return [self.renewals[first, last]] if self.renewals else []

    def of(self, x):
        """The displacements of positions x, and launches that find them."""
        if not self.renewals:
            return x, []
        if x is self.model.x:
            return self.model.u, [self.renewals[0, len(x)]]
        u = wp.zeros_like(x)
        return u, [self._renewal(x, u, 0, len(x))]

    def kept_like(self, x):
        """Where u is kept while x is kept in another array."""
        return wp.clone(self.model.u) if self.renewals else x

    def ahead(self, motion, gravity, h, guess):
        """Launches that begin a step: where inertia leads to, and the guess."""
        model = self.model
        if not self.renewals:
            return []
        inputs = [gravity, h, guess, model.standing, motion]
        outputs = [model.u, model.u_start, model.u_inertial]
        count, record = model.vertex_count, model.launches.record
        return [self.renewals[0, len(model.x)], record(kernels.predict, count, inputs, outputs)]

    def coordinates(self):
        """Size [m] of the coordinates that float32 rounds, of every body; 0 of those whose
        displacements alone it rounds.
        """
        scene = self.model.assembly
        sizes = np.array([np.abs(scene.points[mine]).max() for mine in scene.vertices])
        if not self.truncates:
            sizes[self.bodies] = 0.0
        return sizes

    @property
    def truncates(self):
        """Whether x says where everything is: what may touch is kept apart by x."""
        return self.model.surface.can_touch or self.model.has_analytic_colliders

    @property
    def inherited(self):
        """What a duplicate takes over from its vertex when cloth tears."""
        model = self.model
        return [self.anchor, model.u, model.u_start] if self.renewals else []

    @property
    def kept(self):
        """What passes from one substep to the next."""
        return {"u": self.model.u} if self.renewals else {}

    def positions(self):
        """Positions [m] of all vertices relative to the origin, float64."""
        model = self.model
        if not self.renewals or self.truncates:
            return model.x.numpy()[: model.vertex_count].astype(np.float64)
        return self.anchors + model.u.numpy()[: len(self.anchors)]
