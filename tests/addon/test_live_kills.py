# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender that is killed while Live runs loses the frame in flight only."""

import random
import signal
import subprocess
import sys
import time

import bpy
import numpy as np
from blender_scenes import frames, slab, tet_block

from vbd.addon.baking.cache_place import cache_folder
from vbd.solver.cache import Cache

# Runs Live in a file, without waiting for real time, and prints the frames that are shown.
SCRIPT = """
import sys
import bpy
import vbd

vbd.register()
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
from vbd.addon.live import live_run
from vbd.addon.live.session import LiveSession

live_run.rate = lambda scene: 1e6
bpy.context.scene.frame_set(int(sys.argv[2]))
session = LiveSession(bpy.context)
while session.advance(0.01):
    print("shown", session.newest, flush=True)
"""


def killed(file, begin, until, patience):
    """Kill Live some time after it has shown frame `until`; return whether it still ran."""
    line = [sys.executable, "-u", "-c", SCRIPT, file, str(begin)]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        for printed in child.stdout:
            if printed.startswith("shown") and int(printed.split()[1]) >= until:
                break
        time.sleep(patience)
        child.send_signal(signal.SIGKILL)
        child.stdout.read()
    return child.returncode == -signal.SIGKILL


def test_kills_lose_the_frame_in_flight_only(scene, tmp_path, kills):
    frames(scene, 1, 300)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 4, 5
    tet_block()
    slab(height=-0.3)
    file, chance = str(tmp_path / "shot.blend"), random.Random(3)
    bpy.ops.wm.save_as_mainfile(filepath=file)
    folder, kept = cache_folder(bpy.context.scene), []
    for _ in range(kills):
        last = kept[-1] if kept else 0
        assert killed(file, 1 + last, last + 5, chance.uniform(0.0, 0.1))
        cache = Cache.open(folder)
        assert cache.restart_points()[-1] >= cache.sound() - 2
        kept.append(cache.sound() - 1)
        assert kept[-1] >= last + 5
    now = [cache.read(index)[0] for index in range(kept[-1] + 1)]
    bpy.ops.wm.open_mainfile(filepath=file)
    bpy.context.scene.vbd.frame_end = 1 + kept[-1]
    bpy.ops.vbd.bake(mode="NEW")
    again = Cache.open(folder)
    for index, points in enumerate(now):
        np.testing.assert_array_equal(points, again.read(index)[0])
