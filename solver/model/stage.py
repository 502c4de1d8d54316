# SPDX-License-Identifier: GPL-3.0-or-later
"""Interface of the stages of a substep."""


class Stage:
    """A stage of a substep. It knows the model, and no other stage.

    The base class does nothing; subclasses override some methods, called in the order of step.py.
    With `is_due(iteration)`, counted from 0 as in `model.iteration`, sweep methods are called only
    in iterations that are due.

    State that passes from one substep to the next is in arrays, `saved` by name, or else `save()`
    returns it and `restore()` takes it back (descent/checkpoints.py).
    """

    def __init__(self, model):
        self.model = model

    def begin_frame(self, frame, time):
        """Begin a frame, counted from 1, that ends at a time [s] since the input state."""

    def before_step(self):
        """Act on the host, between two substeps."""

    def begin_step(self):
        """Act before the iterations of a substep."""

    def before_sweep(self):
        """Act before the sweep of an iteration."""

    def after_sweep(self):
        """Act after the sweep of an iteration."""

    def end_step(self):
        """Act after the iterations of a substep."""


class RecordedStage(Stage):
    """A stage with launches on arrays of elements or contacts, which may be replaced.

    `record()` makes the launches, at the start and whenever `renew()`, called before a substep,
    finds them out of date: within a graph, also in a branch not yet taken, nothing can be recorded.
    """

    def __init__(self, model):
        super().__init__(model)
        self.revisions = model.revisions
        self.record()

    def record(self):
        """Record all launches with the current arrays."""
        raise NotImplementedError

    def renew(self):
        """Record all launches again after an array has been replaced."""
        if self.revisions != self.model.revisions:
            self.revisions = self.model.revisions
            self.record()
