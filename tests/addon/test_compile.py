# SPDX-License-Identifier: GPL-3.0-or-later
"""The first bake: its messages while it compiles, cancelling it, and compiling ahead."""

import dataclasses
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import bpy
import pytest
import warp as wp
from blender_scenes import frames, sheet, slab

from vbd.addon.baking import bake_steps as bake_module
from vbd.addon.baking.bake_steps import bake_steps, run_to_end
from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.values import preparing
from vbd.addon.values.preparing import SCRIPT, Preparation
from vbd.addon.values.presets import apply_preset
from vbd.solver import simulate
from vbd.solver.device import compiling
from vbd.solver.messages import message
from vbd.solver.preparing import common_mixes

pytestmark = pytest.mark.any_blender  # compiling is Warp's
# Ends with its standard input, like the real one.
WAITING = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def scene(scene):
    """A cloth above a slab, for few frames on the CPU."""
    frames(scene, 1, 3)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 1, 2
    sheet()
    slab(height=-1.0)
    return scene


@pytest.fixture
def cold(monkeypatch):
    """Pretend that no kernel is compiled and that modules compile at once."""
    monkeypatch.setattr(compiling, "is_compiled", lambda *_: False)
    monkeypatch.setattr(wp, "force_load", lambda *_, **__: time.sleep(0.03))


def statuses():
    """Texts that are shown during a bake, and the printed lines."""
    seen, lines = [], []

    def watched():
        steps = bake_steps(bpy.context)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value
            seen.append(bpy.context.window_manager.vbd.status)
            yield step

    run_to_end(watched(), lines.append)
    return list(dict.fromkeys(seen)), lines


def test_a_cold_bake_says_how_far_compiling_is(scene, cold):
    seen, lines = statuses()
    compiled = [text for text in seen if text.startswith("Compiling")]
    count = int(compiled[0].split()[3])
    assert compiled[0] == f"Compiling 1 of {count} (first time only)"
    assert count > 10 and len(compiled) > count / 2
    assert [line for line in lines if line.startswith("Compiling")] == compiled
    assert seen[-1].startswith("Baking")


def test_a_warm_bake_says_nothing_about_compiling(scene):
    run_to_end(bake_steps(bpy.context), lambda _: None)
    seen, lines = statuses()
    assert not [text for text in seen + lines if "ompiling" in text]


def test_a_bake_says_which_part_of_the_set_up_it_is_at(scene):
    seen, _ = statuses()
    parts = [message(f"progress.{part}") for part in ("scene", "bodies", "colors", "groups")]
    assert [text for text in seen if text in parts] == parts
    assert seen.index(parts[-1]) < seen.index(message("progress.baking", frame=1, count=2))


def test_a_bake_that_is_cancelled_in_the_set_up_leaves_the_earlier_cache(scene, monkeypatch):
    assert run_to_end(bake_steps(bpy.context), lambda _: None).frames == 2
    folder = Path(cache_folder(scene))
    earlier = sorted(path.relative_to(folder) for path in folder.rglob("*"))
    begun, go_on, lines = Event(), Event(), []
    read = simulate.contact_surface

    def read_slowly(*arguments):
        begun.set()
        go_on.wait(20.0)
        return read(*arguments)

    monkeypatch.setattr(simulate, "contact_surface", read_slowly)
    monkeypatch.setattr(bake_module, "LONG", 0.1)
    steps = bake_steps(bpy.context)
    while not begun.is_set():
        next(steps)
    bpy.ops.vbd.cancel_bake()
    go_on.set()
    outcome = run_to_end(steps, lines.append)
    assert outcome.cancelled and outcome.frames == 0
    assert not [line for line in lines if line.startswith("Frame")]
    assert earlier and sorted(path.relative_to(folder) for path in folder.rglob("*")) == earlier


def test_a_long_part_of_the_set_up_is_printed_once_in_a_background_run(scene, monkeypatch):
    read = simulate.contact_surface

    def read_slowly(*arguments):
        time.sleep(0.5)
        return read(*arguments)

    monkeypatch.setattr(simulate, "contact_surface", read_slowly)
    monkeypatch.setattr(bake_module, "LONG", 0.2)
    _, lines = statuses()
    assert lines.count(message("progress.surfaces")) == 1


@pytest.mark.parametrize("way", ["cancelled", "dropped"])
def test_a_bake_that_compiles_ends_within_a_second(scene, cold, monkeypatch, way):
    begun, go_on = Event(), Event()

    def compile_slowly(*_, **__):
        begun.set()
        go_on.wait(20.0)

    with monkeypatch.context() as patch:
        patch.setattr(wp, "force_load", compile_slowly)
        steps = bake_steps(bpy.context)
        while not begun.is_set():
            next(steps)
        asked = time.monotonic()
        if way == "dropped":
            steps.close()
        else:
            bpy.ops.vbd.cancel_bake()
            outcome = run_to_end(steps, lambda _: None)
            assert outcome.cancelled and outcome.frames == 0
        assert time.monotonic() - asked < 1.0
    assert not bpy.context.window_manager.vbd.baking
    assert run_to_end(bake_steps(bpy.context), lambda _: None).frames == 2
    go_on.set()


