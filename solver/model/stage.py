# SPDX-License-Identifier: GPL-3.0-or-later
"""What all stages of a substep have in common."""


class Stage:
    """A part of a substep. It knows the model, and no other stage.

    By itself it does nothing; a stage does what it has of these methods, in the order of step.py.
    With `is_due(iteration)`, counted from 0 as in `model.iteration`, it does its part of the
    iterations in those alone.

    What passes from one substep to the next is in arrays, `kept` by name, or else `keep()` returns
    it and `bring_back()` takes it (keeping.py).
    """

    def __init__(self, model):
        self.model = model

    def begin_frame(self, frame, time):
        """Begin a frame, counted from 1, that ends at a time [s] since the input state."""

    def before_step(self):
        """Do what only the host can do, between two substeps."""

    def begin_step(self):
        """Do what comes before the iterations of a substep."""

    def before_sweep(self):
        """Do what comes before the sweep of an iteration."""

    def after_sweep(self):
        """Do what comes after it."""

    def end_step(self):
        """Do what comes after the iterations."""


class RecordedStage(Stage):
    """A stage with launches that hold arrays of elements or contacts, which may be replaced.

    `record()` makes them, in the beginning and whenever `renew()` finds that they are out of date,
    which is asked for before a substep: in a graph, and on ways that it takes later, none can be.
    """

    def __init__(self, model):
        super().__init__(model)
        self.revisions = model.revisions
        self.record()

    def record(self):
        """Make all launches with the arrays of now."""
        raise NotImplementedError

    def renew(self):
        """Make them anew when an array has been replaced."""
        if self.revisions != self.model.revisions:
            self.revisions = self.model.revisions
            self.record()
