# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m long_runs --frames 10000`, in the folder of the tests."""

import argparse

import warp as wp

from .running import run
from .scenes import SCENES


def main():
    parser = argparse.ArgumentParser(prog="long_runs", description=__doc__)
    parser.add_argument("--frames", type=int, default=10000)
    parser.add_argument("--windows", type=int, default=20, help="parts that are compared")
    parser.add_argument("--only", choices=SCENES, help="this scene alone")
    options = parser.parse_args()
    wp.config.quiet = True
    found = 0
    for name in [options.only] if options.only else SCENES:
        words = "; ".join(run(name, options.frames, options.windows, print))
        print(f"{name}: {words or 'nothing drifts or grows'}", flush=True)
        found += bool(words)
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
