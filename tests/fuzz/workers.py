# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that run scenes side by side."""

import multiprocessing
import os
import queue
import time

# A scene that takes longer than this hangs [s]; the first of a process compiles kernels. One with a
# body that is drawn out over others has 70,000 pairs, and takes 50 s of a core that may be shared.
PATIENCE, FIRST = 600.0, 900.0


def work(seed, indices, results):
    """Run scenes one after another, and report their outcomes."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import warp as wp

    wp.config.quiet = True
    from fuzz.run import run_scene
    from fuzz.scenes import make_scene

    for index in indices:
        try:
            scene = make_scene(seed, index)
            outcome = run_scene(scene)
            results.put((index, scene.name, outcome))
        except Exception as error:
            results.put((index, "?", f"{type(error).__name__}: {error}"))
    results.put(None)


class Worker:
    """A process that runs scenes; one that hangs is ended, and a new one takes the next scene."""

    def __init__(self, seed, indices):
        self.seed, self.left = seed, list(indices)
        self.begin()

    def begin(self):
        context = multiprocessing.get_context("spawn")
        self.results = context.Queue()
        self.process = context.Process(target=work, args=(self.seed, self.left, self.results))
        self.process.start()
        self.limit = time.monotonic() + FIRST

    def take(self):
        """New results, as a list of (index, name, outcome)."""
        new = []
        try:
            while True:
                result = self.results.get(timeout=0.05)
                if result is None:
                    self.left = []
                    break
                new.append(result)
                self.left.remove(result[0])
                self.limit = time.monotonic() + PATIENCE
        except queue.Empty:
            pass
        died = not self.process.is_alive() and self.left and not new
        if self.left and (died or time.monotonic() > self.limit):
            self.process.terminate()
            word = "ended by itself" if died else f"hangs: no answer in {PATIENCE:g} s"
            new.append((self.left.pop(0), "?", word))
            if self.left:
                self.begin()
        return new

    def end(self):
        """End its process, even in the middle of a scene."""
        self.process.terminate()
        self.process.join()
