# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel lists settings that have changed since the bake that is played."""

import bpy
import pytest
from blender_scenes import frames, slab, tet_block

from vbd.addon.baking import outdated, report
from vbd.addon.baking.bake_steps import bake_steps, run_to_end


@pytest.fixture
def baked(scene):
    frames(scene, 1, 3)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 1, 3
    tet_block().location.z = 0.02
    slab()
    run_to_end(bake_steps(bpy.context), show=lambda _: None)
    return bpy.context.scene


def settings_changed(scene):
    return outdated.settings_changed(scene, report.made_with(scene.vbd.report))


def test_nothing_is_told_until_something_changes(baked):
    assert settings_changed(baked) is None
    baked.frame_set(3)
    # Properties that change no result.
    baked.vbd.frame_end, baked.vbd.threads, baked.vbd.show_pins = 5, 1, True
    assert settings_changed(baked) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda scene: setattr(scene.vbd, "substeps", 9), "Substeps"),
        (lambda scene: setattr(scene, "gravity", (0.0, 0.0, -1.6)), "Gravity"),
        (lambda scene: setattr(scene, "use_gravity", False), "Gravity"),
        (
            lambda scene: setattr(scene.objects["Block"].vbd, "youngs_modulus", 3e5),
            "Stiffness (Pa) of Block",
        ),
        (lambda scene: setattr(scene.objects["Block"].vbd, "pin_group", "x"), "Pin Group of Block"),
        (lambda scene: bpy.data.objects.remove(scene.objects["Slab"]), "Slab (no longer"),
        (lambda scene: tet_block("Other"), "Other (new)"),
    ],
)
def test_what_changes_is_named_until_it_is_set_back(baked, change, said):
    change(baked)
    assert settings_changed(baked).startswith(f"Changed since this bake: {said}")


def test_what_is_set_back_is_not_told(baked):
    stiffness = baked.objects["Block"].vbd.youngs_modulus
    baked.objects["Block"].vbd.youngs_modulus *= 2.0
    assert settings_changed(baked)
    baked.objects["Block"].vbd.youngs_modulus = stiffness
    assert settings_changed(baked) is None


def test_a_report_without_it_tells_nothing():
    assert report.made_with(report.dumps([], [])) is None
