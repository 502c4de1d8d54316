# SPDX-License-Identifier: GPL-3.0-or-later
"""One process at a time writes into a cache, and the lock ends with it, however it ends."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from vbd.solver import cache, cache_lock
from vbd.solver.cache_lock import LOCK, locked
from vbd.solver.settings import Settings

HOLDER = """
import sys, time
from vbd.solver.cache_lock import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "vbd_cache" / "shot_Scene"


@pytest.fixture
def other(folder):
    """Another process that holds the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def refused(folder):
    with pytest.raises(BlockingIOError) as error, locked(folder):
        pass
    return str(error.value)


def test_a_second_process_is_refused_and_told_who_is_at_work(folder, other):
    assert f"(process {other.pid} on " in refused(folder)
    assert str(folder) in refused(folder)
    with locked(folder.with_name("another")):
        pass


def test_a_second_bake_of_the_same_process_is_refused(folder):
    with locked(folder):
        assert f"process {os.getpid()} on" in refused(folder)
    with locked(folder):
        pass


def test_a_killed_process_leaves_no_lock(folder, other):
    other.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    other.wait()
    assert (folder / LOCK).is_file()
    with locked(folder):
        assert str(os.getpid()) in (folder / LOCK).read_text()
    assert not folder.exists()


def test_nothing_is_left_but_frames(folder):
    with locked(folder):
        pass
    assert not folder.parent.exists()
    with locked(folder):
        (folder / "frame_000000.f32").touch()
    assert [path.name for path in folder.iterdir()] == ["frame_000000.f32"]


def test_a_new_cache_keeps_the_lock_of_its_bake(folder):
    with locked(folder):
        cache.Cache.create(
            folder,
            settings=Settings(),
            bodies=[],
            fps=24,
            names=[],
            vertex_counts=[],
            frame_start=1,
        )
        refused(folder)


def test_a_deleted_cache_takes_the_lock_of_a_killed_bake_along(folder, other):
    other.kill()
    other.wait()
    cache.remove(folder)
    assert not folder.exists()


def test_a_cache_that_a_bake_writes_is_neither_deleted_nor_replaced(folder, tmp_path):
    here = tmp_path / "here"
    for place in (folder, here):
        place.mkdir(parents=True)
        (place / "frame_000000.f32").write_text(place.name)
    with locked(folder):
        with pytest.raises(BlockingIOError):
            cache.remove(folder)
        with pytest.raises(BlockingIOError):
            cache.transfer(here, folder, keep=False)
        refused(folder)
    assert (folder / "frame_000000.f32").read_text() == folder.name
    cache.transfer(here, folder, keep=False)
    assert (folder / "frame_000000.f32").read_text() == "here" and not here.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no file that is in use")
def test_the_lock_of_a_removed_folder_is_not_that_of_the_new_one(folder):
    with locked(folder):
        (folder / LOCK).unlink()
        with locked(folder):
            pass
        with locked(folder):
            inside = (folder / LOCK).stat().st_ino
            refused(folder)
            assert (folder / LOCK).stat().st_ino == inside
    assert not folder.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has another call")
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EIO])
def test_a_disk_without_locks_is_baked_to_all_the_same(folder, monkeypatch, number):
    def fails(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", fails)
    if number == errno.ENOLCK:
        with locked(folder):
            assert folder.is_dir()
        return
    with pytest.raises(OSError, match="Cannot write lock"), locked(folder):
        pass


@pytest.mark.skipif(os.name == "nt", reason="Windows has another call")
def test_a_lock_of_a_network_drive_is_one_that_nobody_may_read(folder, monkeypatch):
    def fails(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    opened = cache_lock._opened

    class Unreadable:
        def __init__(self, path):
            self.file = opened(path)
            self.fileno, self.close, self.seek = self.file.fileno, self.file.close, self.file.seek

        read = fails

    monkeypatch.setattr("fcntl.flock", fails)
    monkeypatch.setattr(cache_lock, "_opened", Unreadable)
    assert "(another process)" in refused(folder)


@pytest.mark.skipif(os.name == "nt", reason="Windows has another way")
def test_a_lock_that_cannot_be_removed_does_not_replace_the_result(folder, monkeypatch):
    def fails(*_, **__):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    with monkeypatch.context() as patched, pytest.raises(ValueError, match="of the bake"):
        with locked(folder):
            patched.setattr("pathlib.Path.unlink", fails)
            raise ValueError("of the bake")
    with locked(folder):  # its file was closed, so its lock has ended
        pass


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(folder):
    folder.parent.mkdir()
    folder.parent.chmod(0o500)
    with pytest.raises(OSError, match="Cannot make a folder for the cache"), locked(folder):
        pass


def test_a_file_in_place_of_the_folder_is_told(folder):
    folder.parent.write_text("")
    with pytest.raises(OSError, match="Cannot make a folder for the cache"), locked(folder):
        pass
