# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver in a thread of its own: bodies in, frames on disk. It never touches Blender."""

from dataclasses import dataclass
from queue import Queue
from threading import Event, Thread

from ..solver.cache import Cache
from .reader import Stopped


@dataclass
class Solved:
    """One frame that the solver has finished."""

    index: int
    count: int
    scene_frame: int
    stats: object
    model: object

    def line(self):
        """What is printed about it."""
        return (
            f"Frame {self.scene_frame} ({self.index}/{self.count})  {self.stats.seconds:.3f} s  "
            f"residual {self.stats.residual:.6e}"
        )


@dataclass
class Compiled:
    """So many of the modules that the first bake of a mix of bodies compiles are ready."""

    done: int
    count: int


class SolverThread(Thread):
    """Runs `simulate` and keeps its frames.

    Sends each to `inbox`, `Compiled` while it compiles, and None to wake its reader.
    """

    def __init__(self, gathered, device, folder, fps, bake):
        super().__init__(name="vbd-solver", daemon=True)
        self.gathered, self.device, self.folder, self.fps = gathered, device, folder, fps
        self.bake = bake
        self.stopping = Event()
        self.inbox = Queue()
        self.cache = None
        self.error = None
        gathered.reader.stop = self.stopping
        gathered.reader.wake = lambda: self.inbox.put(None)

    def run(self):
        try:
            self._solve()
        except Stopped:
            pass  # the frames so far are in the cache
        except BaseException as error:
            self.error = error  # raised or reported by the main thread
        finally:
            self.inbox.put(None)

    def _solve(self):
        # Warp takes half a second to import; not while Blender starts.
        from ..solver.simulate import simulate

        gathered = self.gathered
        frames = simulate(
            gathered.bodies,
            gathered.settings,
            gathered.frame_count,
            device=self.device,
            cancelled=self.stopping.is_set,
            gravity=gathered.gravity,
            compiling=lambda done, count: self.inbox.put(Compiled(done, count)),
        )
        cache = Cache.create(
            self.folder,
            names=[target.name for target in gathered.targets],
            vertex_counts=[len(points) for points in gathered.start()],
            settings=gathered.settings,
            bodies=gathered.bodies,
            fps=self.fps,
            frame_start=gathered.frame_start,
            bake=self.bake,
        )
        cache.write(0, gathered.start())
        self.cache = cache
        for frame in frames:
            cache.write(frame.index, gathered.local(frame.index, frame.exact_positions))
            self.inbox.put(
                Solved(
                    frame.index,
                    gathered.frame_count,
                    gathered.frame_start + frame.index,
                    frame.stats,
                    frame.model,
                )
            )
