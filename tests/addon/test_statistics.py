# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of a bake: stored with its frames, and written as a table or for scripts."""

import csv
import json
import resource
import sys

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, pin, shown, tet_block
from shapes import box

from vbd.addon.baking.bake_steps import bake_steps, cache_folder, run_to_end
from vbd.addon.baking.frame_numbers import PLACES, frames_of, places_in
from vbd.addon.headless.command import run
from vbd.solver.cache import Cache

LAST = 5
# Blender and the cache store float32.
FLOAT32 = 1e-5


@pytest.fixture
def falling(scene, tmp_path):
    """A saved scene of one block of 1 m³ that falls."""
    ob = tet_block()
    frames(scene, 1, LAST)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    return ob


def test_a_table_has_a_row_per_frame_and_tells_what_is_seen(falling, tmp_path):
    outcome = baked()
    path = tmp_path / "numbers.csv"
    assert bpy.ops.vbd.save_statistics(filepath=str(path)) == {"FINISHED"}
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["frame"]) for row in rows] == [*range(1, LAST + 1)]
    fps = bpy.context.scene.render.fps
    before = shown(falling, 1).mean(axis=0)
    for row in rows[1:]:
        middle = shown(falling, int(row["frame"])).mean(axis=0)
        told = [float(row[f"Block: {axis} [m]"]) for axis in "xyz"]
        np.testing.assert_allclose(told, middle, atol=FLOAT32)
        speed = fps * np.linalg.norm(middle - before)
        assert float(row["Block: speed [m/s]"]) == pytest.approx(speed, abs=fps * FLOAT32)
        assert float(row["Block: volume [m3]"]) == pytest.approx(1.0, abs=1e-3)
        assert float(row["Block: stretch"]) == pytest.approx(1.0, abs=1e-3)
        assert int(row["iterations"]) == 5
        assert float(row["seconds [s]"]) > 0.0
        before = middle
    stats = outcome.last.stats
    assert float(rows[-1]["residual"]) == stats.residual
    assert float(rows[-1]["kinetic_energy [J]"]) == stats.kinetic_energy
    assert float(rows[-1]["error [mm]"]) == pytest.approx(1e3 * stats.error)
    assert rows[0]["seconds [s]"] == rows[0]["Block: speed [m/s]"] == ""


def test_a_resumed_bake_has_the_numbers_of_one_without_a_break(falling, tmp_path):
    def numbers():
        told = frames_of(Cache.open(cache_folder(bpy.context.scene)))
        return [{**frame, "seconds": None} for frame in told]

    baked()
    whole = numbers()
    bpy.ops.vbd.free_bake()
    bpy.context.scene.vbd.frame_end = LAST - 2
    baked()
    bpy.context.scene.vbd.frame_end = LAST
    run_to_end(bake_steps(bpy.context, after=LAST), show=lambda _: None)
    assert numbers() == whole


def test_the_command_line_writes_them_too(falling, tmp_path, capsys):
    file = bpy.data.filepath
    path = tmp_path / "numbers.json"
    assert run(["bake", file, "--stats", str(tmp_path / "numbers.txt")], "vbd") == 2
    assert "must end in .csv or .json" in capsys.readouterr().err
    assert run(["bake", file, "--stats", str(path)], "vbd") == 0
    assert f"Saved {path}" in capsys.readouterr().out
    told = json.loads(path.read_text())
    assert [frame["frame"] for frame in told["frames"]] == [*range(1, LAST + 1)]
    assert told["frames"][-1]["objects"]["Block"]["volume"] == pytest.approx(1.0, abs=1e-3)
    assert told["units"]["error"] == "mm"
    last = told["frames"][-1]
    assert last["objects"]["Block"]["error"] == pytest.approx(last["error"])
    path.unlink()
    output = ["--output", str(tmp_path / "shot_baked.blend")]
    assert run(["bake", file, *output, "--load", "--stats", str(path)], "vbd") == 0
    assert json.loads(path.read_text()) == told


def test_what_is_crushed_is_known_by_its_place(scene):
    ob = tet_block(cells=(1, 1, 1))
    points, _ = box((1, 1, 1))
    pin(ob, range(len(points)))
    for index, key in enumerate((1.0, -1.0)):  # a pinned block that is turned inside out
        ob.scale.z = key
        ob.keyframe_insert("scale", frame=1 + 3 * index)
    frames(scene, 1, 4)
    scene.vbd.device = "CPU"
    outcome = baked()
    cache = Cache.open(cache_folder(scene))
    found = places_in(cache.read_stats(3), "inside_out")
    assert len(found) == outcome.last.stats.inverted > 0
    assert (np.abs(found) <= 1.0).all()


def test_where_things_touch_is_known_and_written_for_scripts(falling, tmp_path):
    scene = bpy.context.scene
    scene.vbd.use_ground = True
    outcome = baked()
    cache = Cache.open(cache_folder(scene))
    rows = places_in(cache.read_stats(LAST - 1), "contacts_at")
    assert len(rows) == outcome.last.stats.contacts > 0
    np.testing.assert_allclose(rows[:, 3:], np.tile([0.0, 0.0, 1.0], (len(rows), 1)), atol=1e-5)
    assert len(places_in(cache.read_stats(LAST - 1), "stuck")) == 0
    path = tmp_path / "numbers.json"
    bpy.ops.vbd.save_statistics(filepath=str(path))
    told = json.loads(path.read_text())["frames"][-1]
    assert told["contacts_at"] == rows.tolist() and told["inside_out"] == []


@pytest.mark.parametrize("text", ["", "[]", "{", '{"objects": 3, "residual": "x"}', "NaN"])
def test_files_that_say_nothing_are_empty_cells(falling, text):
    baked()
    cache = Cache.open(cache_folder(bpy.context.scene))
    path = cache.folder / "stats_000002.json"
    path.write_text(text)
    told = frames_of(cache)[2]
    assert told["residual"] is None
    assert told["objects"]["Block"]["x"] is None
    assert all(places_in(cache.read_stats(2), name).shape == (0, PLACES[name]) for name in PLACES)


@pytest.mark.any_blender
@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
@pytest.mark.parametrize("kind", [".csv", ".json"])
def test_a_disk_that_is_full_leaves_the_file_that_was_there(falling, tmp_path, kind):
    baked()
    path = tmp_path / f"numbers{kind}"
    path.write_text("those of yesterday")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(RuntimeError, match=rf"Cannot write numbers{kind} \(File too large\)"):
            bpy.ops.vbd.save_statistics(filepath=str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "those of yesterday"
    assert [p.name for p in tmp_path.glob("numbers*")] == [path.name]


def test_without_frames_on_disk_there_are_none(falling, tmp_path):
    baked()
    for path in cache_folder(bpy.context.scene).iterdir():
        path.unlink()
    cache_folder(bpy.context.scene).rmdir()
    with pytest.raises(RuntimeError, match="are no longer on disk"):
        bpy.ops.vbd.save_statistics(filepath=str(tmp_path / "numbers.csv"))
    assert not (tmp_path / "numbers.csv").exists()
