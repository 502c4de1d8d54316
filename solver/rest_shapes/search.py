# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest shape of one body, improved step by step.

Each round, a few iterations from the modeled shape t tell how far every element wants to go. The
deformation is undone on t, element by element, and the pieces are fitted together (fitting.py).
Anderson's method (1965) mixes the last of these shapes. The error is the distance to which the
iterations move a vertex: zero only where t is an equilibrium.
"""

import numpy as np

from ..bodies import Cells
from .fitting import Fit
from .gradients import gradients_of, material_shares

# Accepted error over the size of a body, and the number of shapes that are mixed.
GOAL, WINDOW = 1e-4, 5
# An error of this factor times the least one means that the last step was too long.
FARTHER = 1.5
# No element may rest with less than this part of its modeled size, or more than the other.
LEAST, MOST = 0.02, 20.0
# Steps are shortened to this at least.
SHORTEST = 1e-3
# A search ends after so many rounds that have not reduced the least error by this part.
PATIENCE, PROGRESS = 6, 0.05


class RestSearch:
    """The search for the rest shape of a body; `rest` [vertex, 3] are its present rest points, and
    `points` the best ones with the `error` over the size.
    """

    def __init__(self, body):
        self.target = body.points
        self.gradients = gradients_of(body)
        self.fit = Fit(self.gradients, len(body.points), body.pins.indices)
        self.size = float(np.linalg.norm(np.ptp(body.points, axis=0)))
        self.rest = self.points = body.points.copy()
        self.error, self.ended = np.inf, False
        self._image, self._shapes, self._images, self._halved = None, [], [], 0
        self._goal, self._waited = np.inf, 0
        self._cells = isinstance(body, Cells) and (body.cells, material_shares(body))

    def way(self, x):
        """The largest distance of the positions x [vertex, 3] from the target. That of cells is
        measured in the middle of their material: corners that carry next to nothing may go far.
        """
        moved = x - self.target
        if self._cells:
            corners, shares = self._cells
            moved = np.einsum("ek,eki->ei", shares, moved[corners])
        return float(np.linalg.norm(moved, axis=1).max())

    def advance(self, x):
        """Improve the rest points by the positions x [vertex, 3] to which the iterations went."""
        if self.ended:
            return
        error = self.way(x) / self.size
        if not np.isfinite(error):
            self.ended = True
            return
        if error < GOAL:
            self.points, self.error, self.ended = self.rest, error, True
            return
        self._waited += 1
        if error < self._goal:
            self._goal, self._waited = (1.0 - PROGRESS) * error, 0
        if error < FARTHER * self.error:
            new = self._mixed(x, error)
        else:
            new = self._halfway()
        self.ended = self._waited > PATIENCE
        self._step(new)

    def _mixed(self, x, error):
        """The mix of the last shapes with that which undoes the deformation to x."""
        wanted = self.gradients.unloaded(self.rest, x)
        image = self.fit.shape(self.rest, wanted)
        self._shapes = [*self._shapes, self.rest][-WINDOW:]
        self._images = [*self._images, image][-WINDOW:]
        if error < self.error:
            self.points, self.error, self._image, self._halved = self.rest, error, image, 0
        return anderson(self._shapes, self._images)

    def _halfway(self):
        """A shorter step from the best shape."""
        self._halved += 1
        self._shapes, self._images, self.rest = [], [], self.points
        return self.rest + 0.5**self._halved * (self._image - self.rest)

    def _step(self, new):
        """Move the rest points towards `new`, as far as all elements stay sound."""
        step = 1.0
        while step > SHORTEST and not self._is_sound(self.rest + step * (new - self.rest)):
            step *= 0.5
        if step < 1.0:
            self._shapes, self._images = [], []
        self.ended = self.ended or step <= SHORTEST
        if not self.ended:
            self.rest = self.rest + step * (new - self.rest)

    def _is_sound(self, rest):
        """Return whether no element is inverted, crushed or blown up at rest."""
        least, most = self.gradients.least_and_most(rest)
        return LEAST < least and most < MOST


def anderson(shapes, images):
    """The mix of the `images` of the last shapes for which the mixed change is least."""
    changes = [image - shape for shape, image in zip(shapes, images, strict=True)]
    if len(changes) == 1:
        return images[-1]
    columns = np.column_stack([(changes[-1] - change).ravel() for change in changes[:-1]])
    shares = np.linalg.lstsq(columns, changes[-1].ravel(), rcond=1e-8)[0]
    parts = zip(shares, images[:-1], strict=True)
    return images[-1] - sum(share * (images[-1] - image) for share, image in parts)
