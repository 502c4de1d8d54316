# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling before the first step: all modules of kernels that a scene needs, side by side."""

from collections import deque
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread

import warp as wp

from ..kernels import coarse_contact, embedding, vertex
from ..kernels.coarse import factorisation as cholesky
from ..kernels.coarse import line as coarse_line
from ..kernels.coarse import materials as coarse_materials
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import restriction as coarse_force
from ..kernels.coarse import springs as coarse_springs
from ..kernels.coarse import step as coarse_step
from ..kernels.coarse import step_length as coarse_share
from ..kernels.contact import (
    bounds,
    embedded_bounds,
    embedded_truncation,
    load,
    pair_lists,
    refresh,
    search,
    tangles,
    truncation,
)
from ..kernels.contact import law as contact
from ..kernels.elements import energy

# Pause between two looks at whether compiling is still wanted [s].
POLL = 0.1
# Kinds of elements whose coarse correction has kernels in a file of its own.
OTHER_MATERIALS = vertex.CONTINUA | vertex.VISCOUS | vertex.STABLE_TRIANGLES


def other_modules(model, corrected):
    """The Warp modules of kernels that a scene launches besides those that `model.launches` knows.

    `corrected` tells whether there is a coarse correction.
    """
    parts, device = model.parts, model.device
    pairs, near_bounds = bool(parts & vertex.CONTACTS), bool(parts & vertex.BOUNDS)
    points, contacts = bool(parts & vertex.EMBEDDED), pairs or near_bounds
    tied, corrected = bool(parts & vertex.ATTACHMENTS), bool(corrected)
    files = {
        coarse: corrected,
        coarse_line: corrected,
        coarse_contact: corrected and (contacts or tied),
        tangles: pairs,
        search: pairs,
        coarse_force: corrected,
        coarse_springs: corrected and parts & vertex.SPRINGS,
        coarse_materials: corrected and parts & OTHER_MATERIALS,
        pair_lists: pairs,
        embedded_truncation: pairs and points,
        refresh: pairs,
        truncation: pairs,
        coarse_step: corrected,
        cholesky: corrected and device.is_cuda,
        energy: True,
        load: contacts and not model.settings.quasistatic,
        coarse_share: corrected,
        contact: pairs,
        bounds: near_bounds,
        embedded_bounds: near_bounds and points,
        embedding: points,
    }
    modules = [wp.get_module(file.__name__) for file, wanted in files.items() if wanted]
    if corrected:
        modules.append(vertex.vertex_kernels(parts & vertex.ON_VERTICES).residual.module)
    return modules


def is_compiled(module, device):
    """Whether Warp's cache has the code of a module for a device."""
    block = 1 if device.is_cpu else None
    folder = Path(wp.config.kernel_cache_dir) / module.get_module_identifier(block)
    code = ("*.o",) if device.is_cpu else ("*.ptx", "*.cubin")
    return any(folder.glob("*.meta")) and any(any(folder.glob(name)) for name in code)


def source_size(module):
    """Characters of the kernels of a module and of all functions that they call.

    Compiling takes about as long as that is large.
    """
    known, size = set(), 0
    waiting = [kernel.adj for kernel in module.kernels.values()]
    while waiting:
        code = waiting.pop()
        size += len(code.source)
        functions = set(code.get_references()[2]) - known
        known |= functions
        waiting += [function.adj for function in functions]
    return size


def _first(queues):
    """The first of what several threads take from; None when nothing is left."""
    for queue in queues:
        try:
            return queue.popleft()
        except IndexError:
            continue
    return None


def compile_missing(modules, device, threads=1, progress=None, cancelled=None):
    """Compile what the cache lacks of `modules` in so many threads; False when cancelled.

    `progress(done, count)` is called only if there is something to compile. What is being compiled
    when `cancelled()` says True goes on in the background, to the end of the module in flight.
    """
    missing = [m for m in dict.fromkeys(modules) if not is_compiled(m, device)]
    missing.sort(key=source_size, reverse=True)  # the slowest first, so that none is left at last
    if not missing:
        return True
    if cancelled is not None and cancelled():
        return False
    # While Warp compiles with flags for LLVM, as it does by itself, other threads wait: these come
    # last, and in one thread, which needs one precompiled header.
    hot = [module for module in missing if module.options["cpu_compiler_flags"] is None]
    hot = deque(hot if device.is_cpu else [])
    quick, ended, stopping = deque(m for m in missing if m not in hot), SimpleQueue(), Event()

    def work(queues):
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
        # No daemon: a process that ended under the compiler would crash.
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
