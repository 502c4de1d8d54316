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
    parser.add_argument("--only", type=int, help="this one alone, made smaller if it fails")
    options = parser.parse_args()
    if options.only is not None:
        return replay(options.seed, options.only)
    numbers = range(options.first, options.first + options.scenes)
    workers = [Worker(options.seed, numbers[k :: options.jobs]) for k in range(options.jobs)]
    started, done, failed, inverted, recovered = time.monotonic(), 0, 0, 0, 0
    void = 0
    while any(worker.left for worker in workers):
        for worker in workers:
            for index, name, outcome in worker.take():
                done += 1
                words = outcome if isinstance(outcome, str) else "; ".join(outcome.findings)
                if not isinstance(outcome, str):
                    void += not outcome.is_scene
                    inverted += outcome.inverted > 0
                    recovered += outcome.inverted > 0 and outcome.inverted_at_end == 0
                if words:
                    failed += 1
                    at = "" if isinstance(outcome, str) else f" substep {outcome.substep + 1}"
                    print(f"seed {options.seed} scene {index} {name}{at}: {words}", flush=True)
                if done % 100 == 0:
                    print(f"{done} scenes, {failed} failed", flush=True)
    for worker in workers:
        worker.process.join()
    minutes = (time.monotonic() - started) / 60.0
    print(
        f"seed {options.seed}, scenes {options.first} to {options.first + options.scenes - 1}: "
        f"{done - void} run, {failed} failed; {void} do not start apart; elements inside "
        f"out in {inverted}, of which {recovered} ended without; {minutes:.1f} minutes"
    )
    return int(failed > 0)


def replay(seed, index):
    """Run one scene again, and make it smaller if it fails."""
    from fuzz.run import run_scene, shrink
    from fuzz.scenes import make_scene

    scene = make_scene(seed, index)
    outcome = run_scene(scene)
    print(scene.name, scene.settings, outcome, sep="\n")
    if outcome.findings:
        scene = shrink(scene)
        print(run_scene(scene).findings, scene.frames)
        for body in scene.bodies:
            print(body)
    return int(bool(outcome.findings))


if __name__ == "__main__":
    raise SystemExit(main())
