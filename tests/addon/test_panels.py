# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels draw only what exists, for every role and while a bake runs.

Without a window nothing is drawn: a recorder replaces the layout.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import running_bake, tet_block
from panel_layout import Layout

from vbd.addon.baking import report
from vbd.addon.gathering import field_weights
from vbd.addon.panels import advice
from vbd.addon.panels import holding as holding_panels
from vbd.addon.panels import material as material_panels
from vbd.addon.panels import painting as painting_panels
from vbd.addon.panels import physics as physics_panels
from vbd.addon.panels import sidebar as panels
from vbd.addon.playing import playback
from vbd.addon.properties import COLLIDER_SHAPES, ROLES
from vbd.addon.values.declared import SETTINGS
from vbd.addon.values.measured import NOT_STORED
from vbd.addon.viewport import overlays
from vbd.solver.messages import message

FIELDS = set(field_weights.field_weight_properties())
SIDEBAR = panels.classes
OTHERS = (*holding_panels.classes, *painting_panels.classes)
PHYSICS = (*physics_panels.classes, *(cls for cls in OTHERS if issubclass(cls, bpy.types.Panel)))


def layout_of(panel):
    layout = Layout()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout


def drawn(panel):
    return layout_of(panel).shown


def grey(panel):
    """Fields that are shown but have no effect now."""
    return layout_of(panel).grey


def visible(panel):
    return not hasattr(panel, "poll") or panel.poll(bpy.context)


def test_every_panel_of_the_file_is_registered():
    classes = [cls for cls in vars(panels).values() if isinstance(cls, type)]
    own = {cls for cls in classes if cls.__module__ == panels.__name__}
    assert {cls for cls in own if issubclass(cls, bpy.types.Panel)} == set(SIDEBAR)
    assert drawn(panels.VBD_PT_output) == ["vbd.copy_command_line"] * 2


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_every_visible_panel_draws_for_every_role(cube, role):
    cube.vbd.role = role
    for panel in (*SIDEBAR, *PHYSICS):
        if visible(panel):
            assert drawn(panel)


def test_panels_of_a_curve_have_its_ends_and_no_vertex_groups(scene):
    bpy.ops.curve.primitive_bezier_curve_add()
    bpy.ops.vbd.add(role="ROD")
    shown = {name for panel in (*SIDEBAR, *PHYSICS) if visible(panel) for name in drawn(panel)}
    assert {"pin_start", "pin_end", "bending_factor"} <= shown
    assert not {"pin_group", "soft_pins", "vertex_group"} & shown


def test_the_sidebar_draws_without_an_object(scene):
    for panel in SIDEBAR:
        assert drawn(panel) or not visible(panel)


def test_physics_panels_hide_without_a_mesh(scene):
    assert not any(visible(panel) for panel in PHYSICS)
    bpy.ops.object.empty_add()
    assert not any(visible(panel) for panel in PHYSICS)


def test_the_five_main_numbers_are_in_plain_sight(scene):
    assert not getattr(panels.VBD_PT_solver, "bl_options", None)
    five = ["substeps", "iterations", "collision_stiffness", "friction", "damping"]
    assert [name for name in drawn(panels.VBD_PT_solver) if name in five] == five


def test_every_setting_is_shown_once(scene):
    shown = drawn(panels.VBD_PT_solver) + drawn(panels.VBD_PT_solver_advanced)
    for f in SETTINGS:
        assert shown.count(f.name) == 1, f.name


@pytest.mark.parametrize(
    ("name", "value", "without_effect"),
    [
        ("acceleration", 0.9, {"coarse_correction", "relaxation", "accuracy"}),
        ("coarse_correction", False, {"accuracy"}),
        ("quasistatic", True, {"initial_guess", "time_scale", "sleep"}),
    ],
)
def test_settings_that_another_one_replaces_are_grey(scene, name, value, without_effect):
    plain = {"ground_height"}
    assert grey(panels.VBD_PT_solver_advanced) == plain
    setattr(scene.vbd, name, value)
    assert grey(panels.VBD_PT_solver_advanced) == plain | without_effect


def test_iterations_are_the_most_where_an_accuracy_ends_them(scene):
    assert panels.shown_label(scene.vbd, "substeps") is None
    assert panels.shown_label(scene.vbd, "iterations") == "Iterations (Most)"
    for name, value in (("accuracy", 0.0), ("coarse_correction", False)):
        before = getattr(scene.vbd, name)
        setattr(scene.vbd, name, value)
        assert panels.shown_label(scene.vbd, "iterations") is None
        setattr(scene.vbd, name, before)


