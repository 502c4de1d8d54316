# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m generated --seed 1 --examples 100000`, in the folder of the tests."""

import argparse
import faulthandler
from pathlib import Path

from .hunting import hunt


def main():
    parser = argparse.ArgumentParser(prog="generated", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=1000, help="how many inputs")
    parser.add_argument("--steps", action="store_true", help="solve sound scenes as well")
    parser.add_argument("--common", action="store_true", help="only what compiles few kernels")
    parser.add_argument("--keep", type=Path, help="folder for inputs with faults")
    options = parser.parse_args()
    import warp as wp

    wp.config.quiet = True
    faulthandler.enable()
    last = options.keep and options.keep / f"{options.seed}_last.json"
    found, counts = hunt(options.seed, options.examples, options.steps, options.common, last=last)
    for number, (kind, text) in enumerate(found.items()):
        print(kind)
        if options.keep:
            (options.keep / f"{options.seed}_{number}.json").write_text(text + "\n")
    print(f"seed {options.seed}: {dict(counts)}, {len(found)} kinds of faults")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
