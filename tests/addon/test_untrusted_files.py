# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend may come from anywhere, with any values in our properties: each use of it ends, and what
goes wrong is a sentence.
"""

import math
import random
import time
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import baked, empty_object, frames, pin, reopened, sheet, slab, tet_block
from generated.judging import is_ours
from panel_layout import Layout

from vbd.addon.baking import cache_place, loading
from vbd.addon.playing import playback
from vbd.addon.playing.baked import warnings
from vbd.solver.messages import message

WILD = [
    *(-1, 0, 1, 7, 1 << 30, -(1 << 31), 0.5, -1.0, math.nan, math.inf, 1e300, 1e-300),
    *("", "text", "{", "null", "[1]", '{"levels": 3}', "-1 -1 ////", "../../..", "//../../x"),
    *([1, 2, 3], [math.nan] * 3, [0.0], b"\xff\x00", {}, {"a": 1}),
]
# Properties in which the add-on keeps more than one value.
TEXTS = ("bake_record", "flesh_record", "refined", "start_shape", "report", "tets")
# Longest use of a file [s].
PATIENCE = 60.0


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A .blend with every role, attachments, joints, painted values, and a bake of some frames."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    frames(scene, 1, 3)
    scene.vbd.substeps = scene.vbd.iterations = 2
    cloth, soft, floor = sheet(), tet_block(cells=(1, 1, 1)), slab(height=-1.0)
    pin(cloth, [0, 4])
    soft.location.x = 3.0
    rigid = slab("Plate", 1.0, 0.5, "RIGID")
    rigid.location.x, rigid.vbd.thickness = 6.0, 0.01
    other = slab("Other", 1.0, 1.5, "RIGID")
    other.location.x, other.vbd.thickness = 6.0, 0.01
    hook = empty_object(location=(0.0, 0.0, 1.0))
    for ob, target in ((cloth, hook), (soft, floor), (rigid, other)):
        ob.vbd.attachments.add().target = target
    rigid.vbd.attachments[0].kind = "HINGE"
    baked()
    path = tmp_path_factory.mktemp("untrusted") / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def raw(owner):
    """The properties of `owner.vbd` as they are stored, without their types and ranges."""
    if hasattr(owner, "bl_system_properties_get"):  # from Blender 5.0 on
        return owner.bl_system_properties_get(do_create=True)["vbd"]
    return owner["vbd"]


def places(scene):
    """Stored groups of the file with their declared names: (group, names)."""
    objects = [ob for ob in scene.objects if ob.vbd.role != "NONE"]
    for owner in (scene, *objects):
        names = [p.identifier for p in owner.vbd.bl_rna.properties if p.identifier != "rna_type"]
        yield raw(owner), names
        for number, item in enumerate(getattr(owner.vbd, "attachments", ())):
            names = [p.identifier for p in item.bl_rna.properties if p.identifier != "rna_type"]
            yield raw(owner)["attachments"][number], names
    for ob in objects:
        if ob.type == "MESH":
            yield ob.data, ["tets", "tets_vertices"]


def damage(scene, chance):
    """Store one to three wild values in the file; returns what they are."""
    done = []
    for _ in range(chance.randrange(1, 4)):
        group, names = chance.choice(list(places(scene)))
        texts = [name for name in names if name in TEXTS]
        name, value = chance.choice(chance.choice([names, texts or names])), chance.choice(WILD)
        try:
            group[name] = value
        except (TypeError, OverflowError, ValueError):  # Blender stores no such value there
            continue
        done.append((name, value))
    return done


def use(scene):
    """Draw, bake, load, and free; sentences are the only way to fail."""
    draw_panels()
    warnings(scene)
    for act in (baked, lambda: loading.load(scene)):
        try:
            act()
        except ValueError as error:
            assert is_ours(error), error
        draw_panels()
    for ob in scene.objects:
        playback.free(ob)
    cache_place.remove_unused([], scene)


def draw_panels():
    for ob in [*bpy.context.scene.objects, None]:
        bpy.context.view_layer.objects.active = ob
        for name in dir(bpy.types):
            panel = getattr(bpy.types, name)
            if name.startswith("VBD_PT_") and (
                not hasattr(panel, "poll") or panel.poll(bpy.context)
            ):
                panel.draw(SimpleNamespace(layout=Layout()), bpy.context)


def test_any_stored_value_is_a_sentence_or_is_used(file, tmp_path, examples):
    for seed in range(max(4, examples // 25)):
        chance = random.Random(seed)
        bpy.ops.wm.open_mainfile(filepath=str(file))
        done = damage(bpy.context.scene, chance)
        started = time.monotonic()
        try:
            reopened(tmp_path / "damaged.blend")
            use(bpy.context.scene)
        except Exception as error:
            error.add_note(f"seed {seed}: {done}")
            raise
        assert time.monotonic() - started < PATIENCE, done


def test_a_choice_of_a_newer_version_and_text_that_is_none_are_reset(scene, tmp_path, capfd):
    ob = sheet()
    ob.vbd.attachments.add().kind = "HINGE"
    raw(ob)["role"] = 99
    raw(ob)["attachments"][0]["motor"] = 99
    raw(ob)["pin_group"] = b"\xff"
    scene.vbd.device = "CPU"
    raw(scene)["device"] = -1
    reopened(tmp_path / "newer.blend")
    ob, scene = bpy.data.objects["Sheet"], bpy.context.scene
    assert (ob.vbd.role, ob.vbd.pin_group, scene.vbd.device) == ("NONE", "", "AUTO")
    assert (ob.vbd.attachments[0].kind, ob.vbd.attachments[0].motor) == ("HINGE", "OFF")
    told = capfd.readouterr().out
    for name, what in (("Sheet", "role"), ("Sheet", "motor"), ("Sheet", "pin_group")):
        assert message("role.value_damaged", name=name, what=what) in told


@pytest.mark.parametrize("record", ["{", "[]", '{"blocks": [1]}', '{"mesh_cache": 1}', "[" * 9999])
def test_a_bake_with_a_damaged_record_can_be_freed_and_baked_again(file, record):
    bpy.ops.wm.open_mainfile(filepath=str(file))
    for ob in bpy.context.scene.objects:
        if ob.vbd.baked:
            ob.vbd.bake_record = record
    draw_panels()
    ob = bpy.data.objects["Sheet"]
    playback.free(ob)
    assert not ob.vbd.baked and not ob.vbd.bake_record
    assert baked().lines()


@pytest.mark.parametrize("gone", ["Hook", "Slab", "Other", "Plate", "Block"])
def test_what_an_attachment_names_may_be_gone(file, tmp_path, gone):
    bpy.ops.wm.open_mainfile(filepath=str(file))
    bpy.data.objects.remove(bpy.data.objects[gone])
    reopened(tmp_path / "gone.blend")
    use(bpy.context.scene)


@pytest.mark.parametrize("name", ["..", "../../../x", "//..", ".", "~", "a" * 60, "a:b*?"])
def test_a_cache_stays_in_its_folder_whatever_a_scene_is_called(scene, tmp_path, name):
    scene.name = name
    for blend in ("", str(tmp_path / "file.blend")):
        root, folder = cache_place.cache_root(blend), cache_place.cache_folder(scene, blend)
        assert folder.parent == root and folder.resolve() != root.resolve()


@pytest.mark.parametrize("wrong", ["negative", "text", "huge", "not bytes"])
def test_tets_that_no_add_on_wrote_are_refused_in_words(scene, wrong):
    mesh = tet_block().data
    if wrong == "text":
        mesh["tets_vertices"] = "many"
    elif wrong == "not bytes":
        mesh["tets"] = [0, 1, 2, 3]
    else:
        row = [-1, 0, 1, 2] if wrong == "negative" else [0, 1, 2, 1 << 30]
        mesh["tets"] = np.array(row, np.int32).tobytes()
    with pytest.raises(ValueError, match=r"tets") as error:
        baked()
    assert is_ours(error.value)
