# SPDX-License-Identifier: GPL-3.0-or-later
"""Needs of a production: all kinds of bodies in one bake, estimates before it, and formats."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    baked,
    empty_object,
    fall,
    frames,
    mesh_object,
    sheet,
    shown,
    slab,
    tet_block,
)

from vbd.addon.baking import report
from vbd.addon.baking.bake_steps import bake_steps
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


def meeting(scene):
    """One object of every role, and a hinge, that land on a slab."""
    scene.vbd.device = "CPU"
    slab(size=20.0)
    block, cloth, rod = drop(scene)
    crates = []
    for z in (0.3, 0.9):
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(-2.0, 0.0, z))
        crates.append(bpy.context.object)
        bpy.ops.vbd.add(role="RIGID")
    hinge = crates[1].vbd.attachments.add()
    hinge.kind, hinge.target = "HINGE", crates[0]
    hinge.axis_object = empty_object(location=(-2.0, 0.0, 0.6))
    points = np.indices((3, 3, 3)).reshape(3, -1).T * 0.2 + (2.0, -2.0, 0.15)
    grains = mesh_object("Grains", points, role="GRAINS")
    grains.vbd.grain_radius = 0.08
    for ob in (block, cloth, rod):
        ob.location.z = 0.3
    frames(scene, 1, 25)
    return [block, cloth, rod, *crates, grains]


def test_all_roles_are_baked_resumed_and_freed_together(scene):
    objects = meeting(scene)
    at_start = [shown(ob, 1) for ob in objects]

    def motion():
        return [[shown(ob, frame) for frame in (1, 12, 13, 25)] for ob in objects]

    whole = baked()
    plain = motion()
    steps = bake_steps(bpy.context)
    for solved in steps:
        if solved is not None and solved.index >= 11:
            bpy.context.window_manager.vbd.cancel_requested = True
    bpy.ops.vbd.bake(mode="RESUME")
    for ob, was, now in zip(objects, plain, motion(), strict=True):
        np.testing.assert_array_equal(now, was, err_msg=ob.name)
        assert 0.0 < now[-1][:, 2].min() < was[0][:, 2].min(), ob.name
    lines = [*whole.lines(), *report.loads(scene.vbd.report)[0]]
    assert not [line.text for line in lines if line.warns]
    bpy.ops.vbd.free_bake()
    for ob, points in zip(objects, at_start, strict=True):
        np.testing.assert_array_equal(shown(ob, 25), points)
        assert not ob.vbd.baked and ob.animation_data is None


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
