# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of the frames of a long run, and growth and drift between them."""

import gc
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# CPU time of a frame may vary that much, with what else uses the cores and their caches.
SLOWER = 2.0
# The heap of a process may grow so much by its fragments in the second half [MB].
FRAGMENTS = 8.0


@dataclass(frozen=True)
class Window:
    """Means over frames up to the last one, `index`."""

    index: int
    points: np.ndarray
    """Mean positions [m], [vertex, 3]."""
    kinetic: float
    """Kinetic energy [J]."""
    energy: float
    """Kinetic, elastic and gravitational energy, and that of contacts [J]."""
    milliseconds: float
    """Median of the CPU time of a frame."""
    memory: float
    """Memory of the process at its end [MB]."""

    def drift(self, first):
        """Largest displacement of a vertex since another window [m]."""
        return float(np.linalg.norm(self.points - first.points, axis=1).max())


def resident():
    """Resident memory of this process [MB], without garbage."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def windows(frames, length):
    """Yield a `Window` after every `length` frames."""
    while True:
        sums, kinetic, energy, seconds, frame = 0.0, [], [], [], None
        before = time.process_time()
        for _, frame in zip(range(length), frames, strict=False):
            points = np.concatenate(frame.exact_positions)
            if not np.isfinite(points).all():
                raise ValueError(f"frame {frame.index} is not finite")
            sums = sums + points
            stats = frame.stats
            kinetic.append(stats.kinetic_energy)
            kept = stats.elastic_energy + stats.gravitational_energy + stats.contact_energy
            energy.append(stats.kinetic_energy + kept)
            seconds.append(time.process_time() - before)
            before = time.process_time()
        if len(seconds) < length:
            return
        means = sums / length, float(np.mean(kinetic)), float(np.mean(energy))
        yield Window(frame.index, *means, 1e3 * float(np.median(seconds)), resident())


def settled(count):
    """Number of the window, of so many, in which all has settled: later ones are compared to it."""
    return max(1, count // 5)


def faults(seen, size, limits):
    """Growth and drift after the window in which all has `settled`, in words."""
    start = settled(len(seen))
    first, later = seen[start], seen[start + 1 :]
    drift = max(window.drift(first) for window in later)
    if drift > limits.drift * size:
        yield f"drifts by {1e3 * drift:.3g} mm"
    most = max(window.kinetic for window in later)
    if most > max(limits.motion * first.kinetic, limits.still):
        yield f"kinetic energy grows from {first.kinetic:.3g} to {most:.3g} J"
    growth = max(window.energy for window in later) - first.energy
    if growth > limits.energy:
        yield f"the energy grows by {growth:.3g} J"
    memory = seen[-1].memory - seen[len(seen) // 2].memory  # heaps settle before
    if memory > FRAGMENTS:
        yield f"memory grows by {memory:.1f} MB"
    half = len(later) // 2
    early, late = (
        np.median([w.milliseconds for w in part]) for part in ([first, *later[:half]], later[half:])
    )
    if late > SLOWER * early:
        yield f"frames take {late:.3g} ms after {early:.3g} ms"