def modules_of(monkeypatch, run):
    """Names of the modules that are needed while `run` simulates."""
    needed = []
    compile_all = simulate.compile_missing

    def listen(modules, *arguments):
        needed.extend(modules)
        return compile_all(modules, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(simulate, "compile_missing", listen)
        run()
    return {module.name for module in needed}


@pytest.mark.parametrize(
    ("number", "roles", "material"),
    [
        (0, ["SOFT"], None),
        (1, ["CLOTH"], None),
        (2, ["ROD"], None),
        (3, ["SOFT"], "Rubber"),
        (6, ["SOFT", "CLOTH"], None),
        (9, ["SOFT", "CLOTH"], "Rubber"),
    ],
)
def test_what_is_prepared_is_what_new_objects_need(scene, monkeypatch, number, roles, material):
    for ob in list(scene.objects):
        bpy.data.objects.remove(ob)
    scene.vbd.iterations = 20  # enough for an accuracy to end them
    slab(height=-1.0)
    for place, role in enumerate(roles):
        if role == "SOFT":
            bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=6)
        else:
            bpy.ops.mesh.primitive_grid_add(
                x_subdivisions=10, y_subdivisions=10, location=(0, 0, 3 * place)
            )
        bpy.ops.vbd.add(role=role)  # with the material of a new role
        if material and role == "SOFT":
            apply_preset(bpy.context, "material", material)
    baked = modules_of(monkeypatch, lambda: run_to_end(bake_steps(bpy.context), lambda _: None))

    def solve():
        bodies, settings = list(common_mixes())[number]
        settings = dataclasses.replace(settings, threads=0)  # the number of the bake
        next(simulate.simulate(bodies, settings, 1))

    assert baked == modules_of(monkeypatch, solve)


@pytest.fixture
def preparation(monkeypatch):
    """`Preparation` with a window, and with a process that only waits."""
    monkeypatch.setattr(preparing, "command", lambda: WAITING)
    monkeypatch.setattr(Preparation, "wanted", True)
    monkeypatch.setattr(Preparation, "done", False)
    monkeypatch.setattr(Preparation, "process", None)
    yield Preparation
    preparing.stop()


def test_a_bake_has_the_machine_to_itself(preparation, scene):
    preparing.start()
    first = preparation.process
    steps = bake_steps(bpy.context)
    next(steps)
    assert preparation.process is None
    assert first.wait(10.0) == 0
    run_to_end(steps, lambda _: None)
    assert preparation.process.poll() is None
    assert preparation.process is not first


def test_what_is_done_is_not_started_again(preparation):
    preparing.start()
    preparation.process.communicate()  # closes its input, so it ends well
    preparing.start()
    assert preparation.process is None and preparation.done


def test_unregister_stops_the_process(preparation):
    preparing.start()
    process = preparation.process
    preparing.unregister()
    assert process.wait(10.0) == 0
    preparing.start()
    assert preparation.process is None


def test_nothing_is_prepared_without_a_window(preparation):
    assert bpy.app.background
    preparing.follow(True)
    assert preparation.process is None
    preparing.register()
    assert not bpy.app.timers.is_registered(preparing._begin)


def test_the_preference_switches_it_off(preparation, monkeypatch):
    addon = bpy.context.preferences.addons.new()
    addon.module = "vbd"
    heard = []
    monkeypatch.setattr(preparing, "follow", heard.append)
    try:
        assert addon.preferences.prepare_kernels
        preparing._begin()
        addon.preferences.prepare_kernels = False
        preparing._begin()
    finally:
        bpy.context.preferences.addons.remove(addon)
    preparing._begin()
    assert heard == [True, False, False, True]


def test_the_process_runs_the_solver_under_its_name_here(tmp_path):
    code = SCRIPT + "print(sys.modules[package + '.solver.simulate'].simulate.__module__)"
    root = str(preparing.Path(preparing.__file__).parents[2])
    result = subprocess.run(
        [sys.executable, "-c", code, "bl_ext.user_default.vbd", root],
        stdin=subprocess.DEVNULL,  # closed: it has to end before the first module
        capture_output=True,
        text=True,
        check=True,
        env={**preparing.os.environ, "WARP_CACHE_PATH": str(tmp_path)},
    )
    assert result.stdout.splitlines()[-1] == "bl_ext.user_default.vbd.solver.simulate"
    assert not list(tmp_path.rglob("*.o"))


def test_blender_starts_without_warp():
    """Warp takes longer to import than the whole add-on."""
    check = "import sys, bpy, vbd; vbd.register(); print(*sorted(sys.modules)); vbd.unregister()"
    result = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, timeout=120
    )
    modules = result.stdout.split()
    assert "vbd.addon" in modules, result.stderr
    assert "warp" not in modules


@pytest.mark.parametrize("leaves", ["", "; vbd.unregister()"])
def test_a_script_ends_without_an_error(leaves):
    code = "import bpy, vbd; vbd.register()" + leaves
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert result.returncode == 0, result.stderr
