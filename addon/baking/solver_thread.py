# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver in a thread of its own: bodies in, frames on disk. It never touches Blender."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Queue
from threading import Event, Thread
from uuid import uuid4

import numpy as np

from ...solver.cache import Cache
from ...solver.messages import message
from ..gathering.reader import Stopped
from .body_reports import BodyReports
from .frame_numbers import Shapes, numbers_of, places_of
from .resuming import resume_error


@dataclass
class Solved:
    """One frame that the solver has finished."""

    index: int
    count: int
    scene_frame: int
    stats: object
    model: object

    def line(self):
        """The printed line about the frame."""
        return message(
            "progress.frame",
            frame=self.scene_frame,
            index=self.index,
            count=self.count,
            seconds=self.stats.seconds,
            residual=self.stats.residual,
        )


@dataclass
class Compiled:
    """Number of compiled modules among those that the first bake of a mix of bodies needs."""

    done: int
    count: int

    @property
    def text(self):
        """The text shown meanwhile."""
        if self.done == self.count:
            return message("progress.starting")
        return message("progress.compiling", module=self.done + 1, count=self.count)


@dataclass
class Prepared:
    """A part of the set-up that begins, in words."""

    text: str


class SolverThread(Thread):
    """Runs `simulate`; another thread saves each frame while the next one is solved.

    Sends each to `inbox`, `Prepared` and `Compiled` before, and None to wake its reader. With
    `gives_way` it leaves the cores to the drawing of Blender's window. `between(index)` is called
    before frame `index`, also before the first one.
    """

    between = None
    edits = None
    """The solver's `Edits` of the run, if it may have some."""
    has_changed = False
    """True if the input of the run is not that of the frames before."""
    shown = ()
    """The last frames: their number, and per body world positions [vertex, 3] and offsets of its
    smooth skin [point, 3], both in m.
    """

    def __init__(self, gathered, device, folder, fps, kept=None, gives_way=False):
        super().__init__(name="vbd-solver", daemon=True)
        self.gathered, self.device, self.folder, self.fps = gathered, device, folder, fps
        self.kept = kept  # the `resuming.SavedFrames` to resume after; None to start over
        self.gives_way = gives_way
        self.bake = kept.cache.header.bake if kept else uuid4().hex
        self.stopping = Event()
        self.inbox = Queue()
        self.cache = kept.cache if kept else None
        self.error = None
        self.shapes, self.bodies = Shapes(gathered), BodyReports(gathered)
        gathered.reader.stop = self.stopping
        gathered.reader.wake = lambda: self.inbox.put(None)

    def run(self):
        try:
            self._solve()
        except Stopped:
            pass  # the frames so far are in the cache
        except BaseException as error:
            # Raised or reported by the main thread.
            self.error = resume_error(error, self.kept, self.gathered) if self.kept else error
        finally:
            self.inbox.put(None)

    def _solve(self):
        # Warp takes half a second to import; not while Blender starts.
        from ...solver.device import thread_priority
        from ...solver.rest_shapes.files import read_rest_shapes, write_rest_shapes
        from ...solver.simulate import simulate

        lower = thread_priority.give_way if self.gives_way else None
        if lower:
            lower()
        gathered = self.gathered
        shapes = read_rest_shapes(self.folder)
        frames = simulate(
            gathered.bodies,
            gathered.settings,
            gathered.frame_count,
            device=self.device,
            cancelled=self.stopping.is_set,
            gravity=gathered.gravity,
            compiling=lambda done, count: self.inbox.put(Compiled(done, count)),
            restart=self.kept and self.kept.restart(),
            preparing=lambda text: self.inbox.put(Prepared(text)),
            rest_shapes=shapes,
            edits=self.edits,
        )
        if self.stopping.is_set():
            return  # before anything is written
        self.bodies.sags = shapes.sags()
        if not self.kept:
            self.cache = self._new_cache()
        if shapes.shapes:
            write_rest_shapes(self.cache.folder, shapes)
        with ThreadPoolExecutor(1, initializer=lower) as writer:
            saved = None
            for frame in self._paced(frames):
                points = gathered.local(frame.index, frame.exact_positions, frame.skins)
                if self.kept and frame.index == self.kept.frame + 1:
                    self._resume()  # only once the first new frame is solved
                self._note(frame.index)
                self.shown = (*self.shown[-2:], (frame.index, frame.exact_positions, frame.skins))
                places = frame.places()
                self.bodies.take(frame, places)
                numbers = self._numbers(frame.index, frame, places)
                # On the CPU these arrays are those of the solver.
                state = {name: np.array(values) for name, values in frame.state().items()}
                if saved:
                    saved.result()
                solved = Solved(
                    frame.index,
                    gathered.frame_count,
                    gathered.frame_start + frame.index,
                    frame.stats,
                    frame.model,
                )
                saved = writer.submit(self._save, solved, points, numbers, state)
            if saved:
                saved.result()

    def _paced(self, frames):
        """The `frames`, with the calls `between` them."""
        index = self.kept.frame if self.kept else 0
        while True:
            index += 1
            if self.between:
                self.between(index)
            frame = next(frames, None)
            if frame is None:
                return
            yield frame

    def _note(self, index):
        """Note in the cache that frames are not those of one input, from `index` on."""
        if self.has_changed:
            self.cache.note_edits(index)
        elif self.edits is not None:
            self.cache.note_edits(self.edits.first_frame)
            self.bodies.energy.counts &= not self.edits.first_frame  # pulls do work

    def _save(self, solved, points, numbers, state):
        """Save a frame, then send it."""
        index = solved.index
        self.cache.write(index, points)
        self.cache.write_stats(index, numbers)
        self.cache.write_state(index, state, self.gathered.restart_every)
        self.inbox.put(solved)

    def _new_cache(self):
        """A cache with the input state in it."""
        gathered = self.gathered
        cache = Cache.create(
            self.folder,
            names=[target.name for target in gathered.targets],
            vertex_counts=[len(points) for points in gathered.start()],
            settings=gathered.settings,
            bodies=gathered.bodies,
            fps=self.fps,
            frame_start=gathered.frame_start,
            frame_count=gathered.frame_count,
            device=self.device,
            bake=self.bake,
        )
        cache.write(0, gathered.start())
        cache.write_stats(0, self._numbers(0))
        return cache

    def _numbers(self, index, frame=None, places=None):
        """The saved numbers of a `Frame` and its `Places`, or of the input state."""
        numbers = numbers_of(frame.stats) | places_of(places) if frame else {}
        positions = frame.exact_positions if frame else self.shapes.start
        return numbers | self.shapes.numbers(index, positions, frame.stats if frame else None)

    def _resume(self):
        """Replace the old frames behind the frame to resume after by the new ones."""
        gathered = self.gathered
        self.cache.cut(self.kept.frame)
        known = {"frame_count": gathered.frame_count, "device": self.device}
        self.cache.describe(gathered.settings, gathered.bodies, **known)
