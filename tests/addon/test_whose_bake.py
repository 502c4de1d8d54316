# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of several scenes and files: freeing, replacing, and caches that follow."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, sheet, shown, tet_block

from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.baking.cache_place import bake_of, cache_folder, coarse_folder
from vbd.addon.baking.loading import write_keys
from vbd.addon.live.session import LiveSession
from vbd.addon.playing import baked, playback
from vbd.solver.cache import Cache
from vbd.solver.cache_lock import locked


def few_frames(scene):
    frames(scene, 1, 4)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 1, 2
    return scene


@pytest.fixture
def scene(scene):
    return few_frames(scene)


@pytest.fixture
def other(scene):
    """A second scene without objects."""
    return few_frames(bpy.data.scenes.new("Other"))


def bake(scene):
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        return run_to_end(bake_steps(bpy.context), show=lambda _: None)


def free(scene):
    with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        return bpy.ops.vbd.free_bake()


def as_by_version_0_1(ob, scene):
    """Remove properties that version 0.1 does not store."""
    folder = cache_folder(scene)
    header = folder / "header.json"
    header.write_text(header.read_text().replace(f'"bake": "{ob.vbd.bake_id}"', '"bake": ""'))
    assert bake_of(folder) == ""
    for name in ("bake_scene", "bake_id", "bake_vertices"):
        ob.vbd.property_unset(name)
    scene.vbd.property_unset("baked_as")


def test_freeing_leaves_the_bakes_of_another_scene(scene, other):
    shared, mine = sheet("Shared"), tet_block()
    other.collection.objects.link(shared)
    bpy.context.collection.objects.unlink(mine)
    other.collection.objects.link(mine)
    bake(scene)
    assert shared.vbd.baked and not mine.vbd.baked
    shared.vbd.role = "COLLIDER"  # which plays its bake in the other scene
    bake(other)
    played = shown(shared, 4)
    assert free(other) == {"FINISHED"}
    assert shared.vbd.baked and not mine.vbd.baked
    np.testing.assert_array_equal(shown(shared, 4), played)
    assert bake_of(cache_folder(scene)) == shared.vbd.bake_id
    assert not cache_folder(other).exists()
    with pytest.raises(RuntimeError, match="baked in the scene Scene; free them there"):
        free(other)
    assert free(scene) == {"FINISHED"}
    assert not shared.vbd.baked and not cache_folder(scene).exists()


def test_a_bake_of_another_scene_is_replaced_knowingly(scene, other):
    block = tet_block()
    other.collection.objects.link(block)
    bake(scene)
    level, text = bake(other).report()
    assert level == "WARNING"
    assert "Block: this bake replaces the one in the scene Scene" in text
    assert baked.owners(block) == [other]
    assert not cache_folder(scene).exists() and cache_folder(other).exists()
    assert bake(other).report()[0] == "INFO"


def test_a_scene_that_is_renamed_keeps_its_bake_and_a_copy_does_not_take_it(scene, other):
    block = tet_block()
    other.collection.objects.link(block)
    bake(scene)
    scene.name = "Shot"
    assert baked.owners(block) == [scene]
    scene.name = "Scene"
    copy = scene.copy()
    assert block.name in copy.objects
    assert baked.owners(block) == [scene]


def test_the_bake_of_a_scene_that_is_gone_can_be_freed_where_its_objects_are(scene, other):
    block = tet_block()
    other.collection.objects.link(block)
    bake(scene)
    bpy.data.scenes.remove(scene)
    assert baked.owners(block) == [other]
    assert free(other) == {"FINISHED"}
    assert not block.vbd.baked


def test_a_full_copy_of_a_scene_frees_its_own_objects_and_leaves_the_cache(scene):
    block = tet_block()
    bake(scene)
    bpy.ops.scene.new(type="FULL_COPY")
    copy = next(s for s in bpy.data.scenes if s != scene)
    (twin,) = copy.objects
    assert twin != block and twin.vbd.baked
    assert free(copy) == {"FINISHED"}
    assert not twin.vbd.baked and block.vbd.baked
    assert bake_of(cache_folder(scene)) == block.vbd.bake_id
    assert free(scene) == {"FINISHED"}
    assert not cache_folder(scene).exists()


def test_a_bake_by_version_0_1_plays_and_is_freed_with_its_cache(scene, other):
    block = tet_block()
    other.collection.objects.link(block)
    bake(scene)
    as_by_version_0_1(block, scene)
    assert set(baked.owners(block)) == {scene, other}
    assert not baked.is_edited(block)
    free(scene)
    assert block.data.shape_keys is None and not cache_folder(scene).exists()


