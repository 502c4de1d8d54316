# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilation of all kernel modules that a scene needs, side by side, before the first step."""

from collections import deque
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread

import warp as wp

from . import thread_priority

# Pause between two checks for cancellation [s].
POLL = 0.1


def is_compiled(module, device):
    """Return whether Warp's cache has the code of a module for a device."""
    block = 1 if device.is_cpu else None
    folder = Path(wp.config.kernel_cache_dir) / module.get_module_identifier(block)
    code = ("*.o",) if device.is_cpu else ("*.ptx", "*.cubin")
    return any(folder.glob("*.meta")) and any(any(folder.glob(name)) for name in code)


def source_size(module):
    """Return the number of characters of a module's kernels and of all functions that they call.

    Compile time is about proportional to it.
    """
    known, size = set(), 0
    waiting = [kernel.adj for kernel in module.kernels.values()]
    while waiting:
        code = waiting.pop()
        size += len(code.source)
        functions = set(code.get_references()[2]) - known
        known |= functions
        waiting += [function.adj for function in functions if not function.is_builtin()]
    return size


def compile_missing(modules, device, threads=1, progress=None, cancelled=None):
    """Compile the `modules` that the cache lacks, in so many threads; False when cancelled.

    `progress(done, count)` is called only if there is something to compile. Modules in flight when
    `cancelled()` returns True are finished in the background.
    """
    missing = [m for m in dict.fromkeys(modules) if not is_compiled(m, device)]
    missing.sort(key=source_size, reverse=True)  # the slowest first: they should not run last
    if not missing:
        return True
    if cancelled is not None and cancelled():
        return False
    waiting, ended, stopping = deque(missing), SimpleQueue(), Event()
    level = thread_priority.own()

    def work():
        thread_priority.take(level)
        while not stopping.is_set():
            try:
                module = waiting.popleft()
            except IndexError:
                return
            try:
                wp.force_load(device, [module], max_workers=0)
                ended.put(None)
            except BaseException as error:
                ended.put(error)  # raised below

    done, count = 0, len(missing)
    if progress is not None:
        progress(done, count)
    for _ in range(max(1, min(threads, count))):
        # No daemon: a process that ends while the compiler runs would crash.
        Thread(target=work, name="vbd-compile").start()
    try:
        while done < count:
            if cancelled is not None and cancelled():
                return False
            try:
                error = ended.get(timeout=POLL)
            except Empty:
                continue
            if error is not None:
                raise error
            done += 1
            if progress is not None:
                progress(done, count)
        return True
    finally:
        stopping.set()
