# SPDX-License-Identifier: GPL-3.0-or-later
"""The first bake on a machine: where its seconds go while nothing is compiled yet.

    python benchmarks/first_bake.py [cloth]

Bakes 23 frames of Blender's default cube over a plane, without a window, with an empty kernel cache
of its own; with `cloth` then once more with a cloth added. Prints for each bake its clock time and
CPU time, and the seconds of every module that it compiled by step (CPU time of the thread): Python
(hashes and generates code), the compiler, and loading. Repeats it in a new process with the kernels
compiled.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict

FRAMES = 23
STEPS = ("python", "compiler", "load")


class Times:
    """Seconds of every module by step, measured in the functions of Warp that do the work."""

    def __init__(self):
        import warp as wp
        from warp._src import build

        self.seconds, self.of_thread = defaultdict(lambda: defaultdict(float)), threading.local()
        wp.Module.load = self._measured(wp.Module.load, "all")
        wp.Module._compile = self._measured(wp.Module._compile, "build")
        build.build_cpu = self._measured(build.build_cpu, "compiler")

    def _measured(self, function, step):
        def measured(*arguments, **more):
            if step == "all":
                self.of_thread.module = arguments[0].name
            seconds, started = self.seconds[self.of_thread.module], time.thread_time()
            try:
                return function(*arguments, **more)
            finally:
                seconds[step] += time.thread_time() - started

        return measured

    def tell(self):
        """Print a line for every compiled module, the longest first, and the sums; forget them."""
        rows = {
            name: (of["build"] - of["compiler"], of["compiler"], of["all"] - of["build"])
            for name, of in self.seconds.items()
            if of["compiler"]
        }
        if rows:
            print("".join(f"{step:>10}" for step in STEPS))
        for name, row in sorted(rows.items(), key=lambda item: -sum(item[1])):
            print("".join(f"{value:10.2f}" for value in row), f" {name}")
        sums = [sum(row[k] for row in rows.values()) for k in range(len(STEPS))]
        print("".join(f"{value:10.2f}" for value in sums), f" {len(rows)} modules")
        self.seconds.clear()


def cube_over_plane():
    """Blender's default cube, soft, over a plane."""
    bpy.ops.wm.read_factory_settings()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES + 1
    scene.vbd.frame_start, scene.vbd.frame_end = 1, FRAMES + 1
    scene.vbd.device = "CPU"
    bpy.data.objects["Cube"].location.z = 3.0
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    bpy.ops.vbd.add(role="COLLIDER")
    bpy.context.view_layer.objects.active.select_set(False)
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    bpy.data.objects["Cube"].select_set(True)
    bpy.ops.vbd.add(role="SOFT")


def add_cloth():
    """A cloth of 10 × 10 faces over the cube."""
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=10, y_subdivisions=10, size=4.0, location=(0.0, 0.0, 5.0)
    )
    bpy.ops.vbd.add(role="CLOTH")


def bake(name):
    """Bake the scene; print its clock time and CPU time."""
    started, cpu = time.perf_counter(), time.process_time()
    outcome = run_to_end(bake_steps(bpy.context), lambda line: None)
    clock, cpu = time.perf_counter() - started, time.process_time() - cpu
    assert outcome.frames == FRAMES
    print(f"{name}: {clock:.1f} s by the clock, {cpu:.1f} s of CPU time")


def inside(words):
    """Bake the scenes in this process."""
    vbd.register()
    times = Times()
    cube_over_plane()
    bake("cube")
    times.tell()
    if "cloth" in words:
        add_cloth()
        bake("cube and cloth")
        times.tell()
    sys.stdout.flush()
    os._exit(0)  # with what it has in its default file, Blender as a module hangs while it ends


def main(words):
    """Bake in a process of its own with an empty cache, then in another with the filled one."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"WARP_CACHE_PATH": folder}
        for cache in ("empty", "filled"):
            print(f"{cache} cache")
            command = [sys.executable, __file__, "inside", *words]
            subprocess.run(command, env=environment, check=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    if "inside" in words:
        import bpy

        import vbd
        from vbd.addon.baking.bake_steps import bake_steps, run_to_end

        inside(words)
    else:
        main(words)