def test_the_first_save_takes_the_cache_along(scene, tmp_path):
    tet_block()
    bake(scene)
    unsaved = cache_folder(scene)
    assert unsaved.is_dir()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert not unsaved.exists()
    assert cache_folder(scene) == tmp_path / "vbd_cache" / "shot_Scene"
    assert Cache.open(cache_folder(scene)).finished() == 4
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.vbd.free_bake()
    assert bpy.data.objects["Block"].vbd.bake_record == ""
    assert [path.name for path in tmp_path.iterdir()] == ["shot.blend"]


@pytest.mark.parametrize("folder", [".", "elsewhere"])
def test_save_as_gives_each_file_a_cache_of_its_own(scene, tmp_path, folder):
    tet_block()
    first, second = tmp_path / "shot.blend", tmp_path / folder / "take_2.blend"
    second.parent.mkdir(exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(first))
    bake(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(first))
    bpy.ops.wm.save_as_mainfile(filepath=str(second))
    old, new = cache_folder(scene, first), cache_folder(scene, second)
    assert Cache.open(old).finished() == Cache.open(new).finished() == 4
    bpy.ops.vbd.free_bake()
    assert not new.exists()
    assert Cache.open(old).finished() == 4
    bpy.ops.wm.open_mainfile(filepath=str(first))
    bpy.ops.vbd.free_bake()
    assert not old.exists()


def test_saving_a_copy_moves_nothing(scene, tmp_path):
    tet_block()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bake(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "copy.blend"), copy=True)
    assert [path.name for path in (tmp_path / "vbd_cache").iterdir()] == ["shot_Scene"]


def test_the_cache_of_a_renamed_scene_follows_at_the_next_save(scene, tmp_path):
    tet_block()
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bake(scene)
    scene.name = "Duel"
    bpy.ops.wm.save_mainfile()
    assert [folder.name for folder in (tmp_path / "vbd_cache").iterdir()] == ["shot_Duel"]


def test_a_renamed_scene_frees_its_cache_without_a_save_and_not_that_of_its_old_name(scene):
    block = tet_block()
    bake(scene)
    scene.name = "Duel"
    second = few_frames(bpy.data.scenes.new("Scene"))
    cloth = sheet()
    second.collection.objects.link(cloth)
    bpy.context.collection.objects.unlink(cloth)
    bake(second)
    assert bake_of(cache_folder(scene)) == block.vbd.bake_id
    free(scene)
    assert not cache_folder(scene).exists()
    assert Cache.open(cache_folder(second)).finished() == 4


def test_the_cache_of_a_bake_that_was_never_saved_goes_with_the_one_before_it(scene, tmp_path):
    tet_block()
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bake(scene)
    bpy.ops.wm.save_mainfile()
    bake(scene)
    bpy.ops.wm.open_mainfile(filepath=path)
    bpy.ops.vbd.free_bake()
    assert not (tmp_path / "vbd_cache").exists()


def test_what_is_left_of_objects_that_were_deleted_is_freed(scene, capsys):
    """A cache of many gigabytes must not stay without a button that removes it."""
    ob, other = tet_block(), sheet()
    bake(scene)
    folder = cache_folder(scene)
    bpy.data.objects.remove(other)
    assert free(scene) == {"FINISHED"} and not folder.exists()
    bake(scene)
    bpy.data.objects.remove(ob)
    assert Cache.open(folder).finished() == 4
    sheet("Later")
    capsys.readouterr()
    assert free(scene) == {"FINISHED"}
    assert f"Frames 1 to 4 of 1 to 4 were deleted from {folder}, because no object plays them" in (
        capsys.readouterr().out
    )
    assert not folder.exists()
    with pytest.raises(RuntimeError, match="No object in the scene is baked"):
        free(scene)


def test_frames_that_cannot_be_deleted_are_told(scene, monkeypatch, capsys):
    ob = tet_block()
    bake(scene)
    bpy.data.objects.remove(ob)

    def refuse(_folder):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("vbd.addon.baking.cache_place.cache.remove", refuse)
        assert free(scene) == {"FINISHED"}
    assert "its cache could not be deleted: Permission denied" in capsys.readouterr().out
    assert cache_folder(scene).exists()
    assert free(scene) == {"FINISHED"} and not cache_folder(scene).exists()


