# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes of examples/ are built, and are ready to bake."""

import sys

import bpy
import pytest
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
    assert roles == ["CLOTH", *["COLLIDER"] * 3, "ROD", *["SOFT"] * 5]
    assert bpy.ops.vbd.bake.poll()


def test_the_sand_fills_its_cylinder_and_is_ready_to_bake():
    import sand

    grains = sand.build(radius=0.04)
    assert 150 < len(grains.data.vertices) < 400
    assert bpy.ops.vbd.bake.poll()


@pytest.mark.parametrize("name", ["cape", "rope", "curtain"])
def test_a_shot_of_artists_is_ready_to_bake(name):
    import artists

    artists.build(name)
    assert bpy.ops.vbd.bake.poll()