def test_only_woven_cloth_shows_a_weft(cube):
    cube.vbd.role = "CLOTH"
    woven = {"weft_stiffness", "shear_stiffness", "weft_bending"}
    cube.vbd.membrane = "stvk"
    assert not woven & set(drawn(material_panels.VBD_PT_material_more))
    cube.vbd.membrane = "orthotropic"
    assert woven <= set(drawn(material_panels.VBD_PT_material_more))
    assert not woven & grey(material_panels.VBD_PT_material_more)


FIVE = {
    "SOFT": ["youngs_modulus_kpa", "poisson_ratio", "density", "yield_strain_percent", "damping"],
    "CLOTH": [
        *("membrane_stiffness", "bending_rigidity", "density", "damping"),
        "maximum_stretch_percent",
    ],
    "ROD": ["youngs_modulus_mpa", "thickness_mm", "bending_factor", "density", "damping"],
}


@pytest.mark.parametrize("membrane", ["stvk", "neo_hookean", "orthotropic"])
@pytest.mark.parametrize("role", FIVE)
def test_five_numbers_of_a_material_are_in_sight_and_all_others_once_under_more(
    cube, role, membrane
):
    cube.vbd.role, cube.vbd.membrane = role, membrane
    known = set(cube.vbd.bl_rna.properties.keys())
    in_sight = drawn(material_panels.VBD_PT_material)
    assert [name for name in in_sight if name in known] == FIVE[role]
    more = drawn(material_panels.VBD_PT_material_more)
    assert not set(more) & set(FIVE[role]) and len(set(more)) == len(more)
    assert material_panels.VBD_PT_material_more.bl_options == {"DEFAULT_CLOSED"}
    assert material_panels.VBD_PT_material_more.bl_parent_id == "VBD_PT_material"


def test_what_folds_and_dents_need_is_grey_without_them(cube):
    more = material_panels.VBD_PT_material_more
    cube.vbd.role = "CLOTH"
    assert grey(more) == {"crease_radius_mm", "flow_time"}
    cube.vbd.yield_strain_percent = 10.0
    assert grey(more) == {"crease_radius_mm"}
    cube.vbd.yield_strain, cube.vbd.keeps_folds = 0.0, True
    assert not grey(more)
    cube.vbd.role = "SOFT"  # which has no folds
    assert grey(more) == {"flow_time"}


def test_an_override_shows_the_numbers_that_are_stored(cube):
    """Blender applies overrides one after the other, and would write the modulus twice."""
    cube.vbd.role, cube.vbd.membrane = "CLOTH", "orthotropic"
    stand_in = SimpleNamespace(vbd=cube.vbd, override_library=object())
    both = (*material_panels.IN_SIGHT["CLOTH"], *material_panels.MORE["CLOTH"])
    labels_of = dict(material_panels.shown_fields(stand_in, both))
    shown = [name for name, _ in material_panels.shown_fields(stand_in, both)]
    stored = ["youngs_modulus", "bending_stiffness", "weft_modulus", "shear_modulus"]
    assert [name for name in shown if name in stored] == stored
    assert len(set(shown)) == len(shown) and not NOT_STORED & set(shown)
    assert labels_of["thickness"] == "Thickness (m)" and labels_of["yield_strain"] == "Dents Beyond"


def test_a_report_is_shown_with_the_bake_it_is_about(cube):
    line = report.Line(text="Baked 6 frames in 1 s")
    bpy.context.scene.vbd.report = report.dumps([line], ["Pairs: 3"])
    assert not visible(panels.VBD_PT_report)
    cube.vbd.baked = True
    assert drawn(panels.VBD_PT_report) == ["Baked 6 frames in 1 s"]
    bpy.context.scene.vbd.report = ""
    assert not visible(panels.VBD_PT_report)


def test_numbers_of_a_bake_are_in_a_closed_panel_below_its_report(cube):
    line = report.Line(text="Baked 6 frames in 1 s")
    bpy.context.scene.vbd.report = report.dumps([line], ["Pairs: 3"])
    assert drawn(panels.VBD_PT_statistics) == ["Pairs: 3", "vbd.save_statistics"]
    assert panels.VBD_PT_statistics.bl_options == {"DEFAULT_CLOSED"}
    assert panels.VBD_PT_statistics.bl_parent_id == "VBD_PT_report"


def labels(panel):
    return [text for text in drawn(panel) if " " in text]


