# SPDX-License-Identifier: GPL-3.0-or-later
"""Export Point Cache: the files contain the bake, and Blender plays it from them."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, pin, sheet, shown, slide

from vbd.addon.files.point_cache import HEADER, write_pc2
from vbd.addon.playing.baked import edits


@pytest.fixture
def cape(scene):
    """A baked cape that is dragged along, with a modifier behind the simulation."""
    ob = sheet("A/b", cells=3)
    pin(ob, [0, 1])
    slide(ob, 0, 1, 6, 0.5)
    ob.modifiers.new("Smooth", "SUBSURF").levels = 1
    frames(scene, 2, 6)
    scene.vbd.device = "CPU"
    baked()
    return ob


def motion(ob):
    times = [(frame, sub) for frame in range(1, 9) for sub in (0.0, 0.25)]
    return [shown(ob, *time) for time in times]


def test_a_file_has_every_baked_frame(cape, tmp_path):
    assert bpy.ops.vbd.export_point_cache(directory=str(tmp_path / "new")) == {"FINISHED"}
    (path,) = (tmp_path / "new").iterdir()
    assert path.name == "A_b.pc2"
    data = path.read_bytes()
    signature, version, points, first, rate, count = HEADER.unpack_from(data)
    assert (signature, version, points) == (b"POINTCACHE2\0", 1, 16)
    assert (first, rate, count) == (2.0, 1.0, 5)
    samples = np.frombuffer(data, "<f4", offset=HEADER.size).reshape(count, points, 3)
    keys = cape.data.shape_keys.key_blocks
    for name, sample in zip(json.loads(cape.vbd.bake_record)["blocks"], samples, strict=True):
        assert np.array_equal([tuple(point.co) for point in keys[name].data], sample)


@pytest.mark.parametrize("remap", [(100, 100), (100, 50)])
def test_blender_plays_the_file_in_place_of_keys(cape, tmp_path, remap):
    render = bpy.context.scene.render
    render.frame_map_old, render.frame_map_new = remap
    baked()
    before = motion(cape)
    bpy.ops.vbd.export_point_cache(directory=str(tmp_path), play=True)
    assert cape.data.shape_keys is None and cape.vbd.baked and not edits(bpy.context.scene)
    assert [modifier.type for modifier in cape.modifiers] == ["MESH_CACHE", "SUBSURF"]
    assert np.allclose(motion(cape), before, rtol=0, atol=1e-5)
    assert not bpy.ops.vbd.export_point_cache.poll()
    assert not bpy.ops.vbd.convert_to_relative.poll()


def test_a_bake_that_plays_a_file_can_be_freed_and_baked_again(cape, tmp_path):
    before = motion(cape)
    bpy.ops.vbd.export_point_cache(directory=str(tmp_path), play=True)
    baked()
    assert [modifier.type for modifier in cape.modifiers] == ["SUBSURF"]
    assert np.allclose(motion(cape), before, rtol=0, atol=1e-6)
    bpy.ops.vbd.export_point_cache(directory=str(tmp_path), play=True)
    bpy.ops.vbd.free_bake()
    assert [modifier.type for modifier in cape.modifiers] == ["SUBSURF"]
    assert not cape.vbd.baked and cape.data.shape_keys is None


def test_own_keys_and_deforming_modifiers_come_back(cape, tmp_path):
    bpy.ops.vbd.free_bake()
    cape.shape_key_add(name="Basis")
    cape.shape_key_add(name="Mine").value = 0.5
    wave = cape.modifiers.new("Wave", "WAVE")
    cape.modifiers.move(1, 0)
    baked()
    before = motion(cape)
    bpy.ops.vbd.export_point_cache(directory=str(tmp_path), play=True)
    assert np.allclose(motion(cape), before, rtol=0, atol=1e-5)
    assert not wave.show_viewport
    bpy.ops.vbd.free_bake()
    assert wave.show_viewport and list(cape.data.shape_keys.key_blocks.keys()) == ["Basis", "Mine"]


def test_a_folder_that_cannot_be_written_changes_nothing(cape, tmp_path):
    (tmp_path / "file").write_text("mine")
    record = cape.vbd.bake_record
    with pytest.raises(RuntimeError, match="Cannot write the point cache"):
        bpy.ops.vbd.export_point_cache(directory=str(tmp_path / "file"), play=True)
    assert cape.vbd.bake_record == record


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.pc2"
    path.write_text("mine")

    def broken():
        yield np.zeros((2, 3), np.float32)
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write_pc2(path, 1, broken())
    assert path.read_text() == "mine" and list(tmp_path.iterdir()) == [path]
