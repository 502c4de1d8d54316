# SPDX-License-Identifier: GPL-3.0-or-later
"""Warp and the solver, imported in a thread: that takes a second or two, and Blender goes on."""

from importlib import import_module
from threading import Thread


class _Import(Thread):
    """Imports what a bake needs and starts Warp. It never touches Blender."""

    error = None

    def __init__(self):
        super().__init__(name="vbd-import", daemon=True)

    def run(self):
        try:
            warp = import_module("warp")
            # Warp announces its devices and every module it loads; users want to see their frames.
            warp.config.log_level = warp.LOG_WARNING
            warp.init()
            import_module("...solver.simulate", __package__)
        except BaseException as error:
            self.error = error  # raised by the main thread


def importing(wait):
    """Import the solver: yields at least every `wait` seconds until it is there, and at least once.

    Closed before that it leaves the import to end by itself; the next one finds what is there.
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
