# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of a collider that open after the first frame are reported, because they push nothing."""

from blender_scenes import baked, frames, mesh_object, sheet, slab, slide

from vbd.solver.messages import message

# A strip that is always open, and a lid beside it.
LID = [(0, -2, 0), (0, 2, 0), (2, -2, 0), (2, 2, 0), (-1, -2, 0), (-1, 2, 0)]
FACES = [(0, 2, 1), (1, 2, 3), (4, 0, 5), (5, 0, 1)]


def lid(scene, closed):
    """A collider whose shape key closes two triangles to a line in frame 1, by a fraction."""
    frames(scene, 1, 4)
    sheet().location.z = 1.0
    ob = mesh_object("Lid", LID, faces=FACES, role="COLLIDER")
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Closed")
    for corner in (2, 3):
        key.data[corner].co.x = 0.0
    for frame, value in ((1, closed), (4, 0.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    return ob


def told():
    return [line for line in baked().lines() if "flat in frame" in line.text]


def test_a_lid_that_opens_is_named(scene):
    lid(scene, 1.0)
    slab(height=-1.0)
    (line,) = told()
    assert line.text == message("report.opened", name="Lid", count=2, total=4, frame=1)
    assert line.warns and line.objects == ("Lid",)


def test_a_lid_that_starts_a_little_open_is_not(scene):
    lid(scene, 0.99)
    assert not told()


def test_flat_faces_that_stay_flat_are_not(scene):
    frames(scene, 1, 4)
    sheet().location.z = 1.0
    points = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 0), (1, 1, 0)]
    ob = mesh_object("Floor", points, faces=[(0, 1, 2), (0, 2, 3), (0, 4, 5)], role="COLLIDER")
    slide(ob, 2, 1, 4, -0.1)
    assert not told()
