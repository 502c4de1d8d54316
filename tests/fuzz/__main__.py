# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m fuzz --seed 1 --scenes 200 --jobs 2`, in the folder of the tests."""

import argparse
import time

from .workers import Worker


def main():
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=200, help="how many")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", type=int, help="this one alone; kept if it fails")
    options = parser.parse_args()
    if options.only is not None:
        return replay(options.seed, options.only)
    numbers = range(options.first, options.first + options.scenes)
    workers = [Worker(options.seed, numbers[k :: options.jobs]) for k in range(options.jobs)]
    started, tally = time.monotonic(), Tally(options.seed)
    try:
        while any(worker.left for worker in workers):
            for worker in workers:
                for result in worker.take():
                    tally.add(*result)
    except KeyboardInterrupt:  # prints the results so far
        pass
    minutes = (time.monotonic() - started) / 60.0
    print(f"seed {options.seed}, from scene {options.first} on: {tally}; {minutes:.1f} minutes")
    for worker in workers:
        worker.end()
    return int(tally.failed > 0)


class Tally:
    """Counts scenes by outcome, and prints those that fail."""

    def __init__(self, seed):
        self.seed = seed
        self.done = self.failed = self.void = self.inverted = self.recovered = 0

    def add(self, index, name, outcome):
        """Count a scene; an `outcome` of words is the error that kept it from being run."""
        self.done += 1
        words, at = outcome, ""
        if not isinstance(outcome, str):
            words, at = "; ".join(outcome.findings), f" substep {outcome.substep + 1}"
            self.void += not outcome.is_scene
            self.inverted += outcome.inverted > 0
            self.recovered += outcome.inverted > 0 and outcome.inverted_at_end == 0
        if words:
            self.failed += 1
            print(f"seed {self.seed} scene {index} {name}{at}: {words}", flush=True)
        if self.done % 100 == 0:
            print(f"{self.done} scenes, {self.failed} failed", flush=True)

    def __str__(self):
        return (
            f"{self.done - self.void} run, {self.failed} failed; {self.void} do not start apart; "
            f"elements inside out in {self.inverted}, of which {self.recovered} ended without"
        )


def replay(seed, index):
    """Run one scene again; if it fails, make it smaller and save it for the tests."""
    from fuzz import stored
    from fuzz.run import run_scene, shrink
    from fuzz.scenes import make_scene

    scene = make_scene(seed, index)
    outcome = run_scene(scene)
    print(scene.name, scene.settings, outcome, sep="\n")
    if outcome.findings:
        scene = shrink(scene)
        print(run_scene(scene).findings, scene.frames)
        path = stored.FAILED / f"{seed}_{index}.npz"
        stored.write(path, scene)
        print(*scene.bodies, f"Kept in {path}", sep="\n")
    return int(bool(outcome.findings))


if __name__ == "__main__":
    raise SystemExit(main())
