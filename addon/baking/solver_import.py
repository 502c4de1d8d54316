# SPDX-License-Identifier: GPL-3.0-or-later
"""Warp and the solver, imported in a thread, so that Blender does not wait a second or two."""

from importlib import import_module
from threading import Thread


class _Import(Thread):
    """Imports the modules of a bake and starts Warp. It never touches Blender."""

    error = None

    def __init__(self):
        super().__init__(name="vbd-import", daemon=True)

    def run(self):
        try:
            warp = import_module("warp")
            # Warp prints its devices and modules; users want to see their frames.
            warp.config.log_level = warp.LOG_WARNING
            warp.init()
            import_module("...solver.simulate", __package__)
        except BaseException as error:
            self.error = error  # raised by the main thread


def importing(wait):
    """Import the solver: yields at least every `wait` seconds until it is ready, and at least once.

    If closed early, the import finishes by itself; the next call finds its result.
    """
    thread = _Import()
    thread.start()
    yield
    while thread.is_alive():
        thread.join(wait)
        yield
    if thread.error is not None:
        raise thread.error


def pick_device(choice):
    """The solver's device for AUTO, CPU or CUDA; refuses CUDA where there is none."""
    return import_module("...solver.simulate", __package__).pick_device(choice.lower())
