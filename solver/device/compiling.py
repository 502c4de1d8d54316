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


def _first(queues):
    """Take the first module of the queues, which threads share; None when all are empty."""
    for queue in queues:
        try:
            return queue.popleft()
        except IndexError:
            continue
    return None


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
    # While Warp compiles with its default LLVM flags, other threads wait: these modules come last,
    # in one thread, which needs one precompiled header.
    hot = [module for module in missing if module.options["cpu_compiler_flags"] is None]
    hot = deque(hot if device.is_cpu else [])
    quick, ended, stopping = deque(m for m in missing if m not in hot), SimpleQueue(), Event()
    level = thread_priority.own()

    def work(queues):
        thread_priority.take(level)
        while not stopping.is_set() and (module := _first(queues)):
            try:
                wp.force_load(device, [module], max_workers=0)
                ended.put(None)
            except BaseException as error:
                ended.put(error)  # raised below

    done, count = 0, len(missing)
    if progress is not None:
        progress(done, count)
    for k in range(max(1, min(threads, len(quick)))):
        # No daemon: a process that ends while the compiler runs would crash.
        queues = [quick] if k else [quick, hot]
        Thread(target=work, args=[queues], name="vbd-compile").start()
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
