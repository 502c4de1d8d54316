# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages in docs/ match what the add-on declares and says; the examples run."""

import importlib.util
import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import shown

from vbd.addon import MODULES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "scripting.md"


def reference():
    """The script that writes the tables of the page."""
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def example(title):
    """The code of a section of the page."""
    page = PAGE.read_text(encoding="utf-8")
    section = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)


@pytest.fixture
def run(scene, tmp_path, monkeypatch):
    """Runs an example of the page in an empty file and gives its names."""
    monkeypatch.chdir(tmp_path)

    def run(title):
        names = {}
        exec(compile(example(title), title, "exec"), names)
        return names

    return run


@pytest.mark.parametrize("name", ["scripting.md", "panels.md", "troubleshooting.md"])
def test_the_tables_are_those_of_the_add_on(scene, name):
    page = (DOCS / name).read_text(encoding="utf-8")
    assert page == reference().written(name), "run: make reference"


def test_every_panel_is_in_the_page(scene):
    page = (DOCS / "panels.md").read_text(encoding="utf-8")
    labels = {cls.bl_label for m in MODULES for cls in getattr(m, "classes", ()) if is_panel(cls)}
    assert len(labels) > 12
    assert not {label for label in labels if label not in page}


def is_panel(cls):
    return issubclass(cls, bpy.types.Panel)


def test_every_property_and_operator_is_in_a_table(scene):
    page = PAGE.read_text(encoding="utf-8")
    own = bpy.types.PropertyGroup.bl_rna.properties.keys()
    groups = (scene.vbd, bpy.data.objects.new("Any", None).vbd)
    names = {key for group in groups for key in group.bl_rna.properties.keys()} - set(own)
    assert len(names) > 60
    assert not {name for name in names if f"| `{name}` |" not in page}
    assert not {name for name in dir(bpy.ops.vbd) if f"`bpy.ops.vbd.{name}`" not in page}


def test_a_vector_has_its_length_in_the_table(scene):
    assert len(bpy.data.objects.new("Any", None).vbd.pin_axes) == 3
    assert "| `pin_axes` | 3 bool | True, True, True |" in PAGE.read_text(encoding="utf-8")


def test_a_bake_from_a_script(run, tmp_path):
    names = run("Bake from a script")
    heights = names["heights"]
    assert heights[0] == pytest.approx(0.5)
    assert min(heights) > -0.01  # the ground held it
    assert min(heights) < 0.1  # and it has fallen there
    assert (tmp_path / "cube_baked.blend").exists()


def test_a_sweep_of_a_setting(run):
    sag = run("Sweep a setting")["sag"]
    soft, middle, stiff = sag.values()
    assert soft > middle > stiff > 0.0
    sheet = bpy.context.object
    assert not sheet.vbd.baked and sheet.data.shape_keys is None


def test_pins_and_attachments(run):
    names = run("Pins and attachments")
    cloth, block = names["cloth"], names["block"]
    top = [v.index for v in cloth.data.vertices if v.co.y > 0.49]
    start = shown(cloth, 1)[top]
    assert np.allclose(shown(cloth, 8)[top], start, atol=1e-4)
    assert (shown(cloth, 16)[top][:, 2] < start[:, 2] - 0.05).all()  # they were released
    # It has not fallen by itself, which would be 0.4 m in so many frames.
    assert shown(block, 8)[:, 2].mean() > shown(block, 1)[:, 2].mean() - 0.2
