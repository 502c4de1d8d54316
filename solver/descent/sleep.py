# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleep: a scene in which nothing has moved for a while is not solved until something drives it."""

import numpy as np
import warp as wp

from ..kernels.descent import sleep as kernels
from ..model.chunks import make_chunks
from ..model.stage import Stage

# A scene sleeps once no vertex has been farther than this fraction of the size of its body from
# where it was so long ago [s]. So what goes on at a constant speed, creeping or turning, sleeps
# only if it would take TIME / DISTANCE = 2,500 s for its own size; and a pendulum of two seconds,
# which has swung back within TIME, only with an amplitude below 0.07 % of it.
DISTANCE, TIME = 2e-4, 0.5
# Nor does a body sleep that gravity can turn back within TIME: it falls by g TIME²/8 on either side
# of its highest place, and moves by at most this fraction of that where it sleeps.
OF_FALL = 0.1
# Rough cost of a vertex [ns].
VERTEX = 4.0


class Sleep(Stage):
    """Decides on the device whether the next substep is solved: `is_awake`.

    A scene wakes at the start of a frame in which anything changes that moves it.
    """

    state_name = "sleep"

    def __init__(self, model, kinematic):
        super().__init__(model)
        self.kinematic, record, device = kinematic, model.launches.record, model.device
        vertices = model.assembly.vertices
        of = np.repeat(np.arange(len(vertices)), [len(mine) for mine in vertices])
        chunks = make_chunks(np.concatenate(vertices), of, len(vertices), device)
        sizes = np.array([np.ptp(model.assembly.points[mine], axis=0).max() for mine in vertices])
        distance = model.upload(self._distance(sizes)[chunks.owner.numpy()], float)
        self.is_awake = wp.ones(1, dtype=int, device=device)
        self.place = wp.clone(model.x)
        self.steps = wp.zeros(len(distance), dtype=int, device=device)
        self.saved = {"is_awake": self.is_awake, "place": self.place, "steps": self.steps}
        cost = VERTEX * np.diff(chunks.start.numpy())
        inputs, outputs = [chunks, model.x, distance], [self.place, self.steps]
        self.count_rest = record(kernels.count_rest, len(distance), inputs, outputs, cost)
        enough = int(np.ceil(TIME / model.settings.step_time))
        inputs, outputs = [self.steps, enough], [self.is_awake]
        self.decide = record(kernels.decide, len(distance), inputs, outputs)

    @staticmethod
    def is_needed(model):
        """Return whether a scene may sleep: not without inertia, where every frame is solved
        for itself.
        """
        return model.settings.sleep and not model.settings.quasistatic

    def _distance(self, sizes):
        """Return how far [body, m] bodies of these sizes [m] may move while they fall asleep."""
        distance, gravity = DISTANCE * sizes, np.linalg.norm(self.model.settings.gravity)
        if gravity > 0.0:
            distance = np.minimum(distance, OF_FALL * gravity * TIME**2 / 8.0)
        return distance

    def begin_frame(self, _frame, time):
        """Wake where anything that moves the scene changes in this frame."""
        model = self.model
        frame_time = model.settings.frame_time
        drivers = [self.kinematic.changes, model.gravity.changes, model.fields.changes]
        drivers += [p(time) != p(time - frame_time) for _body, p in model.pressures]
        drivers.append(model.attachments.shrinks_until > time - frame_time)
        if any(drivers):
            self.wake()

    def wake(self):
        """Solve the next substep, and begin to count from there."""
        self.is_awake.fill_(1)
        self.steps.zero_()

    def end_step(self):
        """Decide whether the scene sleeps from now on."""
        self.count_rest()
        self.is_awake.zero_()
        self.decide()

    def rest(self):
        """Pass a substep asleep: nothing moves. The end of the frame refreshes all pairs, as after a
        restart.
        """
        if self.model.contact is not None:
            self.model.contact.forget()
        self.model.velocity.zero_()
        self.model.last_velocity.zero_()
