# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of bodies, frame by frame."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import warp as wp

from .bodies import Collider, Deformable, RigidBody
from .contact.contact import Contact
from .contact.surface import contact_surface
from .descent.checkpoints import Restart
from .descent.keyed import Keyed
from .descent.step import Stepper
from .device.compiling import compile_missing
from .device.failures import explained
from .device.launches import Launches
from .device.threads import Workers, core_count
from .editing import Edits
from .editing.carrying import carried, fitted, without_pulls
from .messages import message
from .model.assembly import assemble
from .model.bonds import bonds_of
from .model.memory_need import refuse_too_large
from .model.model import Model, ModelSize
from .model.tearing import Tearing
from .report.contact_places import Places, places
from .report.residual import Residual
from .report.statistics import Measure, Statistics
from .rest_shapes.finding import with_rest_shapes
from .rest_shapes.store import RestShapes
from .scene.analytic_colliders import AnalyticCollider
from .scene.arguments import refuse_other_kinds
from .scene.attachments import Attachment
from .scene.force_fields import ExternalForces, ForceField
from .scene.joints import Joint, attachments_of, exclude_joined
from .scene.kinematic import Kinematic
from .scene.moving_colliders import AnalyticMotion
from .settings import Settings
from .topology.values import shown


@dataclass(frozen=True)
class Frame:
    """The state after `index` frame times."""

    index: int
    exact_positions: list[np.ndarray]
    """`positions` in float64, which keeps the digits of a scene far from the world's origin."""
    elements: list[np.ndarray]
    """Tets, triangles or edges of every body; only those of a tearing cloth change."""
    stats: Statistics
    model: ModelSize
    state: Callable[[], dict[str, np.ndarray]]
    """Returns the arrays of a checkpoint by name; valid until the next frame is requested."""
    places: Callable[[], Places]
    """Returns the contacts and the stuck places; valid until the next frame is requested."""
    poses: list
    """Center [m] and rotation [3, 3], 1 at first, of every rigid body, float64; None of others."""
    skins: list
    """Offsets [m] of the points of every smooth skin (method.md), [point, 3]; None of others."""

    @property
    def positions(self):
        """One float32 array [vertex, 3] per body as given [m]; of rigid ones mesh points."""
        return [points.astype(np.float32) for points in self.exact_positions]


def pick_device(name):
    """Return the Warp device for "auto", "cpu" or "cuda"; refuses CUDA where there is none."""
    if not isinstance(name, str):
        raise ValueError(message("script.device", name=shown(name)))
    if name == "auto":
        return "cuda" if wp.is_cuda_available() else "cpu"
    if name != "cpu" and not name.startswith("cuda"):
        raise ValueError(message("script.device", name=name))
    if name.startswith("cuda") and not wp.is_cuda_available():
        raise ValueError(message("bake.no_cuda"))
    return name


