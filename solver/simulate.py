# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies in, frames out."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import warp as wp

from .bodies import Cloth, Collider, Rod, Solid
from .coarse.correction import coarse_aggregates
from .contact.surface import contact_surface
from .descent.step import Stepper
from .device.compiling import compile_missing, needed_modules
from .device.launches import Launches
from .device.threads import Workers, core_count
from .model.assembly import assemble
from .model.model import Model, ModelSize
from .model.multipliers import Ties
from .model.tearing import Tearing
from .report.residual import Residual
from .report.statistics import Measure, Statistics
from .scene.analytic_colliders import AnalyticCollider, colliders_on_device
from .scene.attachments import Attachment
from .scene.colliders import LedColliders
from .scene.pins import LedPins
from .settings import Settings


@dataclass(frozen=True)
class Frame:
    """The state after `index` frame times."""

    index: int
    exact_positions: list[np.ndarray]
    """As `positions`, in float64: it keeps the digits of a scene far from the world's origin."""
    elements: list[np.ndarray]
    """Tets, triangles or edges of every body; only those of a tearing cloth change."""
    stats: Statistics
    model: ModelSize

    @property
    def positions(self):
        """One float32 array [vertex, 3] per Solid, Cloth and Rod, in the order given [m]."""
        return [points.astype(np.float32) for points in self.exact_positions]


def pick_device(name):
    """The Warp device for "auto", "cpu" or "cuda"; refuses CUDA where there is none."""
    if name == "auto":
        return "cuda" if wp.is_cuda_available() else "cpu"
    if name != "cpu" and not name.startswith("cuda"):
        raise ValueError(f'the device is "{name}"; it must be auto, cpu or cuda')
    if name.startswith("cuda") and not wp.is_cuda_available():
        raise ValueError("CUDA is asked for, but no CUDA device is found; choose auto or cpu")
    return name


def simulate(
    bodies: Sequence[Solid | Cloth | Rod | Collider | AnalyticCollider | Attachment],
    settings: Settings,
    frame_count: int,
    device: str = "cpu",
    cancelled: Callable[[], bool] | None = None,
    gravity: Callable[[float], Sequence[float]] | None = None,
    compiling: Callable[[int, int], None] | None = None,
) -> Iterator[Frame]:
    """Solve `frame_count` frames; frame 0 is the input state and is not yielded.

    `cancelled` is asked before every substep; when it says True the frames end. `gravity`: what it
    is [m/s²] at a time [s], where that of the settings is only the first. Kernels that the scene
    needs and Warp's cache lacks are compiled first; `compiling(done, count)` hears of it. Raises
    ValueError for bodies that cannot be simulated, before the first frame where that can be known.
    """
    attachments = [body for body in bodies if isinstance(body, Attachment)]
    deformable = [body for body in bodies if isinstance(body, Solid | Cloth | Rod)]
    colliders = [body for body in bodies if isinstance(body, Collider)]
    analytic = [body for body in bodies if isinstance(body, AnalyticCollider)]
    if not deformable:
        raise ValueError("there is nothing to simulate: add a soft body, a cloth or a rod")
    if frame_count != int(frame_count) or frame_count < 1:
        raise ValueError(f"frame_count is {frame_count}; a whole number from 1 on is needed")
    device = pick_device(device)
    scene = assemble(deformable, settings, attachments)
    ties = Ties(attachments, scene, settings, device)
    led = LedColliders(colliders, scene, device)
    pins = LedPins(deformable, scene, device)
    surface = contact_surface(scene, deformable, colliders, settings)
    analytic = colliders_on_device(analytic, scene, settings, device)
    workers = Workers(settings.threads or core_count() if wp.get_device(device).is_cpu else 1)
    launches = Launches(device, workers)
    model = Model(scene, settings, surface, analytic, ties, launches, gravity)
    tearing = Tearing(deformable, scene, settings)
    names = [body.name for body in [*deformable, *colliders]]
    parts = model, led, pins, ties, tearing, names
    return _frames(parts, deformable, settings, frame_count, cancelled, compiling)


def _frames(parts, deformable, settings, frame_count, cancelled, compiling):
    model, led, pins, ties, tearing, names = parts
    threads = settings.threads or core_count()
    aggregates = coarse_aggregates(model, settings)
    modules = needed_modules(model, settings, aggregates)
    if not compile_missing(modules, model.device, threads, compiling, cancelled):
        return
    workers = model.launches.threads
    try:
        residual = Residual(model, workers)
        measure = Measure(model, residual, deformable)
        stepper = Stepper(
            model, aggregates, (led, pins), ties, tearing, residual, names, settings, workers
        )
        for index in range(1, int(frame_count) + 1):
            now = index * settings.frame_time
            pins.begin_frame(index, now)
            ties.begin_frame(index, now)
            led.begin_frame(index, now)
            model.gravity.begin_frame(now)
            stepper.begin_frame()
            started = time.perf_counter()
            for substep in range(1, settings.substeps + 1):
                if cancelled is not None and cancelled():
                    return
                stepper.step(substep)
            wp.synchronize_device(model.device)
            seconds = time.perf_counter() - started
            if tearing.changed_since_asked():
                measure.record()
            statistics = measure.take(
                stepper.iterations, stepper.contact, ties, seconds, stepper.coarse
            )
            positions = tearing.lay_duplicates(model.positions())
            yield Frame(index, positions, tearing.elements(), statistics, model.size)
    except RuntimeError as error:
        if not model.device.is_cuda:
            raise
        raise OSError(
            f"the GPU failed ({error}); bake on the CPU or make the scene smaller"
        ) from error
    finally:
        workers.stop()
