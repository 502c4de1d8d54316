# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever a script gives: an error in words before the first step, or every frame is right.

Inputs are made by hypothesis (tests/generated); here always the same few, more with `--examples`.
"""

import json
from pathlib import Path

import pytest
from generated import judging
from generated.hunting import FAMILIES
from generated.specs import COPIES, damaged_scenes, sound_scenes
from hypothesis import HealthCheck, Phase, given, settings

FAILED = sorted((Path(judging.__file__).parent / "failed").glob("*.json"))


def few(count):
    """Settings of hypothesis that make the same inputs on every machine."""
    return settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


def test_damaged_scenes_are_refused_in_words_or_set_up(examples):
    outcomes = set()

    @few(-(-examples // COPIES))
    @given(damaged_scenes())
    def test(specs):
        for spec in specs:
            fault, outcome = judging.judge(spec, steps=False)
            outcomes.add(outcome)
            assert fault is None, json.dumps(spec)

    test()
    assert outcomes == {"refused", "built"}


def test_sound_scenes_are_refused_in_words_or_solved(examples):
    solved = 0

    @few(examples // 5)
    @given(sound_scenes(FAMILIES, is_common=True))
    def test(spec):
        nonlocal solved
        fault, outcome = judging.judge(spec, steps=True)
        solved += outcome == "solved"
        assert fault is None, json.dumps(spec)

    test()
    assert solved > examples // 20


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.stem)
def test_an_input_that_failed_passes(path):
    fault, _ = judging.judge(json.loads(path.read_text()), steps=True)
    assert fault is None
