# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs of a production: all kinds of bodies in one bake, estimates before it, and formats."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, fall, frames, mesh_object, sheet, shown, tet_block

from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.baking.sizes import bake_sizes, in_words


def drop(scene):
    """A soft block, a sheet and a rod that fall side by side for four frames."""
    block, cloth = tet_block(), sheet()
    cloth.location.y = 3.0
    rod = mesh_object("Rod", [(0, 6, k / 4) for k in range(5)], [(k, k + 1) for k in range(4)])
    rod.vbd.role = "ROD"
    for ob in (block, cloth, rod):
        ob.vbd.drag = 0.0
    frames(scene, 1, 5)
    return block, cloth, rod


def test_all_kinds_of_bodies_are_baked_in_one_solve(scene):
    objects = drop(scene)
    before = [shown(ob, 1) for ob in objects]
    baked()
    for ob, points in zip(objects, before, strict=True):
        fallen = points - shown(ob, 5)
        np.testing.assert_allclose(fallen.mean(axis=0), (0, 0, fall(scene, 4)), atol=1e-4)


def test_a_bake_takes_no_more_than_was_told_before_it(scene, tmp_path):
    cloth = sheet(cells=20)
    frames(scene, 1, 11)
    scene.vbd.restart_every = 5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "drop.blend"))
    disk, memory = bake_sizes(scene)
    baked()
    keys = sum(len(key.data) for key in cloth.data.shape_keys.key_blocks)
    assert memory <= 12 * keys <= 1.2 * memory  # 11 shapes, and the basis
    files = sum(file.stat().st_size for file in cache_folder(scene).iterdir())
    # Reported is the size of a checkpoint with contact; without, it is a quarter of that.
    assert 0.2 * disk < files < disk


def test_sizes_are_told_as_people_say_them():
    assert [in_words(size) for size in (1500, 3e7, 2.34e9)] == ["1.5 kB", "30 MB", "2.3 GB"]


def through_alembic(path):
    bpy.ops.wm.alembic_export(filepath=path + ".abc", start=1, end=5)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.alembic_import(filepath=path + ".abc")


def through_usd(path):
    bpy.ops.wm.usd_export(filepath=path + ".usdc", export_animation=True)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.usd_import(filepath=path + ".usdc")


@pytest.mark.parametrize("through", [through_alembic, through_usd])
def test_a_bake_moves_in_other_programs(scene, tmp_path, through):
    cloth = sheet()
    frames(scene, 1, 5)
    scene.frame_start, scene.frame_end = 1, 5
    baked()
    before = {frame: shown(cloth, frame)[:, 2] for frame in range(1, 6)}
    through(str(tmp_path / "sheet"))
    (again,) = (ob for ob in bpy.data.objects if ob.type == "MESH")
    for frame, heights in before.items():
        np.testing.assert_allclose(np.sort(shown(again, frame)[:, 2]), np.sort(heights), atol=1e-5)
