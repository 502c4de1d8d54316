# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a bake names objects and settings that it ignores."""

import bpy
import pytest
from blender_scenes import frames, instanced, mesh_object, sheet, slab, tet_block

from vbd.addon.gathering.gather import participants, prepared
from vbd.solver.messages import message


def notes():
    scene = bpy.context.scene
    objects = participants(scene)
    with prepared(scene, objects) as found:
        return found


def field(name, kind):
    bpy.ops.object.effector_add(type=kind)
    bpy.context.object.name = name
    return bpy.context.object


def test_a_plain_scene_has_nothing_to_tell(scene):
    sheet()
    slab(height=-1.0)
    assert notes() == []


def test_force_fields_that_nothing_knows_are_named(scene):
    sheet()
    field("Wind", "WIND")
    assert notes() == []
    text = "fluid flow has no effect here, because it moves particles only"
    field("Smoke", "FLUID")
    assert notes() == [f"Smoke: {text}"]
    field("Haze", "FLUID")
    assert notes() == [f"Smoke and Haze: {text}"]
    field("Charge", "CHARGE")
    for name in ("Smoke", "Haze"):
        bpy.data.objects[name].hide_set(True)
    assert notes() == []
    cloud = field("Cloud", "TEXTURE")
    (note,) = notes()
    assert note.startswith("Cloud: the force field has no texture and does nothing; choose one")
    cloud.field.texture = bpy.data.textures.new("Cloud", "CLOUDS")
    (note,) = notes()
    assert note.startswith("Cloud: its Nabla is 0, so the texture does nothing; set it to")
    cloud.field.texture_nabla = 0.01
    assert notes() == []
    cloud.hide_set(True)
    bpy.ops.mesh.primitive_plane_add()
    bpy.ops.object.forcefield_toggle()
    bpy.context.object.name = "Whirl"
    whirl = bpy.context.object.field
    whirl.shape = "SURFACE"
    assert notes() == [
        "Whirl: force fields of the shape Surface or Every Point have no effect here; use "
        "Point, Line or Plane"
    ]
    whirl.shape, whirl.use_absorption = "LINE", True
    assert notes() == [
        "Whirl: Absorption is on, but nothing absorbs the field; give the obstacles Blender's "
        "Collision physics and a Field Absorption above 0"
    ]
    wall = slab("Wall", role="NONE")
    wall.modifiers.new("Collision", "COLLISION")
    wall.collision.absorption = 0.5
    assert notes() == []


def test_the_report_of_a_bake_has_them(scene):
    sheet()
    field("Smoke", "FLUID")
    frames(scene, 1, 2)
    from vbd.addon.baking.bake_steps import bake_steps, run_to_end

    level, text = run_to_end(bake_steps(bpy.context), show=lambda _line: None).report()
    assert level == "WARNING"
    assert "Smoke: fluid flow" in text


RAG = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (2, 0, 0), (2, 1, 0)]
PATCHES = [(0, 1, 2), (4, 5, 3)]


def test_loose_edges_between_the_faces_of_a_cloth_are_counted(scene):
    def loose():
        return [note for note in notes() if "without a face" in note]

    mesh_object("Rag", RAG, faces=PATCHES, role="CLOTH")
    assert loose() == []
    mesh_object("Tatters", RAG, edges=[(1, 4)], faces=PATCHES, role="CLOTH")
    assert loose() == [message("note.loose_edges", name="Tatters", count=1)]
    mesh_object("Net", RAG, edges=[(1, 4), (2, 3)], faces=PATCHES, role="CLOTH")
    assert message("note.loose_edges", name="Net", count=2) in loose()


