# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons in the report of a bake, and the list of what takes part."""

from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import running_bake, tet_block

from vbd.addon.baking.report import (
    Line,
    dumps,
)
from vbd.addon.objects import participants
from vbd.addon.panels import sidebar as panels


@pytest.fixture
def told(scene):
    """A scene of two blocks with a report about them."""
    for name in ("Ball", "Shirt"):
        tet_block(name).vbd.baked = True
    lines = [
        Line(text="Baked 5 frames in 1 s"),
        Line(text="Ball is odd", warns=True, objects=("Ball",), setting="substeps", value=8),
        Line(text="Both are", warns=True, objects=("Ball", "Shirt", "Gone")),
        Line(text="Softer", setting="iterations", value=30),
        Line(text="The last", objects=("Shirt",)),
    ]
    scene.vbd.report = dumps(lines, ["Pairs: 3"])
    return scene


def test_a_text_with_a_button_leads_to_it(told):
    assert "Ball is odd:" in drawn(panels.VBD_PT_report)
    assert "Both are" in drawn(panels.VBD_PT_report)


class Layout:
    """Records labels, and buttons with their properties."""

    def __init__(self, shown=None):
        self.shown = [] if shown is None else shown

    def column(self, **_):
        return Layout(self.shown)

    row = column

    def label(self, text, icon="NONE", **_):
        self.shown.append(text)

    def operator(self, idname, **_):
        button = SimpleNamespace(idname=idname)
        self.shown.append(button)
        return button


def drawn(panel):
    layout = Layout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.shown


def buttons(panel):
    return [vars(one) for one in drawn(panel) if not isinstance(one, str)]


def press(button):
    module, name = button["idname"].split(".")
    values = {key: value for key, value in button.items() if key != "idname"}
    return getattr(getattr(bpy.ops, module), name)(**values)


def selected():
    return {ob.name for ob in bpy.context.view_layer.objects.selected}


def test_buttons_do_what_they_say(told):
    substeps, ball, both = buttons(panels.VBD_PT_report)
    assert press(substeps) == {"FINISHED"} and told.vbd.substeps == 8
    assert press(both) == {"FINISHED"} and selected() == {"Ball", "Shirt"}
    assert press(ball) == {"FINISHED"} and selected() == {"Ball"}
    assert bpy.context.view_layer.objects.active.name == "Ball"


def test_lines_without_room_have_their_buttons_in_the_statistics(told):
    shown = drawn(panels.VBD_PT_statistics)
    assert [text for text in shown if isinstance(text, str)] == [
        "Softer. If it shows:",
        "The last",
        "Pairs: 3",
    ]
    iterations, shirt, save = buttons(panels.VBD_PT_statistics)
    assert save["idname"] == "vbd.save_statistics"
    assert press(iterations) == {"FINISHED"} and told.vbd.iterations == 30
    assert press(shirt) == {"FINISHED"} and selected() == {"Shirt"}


def test_advice_that_is_taken_has_no_button_but_says_to_bake_again(told):
    told.vbd.substeps = 8
    assert "Substeps are set: bake again" in drawn(panels.VBD_PT_report)
    assert "vbd.set_number" not in [button["idname"] for button in buttons(panels.VBD_PT_report)]


def test_advice_is_undone(told):
    bpy.ops.ed.undo_push(message="Before")
    before = told.vbd.iterations
    bpy.ops.vbd.set_number(name="iterations", value=before + 10)
    bpy.ops.ed.undo_push(message="Advice")
    assert bpy.context.scene.vbd.iterations == before + 10
    bpy.ops.ed.undo()
    assert bpy.context.scene.vbd.iterations == before


def test_advice_waits_for_the_end_of_a_bake(told):
    with running_bake():
        with pytest.raises(RuntimeError, match="until the bake has ended"):
            bpy.ops.vbd.set_number(name="iterations", value=30)


def test_objects_that_cannot_be_seen_are_not_selected_and_are_named(told, capfd):
    bpy.data.objects["Ball"].hide_set(True)
    assert bpy.ops.vbd.select_named(line=1) == {"CANCELLED"}
    assert "Ball: not in the viewport; show it" in "".join(capfd.readouterr())
    assert bpy.ops.vbd.select_named(line=2) == {"FINISHED"} and selected() == {"Shirt"}


def test_a_click_in_the_list_selects_the_object_and_makes_it_active(told):
    bpy.ops.vbd.select_named(line=2)
    told.vbd.participant = told.objects.find("Shirt")
    assert selected() == {"Shirt"}
    assert bpy.context.view_layer.objects.active.name == "Shirt"
    assert told.objects[told.vbd.participant].name == "Shirt"
    bpy.context.view_layer.objects.active = None
    assert told.vbd.participant == -1


def test_what_is_excluded_from_the_view_layer_is_left_alone(told):
    hidden = bpy.data.collections.new("Hidden")
    told.collection.children.link(hidden)
    ob = bpy.data.objects["Shirt"]
    told.collection.objects.unlink(ob)
    hidden.objects.link(ob)
    bpy.context.view_layer.layer_collection.children["Hidden"].exclude = True
    bpy.ops.vbd.select_named(line=1)
    told.vbd.participant = told.objects.find("Shirt")
    assert selected() == {"Ball"}


def listed(scene, **changes):
    """Names in the list, as its filter shows and orders them."""
    kept = SimpleNamespace(
        **{"filter_name": "", "use_filter_sort_alpha": False, "bitflag_filter_item": 1 << 30}
        | changes
    )
    filter_items = participants.VBD_UL_participants.filter_items
    flags, order = filter_items(kept, bpy.context, scene, "objects")
    names = [ob.name for ob in scene.objects]
    if order:
        names = [name for _, name in sorted(zip(order, names, strict=True))]
        flags = [flag for _, flag in sorted(zip(order, flags, strict=True))]
    return [name for name, flag in zip(names, flags, strict=True) if flag]


def test_the_list_shows_what_has_a_role(told):
    bpy.ops.object.empty_add()
    bpy.ops.mesh.primitive_cube_add()
    assert listed(told) == ["Ball", "Shirt"]
    bpy.context.object.name = "Anvil"
    bpy.ops.vbd.add(role="COLLIDER")
    assert sorted(listed(told)) == ["Anvil", "Ball", "Shirt"]
    assert listed(told, use_filter_sort_alpha=True) == ["Anvil", "Ball", "Shirt"]
    assert listed(told, filter_name="irt") == ["Shirt"]


def test_without_anything_to_simulate_bake_is_grey_and_says_why(cube):
    with pytest.raises(RuntimeError, match="Give an object a role first"):
        bpy.ops.vbd.bake()
    bpy.ops.vbd.add(role="COLLIDER")
    with pytest.raises(RuntimeError, match="All objects are colliders"):
        bpy.ops.vbd.bake()
    bpy.ops.vbd.add(role="SOFT")
    assert bpy.ops.vbd.bake.poll()
