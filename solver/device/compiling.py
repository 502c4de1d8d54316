# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling before the first step: all modules of kernels that a scene needs, side by side."""

from collections import deque
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread

import warp as wp

from ..kernels import (
    attachments,
    chebyshev,
    coarse_contact,
    coarse_slopes,
    embedding,
    flight,
    guess,
    motion,
    vertex,
)
from ..kernels.coarse import factorisation as cholesky
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import restriction as coarse_force
from ..kernels.coarse import step as coarse_step
from ..kernels.coarse import step_length as coarse_share
from ..kernels.coarse.elements import coarse_kernels
from ..kernels.contact import (
    intersections,
    load,
    measure,
    pair_lists,
    points_in_front,
    refresh,
    search,
    truncation,
    trust_radii,
)
from ..kernels.elements.table import energy_kernel, rest_kernel

# Pause between two looks at whether compiling is still wanted [s].
POLL = 0.1


def needed_modules(model, settings, aggregates):
    """The Warp modules that a scene launches kernels of; `aggregates` as for `Stepper`."""
    parts, device = model.parts, model.device
    pairs, colliders = bool(parts & vertex.CONTACTS), bool(parts & vertex.ANALYTIC)
    points, contacts = bool(parts & vertex.EMBEDDED), pairs or colliders
    tied = bool(parts & vertex.ATTACHMENTS)
    free, corrected = model.free_count > 0, aggregates is not None
    accelerated = settings.acceleration > 0.0 or settings.estimate_acceleration
    files = {
        # The slowest first, so that none is left for the end.
        coarse: corrected,
        coarse_contact: corrected and (contacts or tied),
        coarse_slopes: corrected,
        intersections: pairs,
        search: pairs,
        coarse_force: corrected,
        pair_lists: pairs,
        refresh: pairs,
        truncation: pairs,
        trust_radii: pairs,
        coarse_step: corrected,
        cholesky: corrected and device.is_cuda,
        guess: free and not pairs and not settings.quasistatic,
        load: contacts and not settings.quasistatic,
        motion: True,
        coarse_share: corrected,
        measure: contacts,
        points_in_front: colliders and points,
        embedding: points,
        flight: pairs,
        attachments: tied or model.augmented.any(),
        chebyshev: free and accelerated,
    }
    modules = [wp.get_module(file.__name__) for file, wanted in files.items() if wanted]
    kernels = model.kernels
    solve = kernels.search if settings.line_search else kernels.solve
    of_vertices = [solve, kernels.residual] if free else []
    if pairs:
        of_steps = truncation.truncation_kernels(points)
        of_vertices += [of_steps.truncate, of_steps.alert_partners]
    if corrected:
        of_vertices.append(vertex.vertex_kernels((), parts).residual)
    of_elements = {kernel.module for kernel in element_kernels(model, corrected)}
    return [*(kernel.module for kernel in of_vertices), *of_elements, *modules]


def element_kernels(model, corrected):
    """The kernels of the kinds of elements that a scene has."""
    for table in model.tables.values():
        if table.kind.energy is not None:
            yield energy_kernel(table.kind)
        if table.is_damped:
            yield rest_kernel(table.kind)
        if corrected:
            kernels = coarse_kernels(table.kind)
            yield from (kernels.add_between, kernels.add_forces)


def is_compiled(module, device):
    """Whether Warp's cache has the code of a module for a device."""
    block = 1 if device.is_cpu else None
    folder = Path(wp.config.kernel_cache_dir) / module.get_module_identifier(block)
    code = ("*.o",) if device.is_cpu else ("*.ptx", "*.cubin")
    return any(folder.glob("*.meta")) and any(any(folder.glob(name)) for name in code)


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
    missing = [module for module in modules if not is_compiled(module, device)]
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
