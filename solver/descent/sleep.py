# SPDX-License-Identifier: GPL-3.0-or-later
"""Sleep of the scene: while all bodies are at rest, substeps are skipped."""

import warp as wp

from ..kernels.groups import sleep as kernels
from ..model.stage import Stage
from ..scene.drivers import Drivers


class Sleep(Stage):
    """Decides on the device whether the next substep is solved: `is_awake`.

    A scene wakes at the start of a frame in which anything changes that moves it; `rest` counts how
    long bodies have been at rest.
    """

    state_name = "sleep"

    def __init__(self, model, kinematic, rest):
        super().__init__(model)
        self.rest, scene = rest, model.assembly
        driving = kinematic, scene, model.gravity, model.fields, model.pressures
        self.drivers = Drivers(*driving, model.surface.body)
        self.is_awake = wp.ones(1, dtype=int, device=model.device)
        inputs, outputs = [rest.steps, rest.enough], [self.is_awake]
        self.decide = model.launches.record(kernels.decide, len(rest.steps), inputs, outputs)
        self.saved = {"is_awake": self.is_awake, "place": rest.place, "steps": rest.steps}
        self.saved["bodies"] = model.asleep
        self.saved["vertices"] = model.contact_model.state.asleep

    @staticmethod
    def is_needed(model):
        """Return whether a scene may sleep: not without inertia, where every frame is solved for
        itself.
        """
        return model.settings.sleep and not model.settings.quasistatic

    def begin_frame(self, _frame, time):
        """Wake what is driven in this frame."""
        driven = self.drivers.of_bodies(time - self.model.settings.frame_time, time)
        driven |= self.model.changing
        if self.model.rigid:
            driven |= self.model.rigid.mask(self.model.rigid.moved)
        if driven.any():
            self.rest.wake(driven)
        if driven.any() or self.drivers.any_collider():
            self.is_awake.fill_(1)

    def end_step(self):
        """Decide whether the scene sleeps from now on."""
        self.rest.count()
        self.is_awake.zero_()
        self.decide()

    def skip(self):
        """Skip a substep: nothing moves. The end of the frame refreshes all pairs, as after a
        restart.
        """
        self.model.velocity.zero_()
        self.model.last_velocity.zero_()
        if self.model.rigid:
            self.model.rigid.stop()
        if self.model.contact is not None:
            self.model.contact.forget()
