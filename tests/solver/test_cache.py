# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on disk: written frames are read back, truncated ones are not trusted."""

import errno
from dataclasses import replace

import numpy as np
import pytest

from vbd.solver import cache as cache_module
from vbd.solver.bodies import Cloth, Collider, Pins
from vbd.solver.cache import Cache, remove, transfer
from vbd.solver.settings import Material, Settings

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
TRIANGLES = np.array([[0, 1, 2], [1, 3, 2]])


def scene(points=POINTS, density=0.2, pins=(0,)):
    return [
        Cloth(points, TRIANGLES, material=Material(density=density), pins=Pins(pins), name="Sheet"),
        Collider(lambda time: POINTS + np.array([0, 0, time]), TRIANGLES, name="Hand"),
    ]


@pytest.fixture
def cache(tmp_path):
    return Cache.create(
        tmp_path / "bake",
        names=["Sheet", "Ball"],
        vertex_counts=[4, 2],
        settings=Settings(),
        bodies=scene(),
        fps=24,
        frame_start=1,
    )


def frame(value):
    return [np.full((4, 3), value, np.float32), np.full((2, 3), -value, np.float32)]


def test_frames_come_back_bit_for_bit(cache):
    written = [np.random.default_rng(0).random((n, 3)).astype(np.float32) for n in (4, 2)]
    cache.write(0, written)
    for before, after in zip(written, Cache.open(cache.folder).read(0), strict=True):
        np.testing.assert_array_equal(before, after)


def test_the_cache_matches_what_it_was_made_from(cache):
    assert not Cache.open(cache.folder).changes(Settings(), scene())


def test_another_thread_count_still_matches(cache):
    assert not cache.changes(replace(Settings(), threads=1), scene())


@pytest.mark.parametrize(
    ("settings", "bodies", "reason"),
    [
        (Settings(substeps=9), scene(), "Substeps was 4, is 9"),
        (Settings(gravity=(0, 0, 0)), scene(), "Gravity was (0, 0, -9.81), is (0, 0, 0)"),
        (Settings(), scene(points=POINTS * 2), "The mesh of Sheet has changed"),
        (Settings(), scene(density=0.3), "Density of Sheet was 0.2, is 0.3"),
        (Settings(), scene(pins=(1,)), "Sheet has changed"),
        (Settings(), scene()[:1], "Hand was part of the bake, is no longer"),
    ],
)
def test_the_cache_says_what_no_longer_matches(cache, settings, bodies, reason):
    (change,) = cache.changes(settings, bodies)
    assert reason in str(change)


def test_what_was_baked_before_there_was_an_accuracy_had_none(cache):
    del cache.header.settings["accuracy"]
    assert not cache.changes(Settings(accuracy=0.0), scene())
    (change,) = cache.changes(Settings(accuracy=0.01), scene())
    assert str(change) == "Accuracy was 0, is 0.01"
    # It has no effect there.
    cache.header.settings["acceleration"] = 0.9
    assert not cache.changes(Settings(acceleration=0.9), scene())


def test_the_cache_knows_from_which_frame_on_it_was_edited(cache):
    for index in range(5):
        cache.write(index, frame(index))
        cache.note_edits(3 if index >= 3 else 0)
    assert Cache.open(cache.folder).header.edited == 3
    cache.cut(3)
    assert Cache.open(cache.folder).header.edited == 3
    cache.cut(2)
    assert Cache.open(cache.folder).header.edited == 0


def test_a_new_cache_drops_the_old_frames(cache):
    cache.write(0, frame(0))
    again = Cache.create(
        cache.folder,
        names=["Sheet", "Ball"],
        vertex_counts=[4, 2],
        settings=Settings(),
        bodies=[],
        fps=24,
        frame_start=1,
    )
    assert again.finished() == 0


def test_removing_a_cache_leaves_other_files_alone(cache):
    cache.write(0, frame(0))
    other = cache.folder / "notes.txt"
    other.write_text("keep")
    remove(cache.folder)
    assert [path.name for path in cache.folder.iterdir()] == ["notes.txt"]


def test_a_folder_without_a_cache_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no readable cache"):
        Cache.open(tmp_path)


def test_a_frame_with_other_vertex_counts_is_refused(cache):
    with pytest.raises(ValueError, match="frame 0 has"):
        cache.write(0, frame(0)[:1])


def no_links(*_):
    raise OSError(errno.EXDEV, "another disk")


@pytest.mark.parametrize("links", [True, False], ids=["shared", "copied"])
@pytest.mark.parametrize("keep", [True, False], ids=["keep", "move"])
def test_a_cache_is_brought_to_another_folder(cache, tmp_path, monkeypatch, links, keep):
    if not links:
        monkeypatch.setattr(cache_module.os, "link", no_links)
    cache.write(0, frame(0))
    cache.write(1, frame(1))
    to = tmp_path / "there" / "too"
    transfer(cache.folder, to, keep)
    there = Cache.open(to)
    assert there.header == cache.header and there.finished() == 2
    np.testing.assert_array_equal(there.read(1)[0], frame(1)[0])
    assert cache.folder.exists() == keep
    if keep:  # a new bake into one leaves the other
        cache.write(1, frame(7))
        np.testing.assert_array_equal(there.read(1)[0], frame(1)[0])
        remove(to)
        assert cache.finished() == 2


def test_a_cache_that_cannot_be_brought_whole_stays_and_leaves_nothing_there(
    cache, tmp_path, monkeypatch
):
    def full(path, other):
        raise OSError(errno.ENOSPC, "No space left on device")

    cache.write(0, frame(0))
    monkeypatch.setattr(cache_module.os, "link", no_links)
    monkeypatch.setattr(cache_module.shutil, "copy2", full)
    with pytest.raises(OSError, match="No space left"):
        transfer(cache.folder, tmp_path / "there", keep=False)
    assert cache.finished() == 1 and not (tmp_path / "there").exists()
