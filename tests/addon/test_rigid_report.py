# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports, statistics and marks of bakes with rigid bodies."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, mesh_object, shown, slab

from vbd.addon.baking.convergence import ConvergenceReport
from vbd.addon.baking.frame_numbers import frames_of, places_in
from vbd.addon.baking.sizes import bake_sizes, is_rigid, size_line
from vbd.addon.files.saving_statistics import played_cache
from vbd.solver.model.model import ModelSize
from vbd.solver.settings import Settings


def crate(name="Crate", z=1.0):
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, z), size=1.0)
    ob = bpy.context.object
    ob.name, ob.vbd.role = name, "RIGID"
    return ob


def size(**counts):
    kinds = ("vertices", "tets", "cells", "triangles", "springs", "colors")
    return ModelSize(device="cpu", **{kind: counts.get(kind, 0) for kind in kinds})


def report(needed, total, **counts):
    """The text about `needed` poor frames of `total` in a scene of this size."""
    found = ConvergenceReport()
    found.frames, found.needed = total, [needed] * (total // 2)
    found.last = SimpleNamespace(model=size(**counts))
    return " ".join(line.text for line in found.poor(Settings()))


@pytest.mark.parametrize("needed", [40, 400])
def test_what_cannot_be_soft_is_not_said_to_look_soft(needed):
    assert "soft" in report(needed, 20, triangles=5)
    text = report(needed, 20, vertices=8)
    assert "soft" not in text and "rigid bodies and grains give way where they touch" in text


def test_the_first_line_counts_rigid_bodies():
    assert is_rigid(size(vertices=8)) and not is_rigid(size(vertices=8, tets=1))
    assert "2 rigid bodies" in size_line(size(vertices=8, colors=2))


def test_the_statistics_have_the_path_of_a_rigid_body_and_its_contacts(scene, tmp_path):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    scene = bpy.context.scene
    frames(scene, 1, 21)
    scene.vbd.device = "CPU"
    ob = crate()
    slab()
    disk, memory = bake_sizes(scene)
    assert disk == memory == 0  # some bytes a frame
    assert baked().report()[0] == "INFO"
    numbers = frames_of(played_cache(scene))
    for index in (0, 10, 20):
        row = numbers[index]["objects"]["Crate"]
        assert row["volume"] == pytest.approx(1.0, rel=1e-4)
        assert row["stretch"] == pytest.approx(1.0, abs=1e-5)
        middle = shown(ob, 1 + index).mean(axis=0)
        np.testing.assert_allclose([row[a] for a in "xyz"], middle, atol=1e-4)
    places = places_in(played_cache(scene).read_stats(20), "contacts_at")
    assert len(places) and np.abs(places[:, 2]).max() < 0.05 and (places[:, 5] > 0.99).all()


def test_a_mixed_scene_reports_each_kind_in_its_own_words(scene):
    frames(scene, 1, 4)
    scene.vbd.device = "CPU"
    crate(z=3.0)
    sheet = mesh_object("Sheet", [(0, 0, 1), (1, 0, 1), (1, 1, 1)], faces=[(0, 1, 2)])
    sheet.vbd.role = "CLOTH"
    text = baked().report()[1]
    assert "Sheet" in text and "Crate" not in text  # one face hardly folds
