# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments that cannot be, or will not do what one thinks, are told of in words."""

import bpy
import pytest
from blender_scenes import (
    attach,
    empty_object,
    gathered,
    mesh_object,
    sheet,
)

from vbd.solver.messages import message


def tie():
    """The attachment of the scene in a bake."""
    return gathered().holding[0]


def no_target(ob):
    attach(ob, None)


def itself(ob):
    attach(ob, ob)


def elsewhere(ob):
    attach(ob, bpy.data.objects.new("Far", None))


def no_such_group(ob):
    attach(ob, empty_object(), vertex_group="Gone")


def nobody_in_the_group(ob):
    attach(ob, empty_object(), [])


def too_far(ob):
    attach(ob, empty_object(location=(0.0, 0.0, 2.0)), distance=0.5)


def hidden(ob):
    target = empty_object()
    attach(ob, target, [0])
    target.hide_viewport = True


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (no_target, "Sheet: Tie has no Target; choose an object"),
        (itself, "Sheet: Tie has its own object as Target"),
        (elsewhere, "has the Target Far, which is not in the scene Scene; choose another one"),
        (no_such_group, 'Sheet: there is no vertex group "Gone", perhaps'),
        (nobody_in_the_group, 'no vertex has a weight in the vertex group "Tied"; assign some'),
        (hidden, "Sheet: Tie has the Target Hook, which is hidden in the viewport or excluded"),
        (too_far, "no vertex is within 0.5 m of Hook, the nearest is 2 m away; raise"),
    ],
)
def test_what_cannot_be_attached_is_refused_in_words(scene, wrong, words):
    wrong(sheet())
    with pytest.raises(ValueError, match=words):
        gathered()


def test_a_soft_body_that_hangs_by_one_vertex_is_named(scene):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3)
    ball = bpy.context.object
    ball.vbd.role = "SOFT"
    item = attach(ball, empty_object(location=(0.0, 0.0, 0.35)))
    assert gathered().notes == [
        "Sphere: Tie ties a single vertex, and a load would pull a spike out of Sphere there; "
        "choose a Group with the vertices around, or set Within"
    ]
    item.distance = 0.1
    assert len(tie().vertices) > 1 and not gathered().notes
    # A chosen vertex is tied on purpose, and a cloth with one tied vertex has no inside.
    ball.vbd.attachments.remove(0)
    attach(ball, bpy.data.objects["Hook"], [0])
    assert not gathered().notes
    ball.vbd.role, ball.vbd.attachments[0].vertex_group = "CLOTH", ""
    assert not gathered().notes


def test_a_rope_that_holds_a_soft_body_at_one_place_is_told_to_be_its_target(scene):
    points = [(0.0, 0.0, 0.3 + 0.1 * k) for k in range(4)]
    rope = mesh_object("Rope", points, [(0, 1), (1, 2), (2, 3)], role="ROD")
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3)
    ball = bpy.context.object
    ball.vbd.role = "SOFT"
    item = attach(rope, ball)
    advice = (
        "Rope: Tie ties a single vertex, and a load would pull a spike out of Sphere there; remove "
        "it, and attach Sphere to Rope instead: with a Group of the vertices around that place, or "
        "with Within"
    )
    assert gathered().notes == [advice]
    rope.vertex_groups.new(name="End").add([0], 1.0, "REPLACE")
    item.vertex_group = "End"
    assert gathered().notes == [advice]
    rope.vbd.attachments.clear()
    attach(ball, rope, distance=0.1)
    assert not gathered().notes


def test_an_attachment_without_a_name_is_told_of_in_words(cube):
    cube.vbd.role = "SOFT"
    cube.vbd.attachments.add()
    with pytest.raises(ValueError, match=r"^Cube: an attachment has no Target; choose an object"):
        gathered()


def test_a_plank_of_few_vertices_is_told_to_be_subdivided_where_it_hangs(scene):
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    plank = bpy.context.object
    plank.name, plank.scale, plank.vbd.role = "Plank", (1.1, 0.4, 0.06), "SOFT"
    plank.vbd.keep_coarse = True
    for k, at in enumerate(((-0.55, 0.2, 0.1), (0.55, 0.2, 0.1))):
        hook = empty_object(f"Hook {k}", at)
        attach(plank, hook)
    known = {"name": "Plank", "soft": "Plank"}
    single, double = (message("pin.vertices", count=count) for count in (1, 2))
    assert gathered().notes == [
        message("pin.spike_coarse", attachments="Tie and Tie", count=2, vertices=single, **known)
    ]
    # In the middle of a side two corners are equally near.
    plank.vbd.attachments.remove(1)
    bpy.data.objects["Hook 0"].location.y = 0.0
    known["attachments"] = "Tie"
    assert gathered().notes == [message("pin.spike_coarse", count=1, vertices=double, **known)]
    plank.select_set(True)
    bpy.ops.vbd.subdivide_faces()
    (note,) = gathered().notes
    assert "ubdivide" not in note and note.endswith("with the vertices around, or set Within")
    plank.vbd.attachments[0].distance = 0.2
    assert not gathered().notes


def test_a_rope_at_a_coarse_body_is_told_to_subdivide_that(scene):
    rope = mesh_object("Rope", [(0, 0, 0.5), (0, 0, 1)], [(0, 1)], role="ROD")
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    bpy.context.object.vbd.role, bpy.context.object.vbd.keep_coarse = "SOFT", True
    attach(rope, bpy.context.object)
    (note,) = gathered().notes
    assert "subdivide the faces of Cube around that place (Edit Mode, Edge > Subdivide)" in note
