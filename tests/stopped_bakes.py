# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene whose bake is stopped, and the frames of one without a break."""

import shutil

import bpy  # noqa: TID251
import numpy as np
from blender_scenes import frames, pin, sheet, slab, slide, tet_block

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.baking.cache_place import cache_folder
from vbd.solver.cache import Cache

FRAMES = 10


def saved_scene(scene, tmp_path):
    """A saved file: a kinematic cloth over a block that falls onto a rising floor."""
    frames(scene, 1, 1 + FRAMES)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    scene.vbd.restart_every = 3
    tet_block().location.z = 0.02
    cloth = sheet()
    cloth.location.z = 1.1
    pin(cloth, [0, 4])
    slide(cloth, 0, 1, 1 + FRAMES, 0.3)
    slide(slab(), 2, 1, 1 + FRAMES, 0.1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return bpy.context.scene


def bake(after=None):
    return run_to_end(bake_steps(bpy.context, after=after), show=lambda _: None)


def stop_after(count, after=None):
    """Begin a bake, and drop it after so many frames, like Blender when a file is closed."""
    steps = bake_steps(bpy.context, after=after)
    while count:
        count -= next(steps) is not None
    steps.close()


def all_frames(folder):
    cache = Cache.open(folder)
    return [np.concatenate(cache.read(index)) for index in range(cache.sound())]


def whole_frames(scene):
    """The frames of a bake without a break, whose cache is removed."""
    bake()
    folder = cache_folder(scene)
    result = all_frames(folder)
    shutil.rmtree(folder)
    bpy.ops.wm.revert_mainfile()
    assert len(result) == 1 + FRAMES
    return result


def same_as(whole):
    got = all_frames(place())
    np.testing.assert_array_equal(got, whole)
    keys = bpy.data.objects["Sheet"].data.shape_keys.key_blocks
    points = [tuple(point.co) for point in keys[-1].points]
    cache = Cache.open(place())
    last, sheet_at = cache.read(FRAMES), cache.header.names.index("Sheet")
    np.testing.assert_array_equal(np.array(points, np.float32), last[sheet_at])
    return True


def place():
    """Folder of the frames of the scene."""
    return cache_folder(bpy.context.scene)