def test_a_cloth_that_cannot_fold_is_named(scene):
    bpy.ops.mesh.primitive_plane_add()
    plane = bpy.context.object
    plane.vbd.role = "CLOTH"
    advice = "subdivide it (Edit Mode, Edge > Subdivide, with 10 cuts or more)"
    assert notes() == [f"Plane: a cloth of 1 face hardly folds; {advice}"]
    plane.vbd.role = "SOFT"
    assert notes() == [message("note.flat", name="Plane")]
    plane.vbd.role = "COLLIDER"
    bpy.ops.mesh.primitive_cube_add()
    bpy.context.object.vbd.role = "CLOTH"
    assert notes() == [f"Cube: a cloth of 6 faces hardly folds; {advice}"]
    bpy.context.object.vbd.role = "COLLIDER"
    sheet()
    assert notes() == []


def test_a_cloth_made_by_its_modifiers_is_judged_as_it_is_simulated(scene):
    bpy.ops.mesh.primitive_plane_add()
    ob = bpy.context.object
    ob.modifiers.new("Finer", "SUBSURF").levels = 2
    ob.modifiers["Finer"].render_levels = 2
    ob.vbd.role = "CLOTH"
    ob.vbd.stack_place, ob.vbd.stack_modifier = "AFTER", "Finer"
    assert notes() == []


def test_edges_that_a_modifier_gives_faces_are_not_loose(scene):
    profile = mesh_object("Vase", [(1, 0, 0), (1, 0, 1), (2, 0, 2)], edges=[(0, 1), (1, 2)])
    profile.modifiers.new("Turned", "SCREW")
    profile.vbd.role = "CLOTH"
    profile.vbd.stack_place, profile.vbd.stack_modifier = "AFTER", "Turned"
    assert notes() == []


def test_sewing_without_seams_is_named(scene):
    rag = mesh_object("Rag", RAG, faces=PATCHES, role="CLOTH")
    rag.vbd.use_sewing = True
    assert message("note.no_seams", name="Rag") in notes()
    rag.data.edges.add(1)
    rag.data.edges[-1].vertices = (1, 4)
    rag.data.update()
    assert not any("Sewing" in note for note in notes())
    rag.vbd.use_sewing = False
    assert message("note.loose_edges", name="Rag", count=1) in notes()


def test_a_flat_soft_body_is_named(scene):
    bpy.ops.mesh.primitive_grid_add(rotation=(0.3, 0.5, 0.0), location=(5.0, 0.0, 9.0))
    grid = bpy.context.object
    grid.vbd.role = "SOFT"
    assert notes() == [message("note.flat", name="Grid")]
    grid.data.vertices[0].co.z = 0.01  # a hundred and forty times longer than high
    assert notes() == []
    grid.data.vertices[0].co.z = 0.0
    grid.modifiers.new("Thick", "SOLIDIFY").thickness = 0.05
    grid.vbd.stack_place, grid.vbd.stack_modifier = "AFTER", "Thick"
    assert notes() == []
    grid.modifiers.clear()
    grid.vbd.stack_place, grid.vbd.role = "AUTO", "CLOTH"
    assert notes() == []
    tet_block()
    assert notes() == []


def test_faces_of_many_corners_are_named(scene):
    bpy.ops.mesh.primitive_circle_add(fill_type="NGON")
    bpy.context.object.vbd.role = "CLOTH"
    assert notes() == [message("note.large_faces", name="Circle", count=1)]
    bpy.ops.mesh.primitive_cylinder_add()
    bpy.context.object.vbd.role = "CLOTH"
    assert notes()[1:] == [message("note.large_faces", name="Cylinder", count=2)]


def test_a_curve_of_few_points_is_named_until_it_is_subdivided(scene):
    bpy.ops.curve.primitive_bezier_curve_add()
    bpy.context.object.vbd.role = "ROD"
    bpy.ops.curve.primitive_nurbs_path_add()
    bpy.context.object.vbd.role = "ROD"
    text = (
        "a spline of {} points hardly bends, and its smooth curve may be drawn through what it "
        "lies on; subdivide it (Edit Mode, Segments > Subdivide, with 5 cuts or more)"
    )
    assert notes() == [f"BézierCurve: {text.format(2)}", f"NurbsPath: {text.format(5)}"]
    for ob in list(scene.objects):
        bpy.context.view_layer.objects.active = ob
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.curve.select_all(action="SELECT")
        bpy.ops.curve.subdivide(number_cuts=5)
        bpy.ops.object.mode_set(mode="OBJECT")
    assert notes() == []


