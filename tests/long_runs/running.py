# SPDX-License-Identifier: GPL-3.0-or-later
"""A long run of one scene."""

from .scenes import SCENES
from .watching import faults, settled, windows


def run(name, frames, count, said=lambda *_, **__: None):
    """Faults of a scene after so many frames, in words; each of `count` windows is `said`."""
    scene, seen, length = SCENES[name], [], frames // count
    for window in windows(scene.run(frames), length):
        seen.append(window)
        drift = 1e3 * window.drift(seen[min(settled(count), len(seen) - 1)])
        said(
            f"{name} {len(seen) * length}: moved {drift:.3g} mm, kinetic {window.kinetic:.3g} J, "
            f"energy {window.energy:.6g} J, {window.milliseconds:.1f} ms, {window.memory:.1f} MB",
            flush=True,
        )
    return list(faults(seen, scene.size, scene.limits))
