# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes: bodies that start apart stay apart, judged exactly after every substep.

The first 200 of one seed; more, and any of them alone, with `python -m fuzz` (tests/fuzz).
"""

import numpy as np
import pytest
from fuzz import stored
from fuzz.run import run_scene
from fuzz.scenes import make_scene

from vbd.solver.scene.joints import Joint

SEED, SCENES, AT_ONCE = 17, 200, 10
# Scenes that are hard: solids stretched to hundreds of times their size, with vertices outside that
# are easily taken to be inside; two bodies that touch, in flight to where rounding is larger than
# their gap; sheets that begin a last digit of float32 apart; a cube of 1 mm whose contacts are 10⁶
# times as stiff as its inertia; pins that move into bodies, which must not lose contact with
# themselves and with third bodies; a body of 2 mg that begins on contacts 10¹³ times as stiff as
# its inertia, where the rigid step must end; stacks of 15 to 60 m, a last digit of float32 apart,
# that move as a whole; a vertex nearer to a face than rounding, easily taken to be behind it; small
# steps of a rope caught by a sheet, each rounded towards it; sweeps that overshoot the displacement
# of a substep, by more in each; cubes of 660 m under 1,200 times gravity, where vertices come back
# to where gaps were measured when others have taken their place; a soft block hit at 60 m/s, where
# vertices were truncated to less than the reserve that others had taken; a tet of 1 GPa on a slope,
# crushed by three iterations in 0.2 s, a hundredth of a millimeter from a face; a rigid tet that
# turns in free fall onto a tilting plane; a cube of 31 m on a plane that it leaves no way.
FAILED = sorted(stored.FAILED.glob("*.npz"))


@pytest.mark.parametrize("first", range(0, SCENES, AT_ONCE))
def test_what_starts_apart_stays_apart(first):
    void = 0
    for number in range(first, first + AT_ONCE):
        scene = make_scene(SEED, number)
        outcome = run_scene(scene)
        void += not outcome.is_scene
        assert not outcome.findings, f"scene {number}, {scene.name}: {outcome.findings}"
    assert void <= 0.5 * AT_ONCE


@pytest.mark.parametrize("path", FAILED, ids=lambda path: path.stem)
def test_a_scene_that_failed_passes(path):
    outcome = run_scene(stored.read(path))
    assert outcome.is_scene and not outcome.findings, outcome.findings


def driven_scenes():
    """The first scene with edits, the first with a joint, and the first with a moving collider."""
    scenes = [make_scene(SEED, index) for index in range(SCENES)]
    yield next(scene for scene in scenes if scene.edits)
    yield next(scene for scene in scenes if any(isinstance(b, Joint) for b in scene.bodies))
    yield next(s for s in scenes if any(getattr(b, "motion", None) for b in s.bodies))


def test_a_scene_that_is_kept_is_the_same_when_it_is_read(tmp_path):
    first, second = tmp_path / "scene.npz", tmp_path / "again.npz"
    for scene in (make_scene(SEED, 0), *driven_scenes()):
        stored.write(first, scene)
        again = stored.read(first)
        stored.write(second, again)
        assert again.settings == scene.settings and again.name == scene.name
        kept, new = np.load(first), np.load(second)
        assert kept.files == new.files
        for name in kept.files:
            np.testing.assert_array_equal(kept[name], new[name])