def test_the_panel_of_the_progress_bar_has_no_label_more_after_the_bake(cube):
    """Blender 4.3 draws a new label as the progress bar that was under the mouse."""
    bpy.ops.vbd.add(role="SOFT")
    with running_bake():
        during = labels(panels.VBD_PT_sidebar)
        assert not visible(panels.VBD_PT_report)
    without = labels(panels.VBD_PT_sidebar)  # the bake was cancelled in its first frame
    cube.vbd.baked = True
    assert len(labels(panels.VBD_PT_sidebar)) <= len(without) <= len(during)


def hints():
    """Texts of the sidebar other than the names of fields and operators."""
    return labels(panels.VBD_PT_sidebar)


def test_text_is_offered_to_become_a_mesh(scene):
    bpy.ops.object.text_add()
    assert "object.convert" in drawn(panels.VBD_PT_sidebar) and hints() == []
    bpy.ops.object.convert(target="MESH")
    assert "object.convert" not in drawn(panels.VBD_PT_sidebar)
    assert hints() == ["Choose a role above"]


def test_the_next_step_is_told_until_something_is_baked(scene):
    assert hints() == ["Select a mesh or a curve"]
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    assert hints() == ["Choose a role above"]
    bpy.ops.vbd.add(role="COLLIDER")
    assert hints() == ["Add a soft body, cloth or rod"]
    bpy.ops.vbd.add(role="SOFT")
    assert hints() == [message("bake.no_floor")]
    assert "use_ground" in drawn(panels.VBD_PT_sidebar)
    scene.vbd.use_ground = True
    assert hints() == ["Ready: press Bake"]
    cube.vbd.attachments.add()
    assert hints() == ["Cube: choose a Target"]
    cube.vbd.attachments[0].enabled = False
    assert hints() == ["Ready: press Bake"]
    bpy.ops.object.duplicate_move_linked()
    assert hints() == ["Cube needs a mesh of its own"]
    assert "vbd.make_mesh_local" in drawn(panels.VBD_PT_sidebar)
    bpy.ops.vbd.make_mesh_local()
    assert hints() == ["Ready: press Bake"]
    cube.vbd.baked = True
    assert hints() == []


@pytest.mark.parametrize("held", ["pins", "collider", "weightless"])
def test_what_does_not_fall_forever_needs_no_floor(cube, held):
    bpy.ops.vbd.add(role="SOFT")
    if held == "pins":
        cube.vbd.pin_group = "Group"
    elif held == "collider":
        bpy.ops.mesh.primitive_plane_add()
        bpy.ops.vbd.add(role="COLLIDER")
    else:
        bpy.context.scene.use_gravity = False
    assert hints() == ["Ready: press Bake"]


def test_hints_fit_beside_an_icon_at_the_default_width(scene):
    width = advice.measured(bpy.context)
    for text in (*map(message, ("progress.esc_short", "bake.add_body", "bake.no_floor")),):
        assert 0 < width(text) <= advice.text_width(bpy.context)


AFTER_A_BAKE = {"vbd.resume_bake", "vbd.bake_from_here", "vbd.free_bake"}


def test_before_the_first_bake_no_grey_button_stands_below_bake(cube, monkeypatch):
    bpy.ops.vbd.add(role="SOFT")
    layout = layout_of(panels.VBD_PT_sidebar)
    assert "vbd.bake" in layout.shown
    assert not AFTER_A_BAKE & set(layout.shown) and not layout.dead
    assert not visible(panels.VBD_PT_export)
    kept = SimpleNamespace(frame=5, scene_frame=6, cache=None)  # frames are missing
    monkeypatch.setattr(panels, "saved_frames", lambda _: kept)
    assert AFTER_A_BAKE <= set(drawn(panels.VBD_PT_sidebar))


def test_what_is_baked_can_be_exported_from_a_closed_panel(cube):
    cube.vbd.role = "SOFT"
    playback.write(cube, [np.zeros((8, 3), np.float32)] * 2, 1, [])
    assert "vbd.free_bake" in drawn(panels.VBD_PT_sidebar)
    assert visible(panels.VBD_PT_export)
    assert panels.VBD_PT_export.bl_options == {"DEFAULT_CLOSED"}
    assert layout_of(panels.VBD_PT_export).buttons == ["For glTF and FBX", "Point Cache"]
    with running_bake():
        assert not visible(panels.VBD_PT_export)


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_no_two_buttons_have_one_name(cube, role):
    cube.vbd.role = role
    cube.vbd.baked = True
    for place in (SIDEBAR, PHYSICS):
        names = [n for p in place if visible(p) for n in layout_of(p).buttons if n]
        if place is PHYSICS:
            assert role == "NONE" or len(names) > 4
            names += ["Cloth", "Soft Body", "Collision", "Rigid Body", "Force Field"]  # Blender's
        assert len(set(names)) == len(names), names