def simulate(
    bodies: Sequence[Deformable | Collider | AnalyticCollider | Attachment | ForceField],
    settings: Settings,
    frame_count: int,
    device: str = "cpu",
    cancelled: Callable[[], bool] | None = None,
    gravity: Callable[[float], Sequence[float]] | None = None,
    compiling: Callable[[int, int], None] | None = None,
    restart: Restart | None = None,
    preparing: Callable[[str], None] | None = None,
    rest_shapes: RestShapes | None = None,
    edits: Edits | None = None,
) -> Iterator[Frame]:
    """Solve `frame_count` frames; frame 0 is the input state and is not yielded.

    `device`: "cpu", "cuda", or "auto" for CUDA where there is a GPU.

    `restart`: the state of another frame to resume from, as `Restart(frame.index, frame.state())`;
    on the CPU all following frames have the same bits as without the break.

    `cancelled` is called before every part of the set-up and every substep; when it returns True
    the frames end. `gravity`: a function of the time [s] in m/s²; that of the settings is then only
    its initial value. `preparing(text)` reports each part of the set-up. Kernels that Warp's cache
    lacks are then compiled; `compiling(done, count)` reports the progress. `rest_shapes` of bodies
    that keep their shape are filled in, unless they were found for the same input. `edits`: change
    values between frames, and pull vertices.
    Raises ValueError for bodies that cannot be simulated, before the first frame where possible,
    and OSError where the memory or the GPU fails.
    """
    whole = isinstance(frame_count, int | float | np.number) and frame_count % 1 == 0
    if not whole or frame_count < 1:
        raise ValueError(message("script.frame_count", value=shown(frame_count)))
    refuse_other_kinds(bodies, settings, gravity)
    device, begin = pick_device(device), partial(_begin, cancelled, preparing)

    def few_frames(bodies, settings):
        silent = partial(_begin, cancelled, None)
        return Simulation(bodies, settings, device, None, silent).frames(1, cancelled, compiling)

    if edits is not None:
        edits.begin(bodies, settings, gravity)
    try:
        with explained(wp.get_device(device)):
            bodies = with_rest_shapes(bodies, settings, gravity, few_frames, begin, rest_shapes)
            if bodies is None:
                return iter(())
            simulation = Simulation(bodies, settings, device, gravity, begin)
    except Cancelled:
        return iter(())
    if edits is None:
        return simulation.frames(int(frame_count), cancelled, compiling, restart)
    edits.replace(bodies)
    edits.own_rows = simulation.model.attachments.count
    return edited_frames(simulation, edits, int(frame_count), cancelled, compiling, restart)


def edited_frames(simulation, edits, frame_count, cancelled, compiling, restart):
    """Solve frame by frame, with the `Edits` made until each begins."""
    # The kernels of pulls are compiled with the others: no first pull has to wait for them.
    if not edits.is_compiled:
        pulled = simulation.edited(edits.pulled_scene())
        if not pulled.compile(cancelled, compiling):
            return
        edits.is_compiled = True
    index, restart = 0 if restart is None else restart.frame, fitted(restart, simulation)
    frames = simulation.frames(frame_count, cancelled, compiling, restart)
    while index < frame_count:
        scene = edits.take(index + 1)
        if scene is not None:
            if restart is not None:
                simulation.stepper.checkpoints.restore(restart)
            frames.close()
            simulation, before = simulation.edited(scene), simulation
            restart = Restart(index, carried(before, simulation, scene.rows))
            frames = simulation.frames(frame_count, cancelled, compiling, restart)
        frame = next(frames, None)
        if frame is None:
            return
        index, restart = frame.index, None
        state = partial(without_pulls, frame.state, edits.own_rows)
        yield replace(frame, state=state) if edits.used else frame


class Cancelled(Exception):  # noqa: N818
    """Raised before a part of the set-up when the user has cancelled."""


def _begin(cancelled, preparing, text):
    """Report in words that a part of the set-up begins, unless it is `cancelled`."""
    if cancelled is not None and cancelled():
        raise Cancelled
    if preparing is not None:
        preparing(text)


