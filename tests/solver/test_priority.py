# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads of low priority: threads that they start have it too, and no others."""

import ctypes
import sys
from queue import SimpleQueue
from threading import Thread
from types import SimpleNamespace

import pytest

from vbd.solver.device import thread_priority
from vbd.solver.device.threads import Workers


def in_thread(do):
    """Result of `do` in a thread of its own."""
    found = []
    thread = Thread(target=lambda: found.append(do()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other numbers")
def test_what_gives_way_has_helpers_that_do_and_leaves_the_others_alone():
    before = thread_priority.own()

    def work():
        thread_priority.give_way()
        workers, seen = Workers(3), SimpleQueue()
        workers._help = lambda *_: seen.put(thread_priority.own())
        workers.start()
        workers.stop()
        return [seen.get_nowait() for _ in range(2)]

    assert in_thread(work) == [min(before + 10, 19)] * 2
    assert thread_priority.own() == in_thread(thread_priority.own) == before


def test_windows_is_told_for_each_thread(monkeypatch):
    levels, handle = {7: 0}, 7

    def current():
        return handle

    kernel32 = SimpleNamespace(
        GetCurrentThread=current,
        GetThreadPriority=lambda thread: levels[thread.value],
        SetThreadPriority=lambda thread, level: levels.update({thread.value: level}),
    )
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    thread_priority.give_way()
    assert levels == {7: -1} and thread_priority.own() == -1


def test_elsewhere_all_keep_their_priority(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    thread_priority.give_way()
    assert thread_priority.own() is None