def test_a_bake_that_runs_shows_progress_and_cancel_instead_of_bake(scene):
    assert "vbd.bake" in drawn(panels.VBD_PT_sidebar)
    with running_bake():
        shown = drawn(panels.VBD_PT_sidebar)
    assert {"progress", "vbd.cancel_bake"} <= set(shown)
    assert "vbd.bake" not in shown


FIELDS_OF = {
    "SOFT": (
        "solid_model youngs_modulus_kpa poisson_ratio density yield_strain_percent flow_time "
        "damping drag resolution contact_vertices keep_coarse keeps_shape"
    ),
    "CLOTH": (
        "membrane thickness_mm membrane_stiffness youngs_modulus_mpa poisson_ratio density "
        "bending_rigidity adapt_folds maximum_stretch_percent bending_damping keeps_folds "
        "crease_radius_mm yield_strain_percent flow_time rest_flat damping drag air_friction "
        "pressure keep_volume fill_openings keeps_shape rest_shape_key shrink"
    ),
    "ROD": (
        "youngs_modulus_mpa thickness_mm density bending_factor keeps_folds crease_radius_mm "
        "flow_time poisson_ratio rest_flat damping drag keeps_shape"
    ),
    "COLLIDER": "collider_shape",
}


@pytest.mark.parametrize("role", FIELDS_OF)
def test_an_object_shows_the_fields_of_its_role_only(cube, role):
    cube.vbd.role = role
    shown = {name for panel in PHYSICS if visible(panel) for name in drawn(panel)}
    names = set(FIELDS_OF[role].split())
    always = {"collision_thickness", "use_friction", "friction", "static_friction"}
    always.add("collision_collection")
    pins = {"pin_group", "pin_axes", "pin_stiffness", "pin_damping", "pin_strength"}
    bodies = set() if role == "COLLIDER" else {*pins, "self_contact", "stack_place", *FIELDS}
    seams = {"sewing_speed", "sewing_force", "sewing_tears"} if role == "CLOTH" else set()
    assert shown & set(cube.vbd.bl_rna.properties.keys()) == names | always | bodies | seams


def test_what_holds_an_object_is_grey_until_it_is_switched_on(cube):
    cube.vbd.role = "CLOTH"
    soft = {"pin_stiffness", "pin_damping", "pin_strength"}
    assert grey(holding_panels.VBD_PT_soft_pins) == soft
    cube.vbd.pin_group = "Pins"
    assert not grey(holding_panels.VBD_PT_soft_pins)
    cube.vbd.soft_pins = False
    assert grey(holding_panels.VBD_PT_soft_pins) == soft
    sewing = {"sewing_speed", "sewing_force", "sewing_tears"}
    assert grey(holding_panels.VBD_PT_sewing) == sewing
    cube.vbd.use_sewing = True
    assert grey(holding_panels.VBD_PT_sewing) == {"sewing_tears"}
    cube.vbd.sewing_force = 1.0
    assert not grey(holding_panels.VBD_PT_sewing)


def test_the_attachment_that_is_chosen_is_shown(cube):
    cube.vbd.role = "SOFT"
    assert drawn(holding_panels.VBD_PT_attachments) == [
        "VBD_UL_attachments",
        "vbd.add_attachment",
        "vbd.remove_attachment",
        "show_attachments",
    ]
    bpy.ops.vbd.add_attachment()
    item = cube.vbd.attachments[0]
    fields = set(item.bl_rna.properties.keys()) - {"rna_type", "name", "enabled"}
    assert fields <= set(drawn(holding_panels.VBD_PT_attachments))
    assert grey(holding_panels.VBD_PT_attachments) == {"tears"}
    item.maximum_force = 1.0
    assert not grey(holding_panels.VBD_PT_attachments)
    item.enabled = False
    assert grey(holding_panels.VBD_PT_attachments) == fields


def test_a_painted_property_is_shown_with_both_its_values(cube):
    cube.vbd.role = "CLOTH"
    assert "what" not in drawn(painting_panels.VBD_PT_painted)
    bpy.ops.vbd.add_painted()
    row = cube.vbd.painted[0]
    row.what = "density"
    fields = ["what", "vertex_group", "value", "density"]
    assert drawn(painting_panels.VBD_PT_painted)[-4:] == fields
    row.what = "youngs_modulus"
    fields = ["what", "vertex_group", "shown_value", "youngs_modulus_mpa"]
    assert drawn(painting_panels.VBD_PT_painted)[-4:] == fields
    row.what = "bending_stiffness"
    cube.vbd.role = "SOFT"
    assert drawn(painting_panels.VBD_PT_painted)[-2:] == [
        "what",
        "A soft body has no such property",
    ]