def test_nothing_that_is_not_ours_is_removed(scene, tmp_path):
    tet_block()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bake(scene)
    letter = cache_folder(scene) / "letter.txt"
    letter.write_text("mine")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "take.blend"))
    bpy.ops.vbd.free_bake()
    assert not cache_folder(scene).exists()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert letter.read_text() == "mine"


def test_a_cache_that_cannot_follow_is_told_and_stays(scene, tmp_path, capsys):
    tet_block()
    bake(scene)
    unsaved = cache_folder(scene)
    (tmp_path / "vbd_cache").write_text("in the way")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert "The cache stays at its old place" in capsys.readouterr().out
    assert Cache.open(unsaved).finished() == 4
    bpy.ops.vbd.free_bake()
    assert not unsaved.exists()


def edit(ob, operator):
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    operator()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_editing_a_baked_mesh_is_warned_of_in_and_after_edit_mode(scene):
    ob = sheet()
    bake(scene)
    assert baked.warnings(scene) == []
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    assert baked.warnings(scene) == [
        "Sheet is baked and is in Edit Mode",
        "Leave Edit Mode to free the bake",
    ]
    bpy.ops.object.mode_set(mode="OBJECT")
    assert baked.warnings(scene) == []
    edit(ob, bpy.ops.mesh.subdivide)
    assert baked.warnings(scene)[0] == "Sheet is baked and was edited"
    bpy.ops.vbd.free_bake()
    assert baked.warnings(scene) == []


@pytest.mark.parametrize("operator", [bpy.ops.mesh.subdivide, bpy.ops.mesh.unsubdivide])
def test_an_edited_bake_can_be_baked_again_and_freed(scene, operator):
    ob = sheet()
    bake(scene)
    edit(ob, operator)
    count = len(ob.data.vertices)
    assert bake(scene).frames == 3
    assert len(shown(ob, 3)) == count
    assert baked.warnings(scene) == []
    playback.free(ob)
    assert ob.data.shape_keys is None and len(ob.data.vertices) == count


def test_a_partial_bake_is_marked_until_it_is_freed_or_whole(scene):
    tet_block()
    scene.vbd.frame_end = 1000
    steps = bake_steps(bpy.context)
    while next(steps) is None:
        pass
    bpy.ops.vbd.cancel_bake()
    outcome = run_to_end(steps, show=lambda _: None)
    missing = 999 - outcome.frames
    assert scene.vbd.frames_missing == missing > 0
    assert baked.warnings(scene) == [f"Partial bake: {missing} frames missing"]
    scene.vbd.frame_end = 4
    bake(scene)
    assert baked.warnings(scene) == []


def test_no_other_bake_may_begin_before_the_frames_are_keys(scene, monkeypatch):
    tet_block()
    written = []

    def write(*known):
        with pytest.raises(BlockingIOError), locked(cache_folder(scene)):
            pass
        written.extend(known[1])
        return write_keys(*known)

    monkeypatch.setattr("vbd.addon.baking.run.write_keys", write)
    assert bake(scene).frames == 3 and len(written) == 1
    with locked(cache_folder(scene)):
        pass


def test_frames_that_another_bake_writes_are_not_deleted(scene, capsys):
    tet_block()
    bake(scene)
    before = sorted(cache_folder(scene).iterdir())
    with locked(cache_folder(scene)):
        assert free(scene) == {"FINISHED"}
    assert "Another bake is writing these frames" in capsys.readouterr().out
    assert sorted(cache_folder(scene).iterdir()) == before
    assert free(scene) == {"FINISHED"} and not cache_folder(scene).exists()


def test_frames_do_not_follow_to_where_another_bake_writes(scene, other):
    tet_block()
    bake(scene)
    was, scene.name = cache_folder(scene), "Renamed"
    other.collection.objects.link(sheet())
    with locked(cache_folder(scene)):
        assert bake(other).frames == 3
    assert Cache.open(was).finished() == 4
    bake(other)
    assert Cache.open(cache_folder(scene)).finished() == 4 and not was.exists()


def test_the_coarse_preview_has_its_lock_too(scene):
    tet_block()
    scene.vbd.live_coarse = True
    session = LiveSession(bpy.context)
    with locked(coarse_folder(scene)), pytest.raises(BlockingIOError):
        while session.advance(0.01):
            pass
    assert not bpy.context.window_manager.vbd.live
