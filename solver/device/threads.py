# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU threads that take pieces of launches side by side (kernels/device/shared_stage.py).

A Warp launch on the CPU uses one core. So helpers, which are Python threads within one long launch,
call the compiled kernels of the pieces dealt to them.
"""

import ctypes
import os
import sys
import time
from contextlib import contextmanager
from functools import cache
from threading import Event, Thread

import numpy as np
import warp as wp

from ..kernels.device.shared_stage import help_others, play_stage
from . import thread_priority

# Numbers in `slots` for the team, and for each thread (kernels/device/dealt_pieces.py).
SLOT = 16


def core_count():
    """Return the number of CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def system_functions():
    """Return what kernels need of the system, as integers: the address of its clock; the number of
    the clock, or -1 on Windows; nanoseconds per tick of that one; the address of a function that
    sleeps; and its unit [µs]. Where that is a millisecond, shorter sleeps only yield.
    """
    if sys.platform == "win32":
        kernel32, frequency = ctypes.windll.kernel32, ctypes.c_int64()
        kernel32.QueryPerformanceFrequency(ctypes.byref(frequency))
        clock, nap, unit = kernel32.QueryPerformanceCounter, kernel32.Sleep, 1000
        number, tick = -1, 10**9 // frequency.value
    else:
        system = ctypes.CDLL(None)
        clock, nap, unit = system.clock_gettime, system.usleep, 1
        number, tick = time.CLOCK_MONOTONIC, 1
    return [address(clock), number, tick, address(nap), unit]


def address(function):
    """Return the address of a function of ctypes."""
    return ctypes.cast(function, ctypes.c_void_p).value


def zeros(count, kind):
    """Return zeros on the CPU at once: while a graph is captured, Warp would put that off."""
    values = np.zeros(count, wp.dtype_to_numpy(kind))
    return wp.array(values, dtype=kind, device="cpu", copy=False)


@cache
def arguments_of(*types):
    """Return the C structure of arguments of some types."""
    fields = [(f"argument_{k}", kind) for k, kind in enumerate(types)]
    return type("Arguments", (ctypes.Structure,), {"_fields_": fields})


class Call:
    """A recorded launch as addresses: those of its compiled kernel, bounds and arguments.

    Warp 1.19 calls compiled kernels in the same way (`invoke` in its context.py).
    """

    def __init__(self, launch):
        self.launch = launch  # it keeps the arrays and the code
        bounds, *values = launch.params
        self.function, self.bounds = launch.hooks.forward, bounds
        self.arguments = arguments_of(*map(type, values))(*values)

    def __call__(self):
        """Play the launch, also while another thread captures a graph, without the GIL."""
        self.function(ctypes.byref(self.bounds), ctypes.byref(self.arguments))

    def addresses(self):
        """Return the addresses of the function, the bounds and the arguments."""
        places = ctypes.addressof(self.bounds), ctypes.addressof(self.arguments)
        return [address(self.function), *places]


class SharedStage:
    """A stage that `Workers` share: call it to play it.

    `pieces` are lists of recorded launches of Warp that are played one after the other, all with
    as many. They may run at the same time, in any order. `history` is a dict that keeps the times
    of earlier plays (kernels/device/thread_count.py), by the number of sizes.
    """

    def __init__(self, workers, pieces, history):
        self.workers = workers
        self.calls = [[Call(launch) for launch in piece] for piece in pieces]
        numbers = [n for piece in self.calls for call in piece for n in call.addresses()]
        self.table = np.array([len(pieces), len(pieces[0]), *numbers], np.int64)
        most = min(workers.count, len(pieces))
        sizes = (most - 1).bit_length() + 1
        if sizes not in history:
            history[sizes] = zeros(sizes, wp.float32), zeros(sizes + 1, wp.int32)
        self.times, self.plays = history[sizes]
        inputs = [self.table.ctypes.data, most, workers.system]
        outputs = [workers.slots, self.times, self.plays, workers.trust]
        recorded = wp.launch(play_stage, 1, inputs, outputs, device="cpu", record_cmd=True)
        self.play = recorded.launch
        workers.is_needed = True
        workers.start()

    def __call__(self):
        self.play()


class Workers:
    """A team of up to `count` CPU threads: the one that solves, and helpers.

    Helpers take part within `at_work`. They start when a stage is to be shared, at the priority of
    the thread that starts them.
    """

    def __init__(self, count):
        self.count, self.threads, self.is_needed = count, [], False
        self.opened, self.is_stopping = Event(), False
        self.slots = wp.zeros(SLOT * (count + 1), dtype=wp.int64, device="cpu")
        self.system = wp.array(system_functions(), dtype=wp.int64, device="cpu")
        self.trust = wp.zeros(4, dtype=wp.int64, device="cpu")
        self.is_open = self.slots.numpy()[:1]  # a view

    def start(self):
        """Start the helpers that do not run yet."""
        priority = thread_priority.own()
        for number in range(len(self.threads) + 1, self.count):
            inputs = [number, self.system], [self.slots]
            launch = wp.launch(help_others, 1, *inputs, device="cpu", record_cmd=True)
            work = [Call(launch), priority]
            thread = Thread(target=self._help, args=work, name="vbd-helper", daemon=True)
            self.threads.append(thread)
            thread.start()

    def _help(self, call, priority):
        thread_priority.take(priority)
        while self.opened.wait() and not self.is_stopping:
            call()

    @contextmanager
    def at_work(self):
        """Let helpers take pieces; outside, they sleep, and shared stages run on one thread."""
        if self.is_needed:
            self.start()
        self.is_open[0] = 1
        self.opened.set()
        try:
            yield
        finally:
            self.opened.clear()
            self.is_open[0] = 0

    def stop(self):
        """End the helpers."""
        self.is_stopping = True
        self.is_open[0] = 0
        self.opened.set()
        while self.threads:
            self.threads.pop().join()
        self.opened.clear()
        self.is_stopping = False
