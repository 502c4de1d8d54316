# SPDX-License-Identifier: GPL-3.0-or-later
"""Place of the simulation in the modifier stack of a mesh."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, pin, sheet, shown, slab, tet_block

from vbd.addon.baking.bake_steps import bake_steps
from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.baking.loading import load
from vbd.addon.gathering.gather import participants, prepared
from vbd.addon.objects import read_mesh
from vbd.addon.objects.modifiers import reshaping, simulation_point
from vbd.solver.cache import Cache
from vbd.solver.messages import message

# Blender stores float32.
FLOAT32 = 1e-5
LAST = 4


def add(ob, kind, **values):
    """A modifier with some values."""
    modifier = ob.modifiers.new(kind.title(), kind)
    for name, value in values.items():
        setattr(modifier, name, value)
    return modifier


def subdivided(**values):
    return add(
        sheet(cells=2), "SUBSURF", subdivision_type="SIMPLE", **{"render_levels": 1} | values
    )


def after(modifier):
    """Set the modifier after which its object is simulated; return the object."""
    ob = modifier.id_data
    ob.vbd.stack_place, ob.vbd.stack_modifier = "AFTER", modifier.name
    return ob


def solved():
    """Points of every frame of the bake, as the solver has them."""
    cache = Cache.open(cache_folder(bpy.context.scene))
    return [cache.read(index)[0] for index in range(cache.finished())]


def seen(ob, frame, *without):
    """Points in object space, without some modifiers."""
    for modifier in without:
        modifier.show_viewport = False
    bpy.context.scene.frame_set(frame)
    points = read_mesh.positions(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data)
    for modifier in without:
        modifier.show_viewport = True
    return points.copy()


@pytest.fixture
def scene(scene):
    frames(scene, 1, LAST)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    return scene


def counts():
    return [len(getattr(bpy.data, name)) for name in ("objects", "meshes", "node_groups")]


def test_what_a_subdivision_makes_is_simulated_and_the_modifiers_below_act_on_it(scene):
    ob = after(subdivided())
    pin(ob, [0])
    thick = add(ob, "SOLIDIFY", thickness=0.1)
    before, rest = counts(), seen(ob, 1)
    baked()
    motion = solved()
    assert len(motion[0]) > len(ob.data.vertices)
    assert [m.name for m in ob.modifiers] == ["Subsurf", "VBD Bake", "Solidify"]
    assert ob.data.shape_keys is None
    for index, points in enumerate(motion):
        np.testing.assert_allclose(seen(ob, 1 + index, thick), points, atol=FLOAT32)
    assert len(seen(ob, LAST)) == 2 * len(motion[0])
    between = 0.5 * (motion[1] + motion[2])
    scene.frame_set(2, subframe=0.5)
    thick.show_viewport = False
    np.testing.assert_allclose(shown(ob, 2, subframe=0.5), between, atol=FLOAT32)
    thick.show_viewport = True
    bpy.ops.vbd.free_bake()
    assert counts() == before
    np.testing.assert_array_equal(seen(ob, 1), rest)
    assert [m.name for m in ob.modifiers] == ["Subsurf", "Solidify"]


def test_a_bake_at_another_place_replaces_the_one_before(scene):
    smooth = subdivided()
    ob = smooth.id_data
    baked()
    assert ob.data.shape_keys and len(solved()[0]) == 9
    after(smooth)
    baked()
    assert ob.data.shape_keys is None and len(solved()[0]) > 9
    made = counts()
    baked()
    assert counts() == made
    np.testing.assert_allclose(seen(ob, LAST), solved()[-1], atol=FLOAT32)
    ob.vbd.stack_place = "AUTO"
    baked()
    assert ob.data.shape_keys and [m.name for m in ob.modifiers] == ["Subsurf"]
    assert len(solved()[0]) == 9


def test_the_frames_of_a_running_bake_and_of_a_cache_are_shown_there(scene, tmp_path):
    ob = after(subdivided())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    during = []
    for _ in bake_steps(bpy.context, visible=True):
        if "VBD Preview" in ob.modifiers:
            during.append(seen(ob, 1))
    motion = solved()
    assert len(during[0]) == len(motion[0])
    np.testing.assert_allclose(during[0], motion[0], atol=FLOAT32)
    keep = [points.copy() for points in motion]
    loaded = load(scene)
    assert loaded.last == LAST
    for index, points in enumerate(keep):
        np.testing.assert_allclose(seen(ob, 1 + index), points, atol=FLOAT32)
    ob.modifiers["Subsurf"].levels = 2
    with pytest.raises(ValueError, match=r"Sheet has \d+ vertices, but 33 in the cache"):
        load(scene)


def test_deforming_modifiers_below_the_place_act_on_the_result(scene):
    ob = sheet(cells=2)
    up = add(ob, "DISPLACE", direction="Z", mid_level=0.0, strength=1.0)
    across = add(ob, "DISPLACE", direction="X", mid_level=0.0, strength=2.0)
    after(up)
    assert simulation_point(ob) == ([up], [across])
    outcome = baked()
    assert not any("acts on the baked result" in note for note in outcome.notes)
    assert not up.show_viewport and across.show_viewport
    motion = solved()
    np.testing.assert_allclose(motion[0][:, 2], 1.0, atol=FLOAT32)
    np.testing.assert_allclose(seen(ob, LAST), motion[-1] + [2.0, 0.0, 0.0], atol=FLOAT32)


def test_before_all_the_mesh_itself_is_simulated(scene):
    ob = sheet(cells=2)
    up = add(ob, "DISPLACE", direction="Z", mid_level=0.0, strength=1.0)
    ob.vbd.stack_place = "FIRST"
    baked()
    assert up.show_viewport
    motion = solved()
    np.testing.assert_allclose(motion[0][:, 2], 0.0, atol=FLOAT32)
    np.testing.assert_allclose(seen(ob, LAST), motion[-1] + [0.0, 0.0, 1.0], atol=FLOAT32)


def test_pins_of_a_mirrored_cloth_hold_both_halves_while_it_moves(scene):
    mirror = add(sheet(cells=2), "MIRROR")
    ob = after(mirror)
    pin(ob, [2, 5, 8])
    for frame, x in ((1, 0.0), (LAST, 0.3)):
        ob.location.x = x
        ob.keyframe_insert("location", frame=frame)
    baked()
    motion = solved()
    edges = np.abs(motion[0][:, 0]) > 0.99
    assert edges.sum() == 6
    np.testing.assert_allclose(motion[-1][edges], motion[0][edges], atol=FLOAT32)
    assert np.abs(motion[-1] - motion[0]).max() > 1e-3


def refused(scene, text):
    with pytest.raises(RuntimeError, match=text):
        bpy.ops.vbd.bake()


def test_what_cannot_be_is_said_and_changes_nothing(scene):
    modifier = subdivided(render_levels=3)
    ob = after(modifier)
    refused(scene, "Subsurf has 1 levels in the viewport and 3 in renders")
    modifier.render_levels, modifier.show_render = 1, False
    refused(scene, "Subsurf is on in the viewport and off in renders")
    modifier.show_render = True
    ob.shape_key_add(name="Basis")
    ob.vbd.rest_shape_key = "Basis"
    refused(scene, "its rest shape belongs to the vertices of the mesh")
    ob.vbd.rest_shape_key = ""
    ob.vbd.stack_modifier = "Gone"
    refused(scene, 'there is no modifier "Gone" to simulate after')
    ob.vbd.stack_modifier = ""
    refused(scene, "Simulate is After, but no Modifier is chosen")
    assert [m.name for m in ob.modifiers] == ["Subsurf"] and modifier.show_viewport


def test_tets_belong_to_the_mesh(scene):
    ob = after(add(tet_block(), "MIRROR"))
    assert reshaping(ob)
    refused(
        scene, "its tet mesh belongs to the vertices of the mesh, not to those that Mirror makes"
    )


def notes():
    """Notes of the dialog before a bake."""
    scene = bpy.context.scene
    with prepared(scene, participants(scene)) as found:
        return found


def test_a_mirror_of_which_only_the_half_is_simulated_is_named_until_a_place_is_chosen(scene):
    mirror = add(sheet(), "MIRROR")
    assert notes() == [
        "Sheet: only one half is simulated, and Mirror mirrors the result; to simulate the whole "
        "choose After Mirror (Modifier Stack)"
    ]
    after(mirror)
    assert notes() == []
    mirror.id_data.vbd.stack_place = "FIRST"
    assert notes() == []


def test_copies_and_cuts_that_are_made_of_the_result_are_told(scene):
    ob = sheet()
    tool = slab("Tool", role="NONE")
    cut = ob.modifiers.new("Cut", "BOOLEAN")
    cut.object = tool
    assert notes() == [message("note.boolean", name="Sheet", modifier="Cut")]
    ob.modifiers.remove(cut)
    ob.modifiers.new("Array", "ARRAY")
    assert notes() == [message("note.array", name="Sheet", modifier="Array")]
    ob.vbd.stack_place = "FIRST"
    assert notes() == []
