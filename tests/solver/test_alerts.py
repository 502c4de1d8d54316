# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels by which vertices tell their partners how far they have gone."""

import numpy as np
import warp as wp

from vbd.solver.kernels.contact.alerts import ANYWHERE, is_quiet, level_of, longest_at, raise_level
from vbd.solver.kernels.contact.pairs import QUIET

PATHS = np.float32(10.0) ** np.linspace(-30.0, 30.0, 601, dtype=np.float32)


@wp.func
def bound_of(path: float):
    return longest_at(level_of(path))


@wp.kernel(enable_backward=False)
def raise_all(first: int, given: wp.array[int], levels: wp.array[int]):
    raise_level(levels, 0, given[first + wp.tid()])


def test_a_level_is_less_than_an_octave_above_a_path():
    bounds = wp.map(bound_of, wp.array(PATHS, dtype=float, device="cpu")).numpy()
    assert (bounds > PATHS).all()
    assert (bounds <= 2.0 * PATHS).all()


def test_a_pair_is_quiet_only_if_nothing_has_gone_beyond_its_part_of_the_gap():
    paths = wp.array(PATHS, dtype=float, device="cpu")
    levels = wp.map(level_of, paths)
    for times in (0.5, 1.0, 2.0, 4.0):
        gaps = wp.array(PATHS * np.float32(times) / QUIET, dtype=float, device="cpu")
        quiet = wp.map(is_quiet, levels, gaps).numpy()
        assert not quiet[PATHS > QUIET * gaps.numpy()].any()
    assert quiet.all()


def test_what_may_be_anywhere_leaves_no_pair_quiet():
    everywhere = wp.full(len(PATHS), int(ANYWHERE), dtype=int, device="cpu")
    gaps = wp.array(PATHS, dtype=float, device="cpu")
    assert not wp.map(is_quiet, everywhere, gaps).numpy().any()


def test_the_highest_level_of_all_is_kept():
    given = np.random.default_rng(0).integers(1, 255, 1000).astype(np.int32)
    levels = wp.zeros(1, dtype=int, device="cpu")
    inputs = [0, wp.array(given, dtype=int, device="cpu")]
    wp.launch(raise_all, len(given), inputs, [levels], device="cpu")
    assert levels.numpy()[0] == given.max()
