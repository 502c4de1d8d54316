# SPDX-License-Identifier: GPL-3.0-or-later
"""Long runs of generated inputs, which go on after a fault and keep the smallest input of each."""

import json
import re
import time
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from .judging import judge
from .specs import COPIES, damaged_scenes, sound_scenes

# Kernels are compiled for each combination of kinds of bodies.
FAMILIES = (("Solid",), ("Cells",), ("Cloth",), ("Rod",))


def hunt(number, examples, steps, is_common=False, said=print, last=None):
    """Faults by their kind, with the smallest input of each, and the number of inputs by outcome.

    `number` is the seed. With `steps` the scenes are sound and solved, without them set up only.
    `is_common`: sound scenes compile few kernels. The input at work is in the file `last`, so that
    it is known where the process ends.
    """
    found, counts, begun = {}, Counter(), time.monotonic()
    solved = sound_scenes(FAMILIES, is_common).map(lambda spec: [spec])
    strategy = solved if steps else damaged_scenes()

    @seed(number)
    @settings(
        max_examples=examples if steps else -(-examples // COPIES),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(specs):
        for spec in specs:
            look(spec)

    def look(spec):
        before = time.monotonic()
        if last is not None:
            last.write_text(json.dumps(spec))
        fault, outcome = judge(spec, steps)
        counts[outcome] += 1
        taken = time.monotonic() - before
        if taken > 20.0:
            said(f"{taken:.0f} s", json.dumps(spec)[:2000])
        if fault:
            counts["faults"] += 1
            kind = re.sub(r"[-+]?\d[\d.e+-]*(?=[ ,\]m])", "#", fault)[:90]
            text = json.dumps(spec)
            if kind not in found:
                said(f"{fault}\n    {text[:300]}", flush=True)
            if kind not in found or len(text) < len(found[kind]):
                found[kind] = text
        total = sum(counts.values()) - counts["faults"]
        if total % 1000 == 0:
            said(total, dict(counts), f"{time.monotonic() - begun:.0f} s", flush=True)

    run()
    return found, counts
