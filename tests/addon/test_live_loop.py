# SPDX-License-Identifier: GPL-3.0-or-later
"""Live with Loop on keeps its memory, and leaves nothing behind when it ends."""

import gc
import os
import threading

import bpy
import pytest
import warp as wp
from blender_scenes import frames, slab, tet_block

import vbd
from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.live import live_run
from vbd.addon.live.session import LiveSession

# Frames before memory is compared: the heap of a process grows at first, until it has found room
# for two models in all of its pieces.
WARM = 2500
# What the heap of a process may differ by from minute to minute, as a fraction.
GROWTH = 0.02
PRINTED = 250
LAST, LONG = 21, 51
HANDLERS = ("frame_change_pre", "frame_change_post", "depsgraph_update_post", "render_init")
HANDLERS += ("load_pre", "load_post", "save_pre", "undo_pre", "redo_pre")


@pytest.fixture
def scene(scene, monkeypatch):
    frames(scene, 1, LAST)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    monkeypatch.setattr(live_run, "rate", lambda scene: 1e6)  # does not wait for real time
    tet_block()
    slab(height=-0.1)
    return scene


@pytest.fixture
def live_frames(request):
    return request.config.getoption("live_frames")


def resident():
    """Memory of this process [MB]."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def held():
    """Counts that must not grow: data-blocks of Blender, handlers, threads, and bytes
    of arrays of the solver that something still refers to.
    """
    gc.collect()
    arrays = (each for each in gc.get_objects() if type(each) is wp.array)
    return {
        "blocks": {k: len(getattr(bpy.data, k)) for k in ("meshes", "objects", "node_groups")},
        "modifiers": sum(len(ob.modifiers) for ob in bpy.data.objects),
        "handlers": {name: len(getattr(bpy.app.handlers, name)) for name in HANDLERS},
        "threads": threading.active_count(),
        "frozen": gc.get_freeze_count() > 0,
        "arrays": sum(each.capacity for each in arrays),
        "is_live": LiveSession.current is not None,
    }


def looped(wanted):
    """Run Live with Loop on for so many frames; yields the frames, runs, and frames of the present
    run after every visit.
    """
    state, live = bpy.context.window_manager.vbd, LiveSession(bpy.context)
    state.loop, before, seen, runs, count = True, None, 0, 0, 0
    try:
        while live.advance(0.01):
            if live.run is not before:
                before, seen, runs = live.run, 0, runs + 1
            count, seen = count + max(live.newest - seen, 0), max(live.newest, seen)
            state.cancel_requested = count >= wanted
            yield count, runs, seen
    finally:  # also where the caller has enough; registered anew, the state is another one
        bpy.context.window_manager.vbd.loop = False


def test_a_loop_keeps_its_memory(scene):
    found, files = {}, set()
    for _, runs, seen in looped(7 * (LAST - 1)):
        if runs not in found and seen > LAST // 2:
            found[runs] = held()
            files.add(len(os.listdir(cache_folder(scene))))
    _, _, *later = found.values()  # a run may end unseen, so there are 6 of them, or 7, or 8
    # A frame on its way to the cache is a thousandth of what a run holds.
    arrays = [each.pop("arrays") for each in later]
    assert len(later) > 2 and all(each == later[0] for each in later)
    assert max(arrays) < 1.01 * min(arrays)
    assert max(files) < 5 * LAST  # a frame has three files


def test_the_process_does_not_grow(scene, live_frames):
    if live_frames < 2 * WARM:
        pytest.skip("takes long: ask for it with --live-frames 10000")
    frames(scene, 1, LONG)
    told, warm = 0, None
    for count, runs, _ in looped(live_frames):
        if count >= told:
            told += PRINTED
            print(f"{count} frames, {runs} runs, {resident():.1f} MB", flush=True)
        if count >= WARM:
            warm = warm or resident()
    end = resident()
    print(f"{end:.1f} MB at the end: {end / warm - 1.0:+.2%} since frame {WARM}")
    assert end < (1.0 + GROWTH) * warm


@pytest.mark.parametrize("end", ["stop", "new file", "disable"])
def test_nothing_is_left_running(scene, end):
    for _ in looped(LAST - 1):  # what Warp and Blender keep for good
        pass
    before, tasks = held(), len(os.listdir("/proc/self/task"))
    live = looped(1 << 30)
    while next(live)[1] < 3:
        pass
    if end == "stop":
        LiveSession.current.finish()
    elif end == "new file":
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    else:
        vbd.unregister()
        vbd.register()
    live.close()
    after = held()
    if end == "new file":
        before["blocks"] = after["blocks"] = before["modifiers"] = after["modifiers"] = None
    assert after == before
    assert len(os.listdir("/proc/self/task")) <= tasks