class Simulation:
    """A scene on a device: its `model`, its `stepper`, and the solution of its `frames`.

    `begin(text)` is called before each part of the set-up; it may raise `Cancelled`.
    """

    def __init__(self, bodies, settings, device="cpu", gravity=None, begin=lambda text: None):
        deformable = [body for body in bodies if isinstance(body, Deformable)]
        attachments = attachments_of([body for body in bodies if isinstance(body, Joint)])
        attachments += filter(None, map(bonds_of, deformable))
        attachments += [body for body in bodies if isinstance(body, Attachment)]  # pulls last
        colliders = [body for body in bodies if isinstance(body, Collider)]
        analytic = [body for body in bodies if isinstance(body, AnalyticCollider)]
        if not deformable:
            raise ValueError(message("bake.nothing"))
        rigid = [body.name for body in deformable if isinstance(body, RigidBody)]
        if rigid and settings.quasistatic:
            raise ValueError(message("bake.rigid_at_rest", name=rigid[0]))
        refuse_too_large(deformable, colliders, device)
        self.begin = begin
        scene = assemble(deformable, settings, attachments, begin)
        analytic = AnalyticMotion(analytic, scene, settings, device)
        self.kinematic = Kinematic(deformable, colliders, attachments, analytic, scene, device)
        begin(message("progress.surfaces"))
        surface = contact_surface(scene, deformable, colliders, settings)
        exclude_joined(surface.may_touch, scene.attachments, deformable)
        begin(message("progress.elements"))
        self.threads = settings.threads or core_count()
        workers = Workers(self.threads if wp.get_device(device).is_cpu else 1)
        launches = Launches(device, workers)
        fields = tuple(body for body in bodies if isinstance(body, ForceField))
        pressures = tuple(
            (number, body.pressure_in_time)
            for number, body in enumerate(deformable)
            if getattr(body, "pressure_in_time", None) is not None
        )
        outside = ExternalForces(gravity, fields, pressures)
        self.model = Model(scene, settings, surface, analytic.struct, launches, outside)
        self.tearing = Tearing(deformable, self.model)
        self.keyed = Keyed(self.model, deformable, colliders, analytic, attachments)
        self.deformable, self.device_name = deformable, device
        self.names = [body.name for body in [*deformable, *colliders]]

    def frames(self, frame_count, cancelled=None, compiling=None, restart=None):
        """Solve frame by frame, from the first one or from the one after `restart`."""
        model, threads = self.model, self.model.launches.threads
        try:
            if not self.compile(cancelled, compiling):
                return
            stepper, measure = self.stepper, self.measure
            self.begin(message("progress.frame_1"))
            done = 0 if restart is None else restart.frame
            if restart is not None:
                stepper.checkpoints.restore(restart)
            for index in range(done + 1, frame_count + 1):
                with explained(model.device), threads.at_work():
                    statistics = self._solve(stepper, measure, index, cancelled)
                    if statistics is None:
                        return
                    positions = self.tearing.lay_duplicates(model.positions())
                known = self.tearing.elements(), statistics, model.size, stepper.checkpoints.state
                known = *known, self.places, self._poses(), model.followers.skins()
                yield Frame(index, positions, *known)
        except Cancelled:
            return
        finally:
            threads.stop()

    def compile(self, cancelled=None, compiling=None):
        """Compile the kernels that are missing; return whether that was not cancelled."""
        model = self.model
        with explained(model.device):
            _ = self.stepper, self.measure  # record all launches
        modules = model.launches.modules()
        return compile_missing(modules, model.device, self.threads, compiling, cancelled)

    def edited(self, scene):
        """Return the simulation of an `EditedScene`, on the same device."""
        return Simulation(scene.bodies, scene.settings, self.device_name, scene.gravity)

    def _poses(self):
        """Return the poses of rigid bodies."""
        known = self.model.rigid.poses() if self.model.rigid else {}
        return [known[n][1:] if n in known else None for n in range(len(self.deformable))]

    def places(self):
        """Return the current `Places`."""
        with explained(self.model.device):
            return places(self.model)

    @cached_property
    def stepper(self):
        """The `Stepper`, which solves substeps; built on first use."""
        model = self.model
        if model.surface.can_touch:
            self.begin(message("progress.contact"))
            model.add_contact(Contact(model, self.names, model.settings))
        self.begin(message("progress.groups"))
        return Stepper(model, self.kinematic, self.tearing, Residual(model))

    @cached_property
    def measure(self):
        """The `Measure`, which reads the statistics of a frame."""
        by = self.stepper
        self.begin(message("progress.measures"))
        return Measure(self.model, by.residual, self.deformable, by.convergence, by.coarse)

    def _solve(self, stepper, measure, index, cancelled):
        """Solve one frame; return its `Statistics`, or None when cancelled."""
        settings = self.model.settings
        self.keyed.begin_frame(index * settings.frame_time)
        stepper.begin_frame(index, index * settings.frame_time)
        started, left = time.perf_counter(), settings.substeps
        while left is not None:
            for _ in range(left):
                if cancelled is not None and cancelled():
                    return None
                stepper.step()
            numbers = measure.read()
            left = stepper.end_frame(numbers)
        return measure.statistics(numbers, time.perf_counter() - started)