@pytest.mark.parametrize("shape", [shape for shape, _, _ in COLLIDER_SHAPES])
def test_what_a_collider_without_a_mesh_does_not_have_is_grey(cube, shape):
    cube.vbd.role, cube.vbd.collider_shape = "COLLIDER", shape
    without_effect = {"collision_thickness", "collision_collection"}
    friction = {"friction", "static_friction"}
    expected = friction if shape == "MESH" else friction | without_effect
    assert grey(physics_panels.VBD_PT_collision) == expected
    cube.vbd.role = "CLOTH"  # the shape of a collider does not apply to a cloth
    assert grey(physics_panels.VBD_PT_collision) == friction


def test_a_soft_body_tells_its_cells_until_its_mesh_changes(cube):
    cube.vbd.resolution = 12
    cube.vbd.role = "SOFT"
    assert "1,728 cells" in drawn(physics_panels.VBD_PT_lattice)
    cube.data.vertices.add(1)
    assert "Cells not counted" in drawn(physics_panels.VBD_PT_lattice)


def test_a_soft_body_with_tets_of_its_own_tells_these(scene):
    bpy.context.view_layer.objects.active = tet_block(cells=(1, 1, 1))
    assert "6 tets" in drawn(physics_panels.VBD_PT_lattice)
    assert "resolution" in grey(physics_panels.VBD_PT_lattice)
    bpy.context.object.data.vertices.add(1)
    assert "Tets not counted" in drawn(physics_panels.VBD_PT_lattice)


def test_the_menus_show_the_presets_whose_values_there_are(cube):
    bpy.ops.vbd.add(role="CLOTH")
    assert "Cotton" in drawn(material_panels.VBD_PT_material)
    assert "Balanced" in drawn(panels.VBD_PT_solver)
    bpy.ops.vbd.remove()
    bpy.ops.vbd.add(role="ROD")  # picks a preset of another menu
    bpy.ops.vbd.add(role="CLOTH")
    cube.vbd.density = 1.0
    shown = drawn(material_panels.VBD_PT_material)
    assert "Cotton" not in shown and "Presets" in shown


@pytest.mark.parametrize("role", [role for role, _, _ in ROLES])
def test_no_field_can_be_changed_while_a_bake_runs(cube, role):
    cube.vbd.role = role
    with running_bake():
        open_fields = {
            name
            for panel in (*SIDEBAR, *PHYSICS)
            if visible(panel)
            for name in layout_of(panel).open
        }
    # These set the drawing, and the bake does not read them.
    assert open_fields <= {*overlays.SWITCHES, "stretch_range"}
    assert layout_of(panels.VBD_PT_solver).open == set(panels.MAIN_SETTINGS)


def test_a_baked_mesh_in_edit_mode_is_warned_of(cube):
    playback.write(cube, [np.zeros((8, 3), np.float32)] * 2, 1, [])
    assert not visible(panels.VBD_PT_report)
    bpy.ops.object.mode_set(mode="EDIT")
    assert visible(panels.VBD_PT_report)
    assert "Cube is baked and is in Edit Mode" in drawn(panels.VBD_PT_report)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_resume_names_its_frame_and_is_there_where_one_is_missing(cube, monkeypatch):
    bpy.ops.vbd.add(role="SOFT")
    bpy.context.scene.vbd.use_ground = True
    kept = SimpleNamespace(frame=5, scene_frame=6, cache=None)
    monkeypatch.setattr(panels, "saved_frames", lambda _: kept)
    for last, frame in ((6, None), (7, 7)):
        bpy.context.scene.vbd.frame_end = last
        buttons = layout_of(panels.VBD_PT_sidebar).buttons
        assert [b for b in buttons if "Resume" in b] == [f"Resume from Frame {frame}"] * bool(frame)
        assert hints() == [] if frame else hints() == ["Ready: press Bake"]


@pytest.mark.parametrize("role", ["CLOTH", "SOFT", "COLLIDER"])
def test_an_automatic_thickness_is_told_where_there_is_one(cube, role):
    cube.vbd.role = role
    told = [text for text in drawn(physics_panels.VBD_PT_collision) if "Automatic" in text]
    assert told == ([] if role == "COLLIDER" else ["Automatic: 5 mm"])
    cube.vbd.collision_thickness = 0.01
    assert "Automatic" not in " ".join(drawn(physics_panels.VBD_PT_collision))
