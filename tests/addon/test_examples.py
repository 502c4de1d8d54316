# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of examples/ are built, and are ready to bake."""

import sys

import bpy
import pytest
from blender_scenes import baked
from messages import ROOT

pytestmark = pytest.mark.any_blender


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if (ROOT / "examples" / f"{name}.py").exists():
            del sys.modules[name]


def test_the_demo_is_ready_to_bake():
    import demo

    scene = demo.build_scene()
    roles = sorted(ob.vbd.role for ob in scene.objects if ob.vbd.role != "NONE")
    assert roles == ["CLOTH", *["COLLIDER"] * 3, "RIGID", "ROD", *["SOFT"] * 5]
    assert bpy.ops.vbd.bake.poll()


def test_the_sand_fills_its_cylinder_and_is_ready_to_bake():
    import sand

    grains = sand.build(radius=0.04)
    assert 150 < len(grains.data.vertices) < 400
    assert bpy.ops.vbd.bake.poll()


def test_the_still_life_has_all_kinds_in_one_scene_and_is_ready_to_bake():
    import still_life

    scene = still_life.build(radius=0.04)
    roles = {ob.vbd.role for ob in scene.objects}
    assert roles == {"NONE", "SOFT", "CLOTH", "RIGID", "GRAINS", "ROD", "COLLIDER"}
    assert bpy.data.objects["Rope"].vbd.attachments[0].target == bpy.data.objects["Crate"]
    assert bpy.ops.vbd.bake.poll()


@pytest.mark.parametrize("name", ["cape", "rope", "curtain"])
def test_a_shot_of_artists_is_ready_to_bake(name):
    import artists

    artists.build(name)
    assert bpy.ops.vbd.bake.poll()


def test_a_biceps_lifts_its_forearm_and_lets_it_down():
    import biceps

    forearm, muscle = biceps.build(resolution=14)
    assert not any(line.warns for line in baked().lines())
    before, lifted, after = (biceps.angle(forearm, frame) for frame in (24, 58, 96))
    assert before < -30.0 and lifted > 0.0 and after < -30.0
    assert after == pytest.approx(before, abs=10.0)
    for frame in (24, 34, 58, 96):
        kept = biceps.volume(muscle, frame) / biceps.volume(muscle, 1)
        assert kept == pytest.approx(1.0, abs=0.03)


def test_a_torso_of_measured_materials_is_held_or_told():
    import torso

    free, warnings = torso.drop("Skin", resolution=8)
    kept, others = torso.drop("Skin", keeps_shape=True, frames=6, resolution=8)
    assert 0.002 < free < 0.02 and kept < 1e-3 and not [*warnings, *others]
    for layer in (None, "Fat"):
        free, _ = torso.drop("Muscle", layer, resolution=8)
        kept, _ = torso.drop("Muscle", layer, keeps_shape=True, frames=6, resolution=8)
        assert free > 0.1 and kept < 0.02
    _, warnings = torso.drop("Fat", resolution=8)
    assert "its weight over its section" in warnings[0]
