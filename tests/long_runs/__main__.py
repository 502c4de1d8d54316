# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m long_runs --frames 10000`, in the folder of the tests."""

import argparse

import warp as wp

from .scenes import SCENES
from .watching import faults, windows


def main():
    parser = argparse.ArgumentParser(prog="long_runs", description=__doc__)
    parser.add_argument("--frames", type=int, default=10000)
    parser.add_argument("--windows", type=int, default=20, help="parts that are compared")
    parser.add_argument("--only", choices=SCENES, help="this scene alone")
    options = parser.parse_args()
    wp.config.quiet = True
    found = 0
    for name in [options.only] if options.only else SCENES:
        scene, seen = SCENES[name], []
        for window in windows(scene.run(options.frames), options.frames // options.windows):
            seen.append(window)
            frame = (len(seen) * options.frames) // options.windows
            print(f"{name} {frame}: {_row(window, seen[min(1, len(seen) - 1)])}", flush=True)
        words = "; ".join(faults(seen, scene.size, scene.limits))
        print(f"{name}: {words or 'nothing drifts or grows'}", flush=True)
        found += bool(words)
    return int(found > 0)


def _row(window, first):
    return (
        f"moved {1e3 * window.drift(first):.4f} mm, kinetic {window.kinetic:.3g} J, "
        f"energy {window.energy:.6g} J, {window.milliseconds:.1f} ms, {window.memory:.1f} MB"
    )


if __name__ == "__main__":
    raise SystemExit(main())
