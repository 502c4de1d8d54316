# SPDX-License-Identifier: GPL-3.0-or-later
"""What all stages of a substep have in common."""

VERBS = ("begin_frame", "before_step", "begin_step", "before_sweep", "after_sweep", "end_step")


class Stage:
    """A part of a substep. It knows the model, and no other stage.

    It has those of the `VERBS` that it needs: `begin_frame(frame, time)`, counted from 1 and in s
    since the input state; `before_step()`, what only the host can do; `begin_step()`;
    `before_sweep()` and `after_sweep()` of every iteration, or of those that are due where it has
    `is_due(iteration)`, counted from 0 as in `model.iteration`; and `end_step()`.

    What passes from one substep to the next is in arrays, `kept` by name, or else `keep()` returns
    it and `bring_back()` takes it (keeping.py).
    """

    def __init__(self, model):
        self.model = model


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
