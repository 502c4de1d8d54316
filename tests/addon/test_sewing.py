# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose edges of a cloth are seams."""

import numpy as np
import pytest
from blender_scenes import baked, frames, gathered, mesh_object, shown
from shapes import grid

from vbd.addon.gathering.sewing import CLOSING


def two_sheets(**values):
    """Two sheets in one mesh, 0.5 m apart, with seams between the edges that face each other."""
    points, faces = grid(4)
    right = points + [1.5, 0.0, 0.0]
    ends = np.flatnonzero(points[:, 0] == 1.0), 25 + np.flatnonzero(points[:, 0] == 0.0)
    seams = np.stack(ends, axis=1)
    ob = mesh_object(
        "Shirt",
        np.concatenate([points, right]),
        seams,
        np.concatenate([faces, 25 + faces]),
        "CLOTH",
    )
    ob.vbd.use_sewing, ob.vbd.density = True, 0.2
    for name, value in values.items():
        setattr(ob.vbd, name, value)
    return ob, seams


def gap(ob, seams, frame):
    points = shown(ob, frame)
    return np.linalg.norm(points[seams[:, 0]] - points[seams[:, 1]], axis=1).max()


def test_seams_close_with_their_speed(scene):
    ob, seams = two_sheets(sewing_speed=1.0)
    scene.use_gravity = False
    frames(scene, 1, 25)
    baked()
    assert gap(ob, seams, 7) == pytest.approx(0.25, abs=0.03)
    assert gap(ob, seams, 25) < 0.01
    # Both sides meet in the middle.
    assert shown(ob, 25)[:, 0].mean() == pytest.approx(1.25, abs=1e-3)


def test_seams_without_a_speed_close_at_once_and_with_little_force_slowly(scene):
    soon, late = [], []
    for force, found in ((0.0, soon), (0.01, late)):
        ob, seams = two_sheets(sewing_speed=0.0, sewing_force=force)
        scene.use_gravity = False
        frames(scene, 1, 4)
        baked()
        found.append(gap(ob, seams, 4))
        ob.vbd.role = "NONE"
    assert soon[0] < 0.1
    assert late[0] > 0.3


def test_without_sewing_loose_edges_are_named(scene):
    ob, _seams = two_sheets(use_sewing=False)
    found = gathered()
    assert not found.holding
    ob.vbd.use_sewing = True
    assert len(gathered().holding[0].vertices) == 5


def test_painted_cloth_can_be_sewn(scene):
    ob, _seams = two_sheets()
    ob.vertex_groups.new(name="Stiff").add(range(25), 1.0, "REPLACE")
    row = ob.vbd.painted.add()
    row.property, row.vertex_group, row.value = "youngs_modulus", "Stiff", 1e3
    (seam,) = gathered().holding
    middle = CLOSING * 0.5 * (1e3 + ob.vbd.youngs_modulus) * ob.vbd.thickness
    assert seam.stiffness == pytest.approx(middle, rel=0.05)


def test_a_keyed_force_closes_seams_when_it_is_due(scene):
    ob, seams = two_sheets(sewing_speed=0.0)
    scene.use_gravity = False
    for frame, force in ((1, 1e-3), (4, 1e-3), (5, 0.0)):  # 0 is no limit
        ob.vbd.sewing_force = force
        ob.keyframe_insert("vbd.sewing_force", frame=frame)
    frames(scene, 1, 8)
    baked()
    assert gap(ob, seams, 4) > 0.45
    assert gap(ob, seams, 8) < 0.1