def test_edges_that_hang_from_a_cloth_are_refused_in_words(scene):
    points = [*RAG, (3, 0, 0), (4, 0, 0)]
    mesh_object("Fringe", points, edges=[(4, 6), (6, 7)], faces=PATCHES, role="CLOTH")
    words = r"Fringe: 2 vertices hang on edges without a face \(first: vertex 6\); delete them"
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.vbd.bake()


def test_bodies_and_shapes_in_instanced_collections_are_named(scene):
    sheet()
    ball = slab("Chair", height=-1.0)
    ball.vbd.collider_shape = "PLANE"
    instanced(sheet("Table"), ball, slab("Wall"), mesh_object("Prop", [(0, 0, 0)]))
    assert notes() == [
        "Set: its instances of Table and Chair are ignored, because only colliders of the shape "
        "Mesh push as instances; make them real (Object > Apply > Make Instances Real)"
    ]


def test_instances_within_instances_are_found(scene):
    sheet()
    inner = instanced(sheet("Table"))
    outer = bpy.data.collections.new("Room")
    scene.collection.objects.unlink(inner)
    outer.objects.link(inner)
    empty = bpy.data.objects.new("House", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", outer
    scene.collection.objects.link(empty)
    assert [note for note in notes() if "Table" in note]


def test_instances_on_faces_are_found(scene):
    sheet()
    owner = mesh_object("Ground", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)])
    stone = sheet("Stone")
    stone.parent, owner.instance_type = owner, "FACES"
    bpy.context.view_layer.update()
    assert [note for note in notes() if note.startswith("Ground: its instances of Stone")]


def test_instances_of_what_has_no_role_are_no_matter(scene):
    sheet()
    instanced(mesh_object("Prop", [(0, 0, 0), (1, 0, 0)], [(0, 1)]))
    assert notes() == []


def test_what_blender_draws_along_a_curve_is_no_instance_of_it(scene):
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.02
    curve.splines.new("POLY").points.add(3)
    for i, point in enumerate(curve.splines[0].points):
        point.co = (0.1 * i, 0.0, 0.0, 1.0)
    rope = bpy.data.objects.new("Rope", curve)
    scene.collection.objects.link(rope)
    rope.vbd.role = "ROD"
    assert notes() == []


def test_vertices_that_lie_on_others_are_counted(scene):
    ob = sheet()
    assert notes() == []
    points = [tuple(vertex.co) for vertex in ob.data.vertices]
    faces = [tuple(face.vertices) for face in ob.data.polygons]
    others = [tuple(v + len(points) for v in face) for face in faces]
    shifted = [
        (x + max(p[0] for p in points) - min(p[0] for p in points), y, z) for x, y, z in points
    ]
    ob.data.clear_geometry()
    ob.data.from_pydata([*points, *shifted], [], [*faces, *others])
    side = sum(p[0] == max(q[0] for q in points) for p in points)
    (note,) = notes()
    assert note.startswith(f"{ob.name}: {side} vertices lie on others without being joined")
    ob.vbd.use_sewing = True
    assert notes() == [message("note.no_seams", name=ob.name)]


@pytest.mark.parametrize(("kind", "physics"), [("CLOTH", "Cloth"), ("SOFT_BODY", "Soft Body")])
def test_a_body_that_blender_simulates_as_well_is_named(scene, kind, physics):
    rag = sheet()
    rag.modifiers.new("Own", kind)
    assert notes() == [message("note.simulated_twice", name=rag.name, physics=physics)]
