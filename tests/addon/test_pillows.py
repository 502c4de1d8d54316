# SPDX-License-Identifier: GPL-3.0-or-later
"""Two panels of cotton, sewn and inflated in one bake."""

import bpy
import numpy as np
import pytest
from blender_scenes import frames, mesh_object, shown
from shapes import grid

from vbd.solver.topology.closing import closed_surface

CELLS, SIDE = 16, 0.5
COUNT = (CELLS + 1) ** 2
LAST = 20
# Largest volume of two inextensible squares [m³] (the formula of Robin 2004, "Paper bag problem"):
# a side to the power of 3 times 1/π − 0.142 (1 − 10⁻¹).
MOST = SIDE**3 * (1.0 / np.pi - 0.142 * 0.9)


class Pillow:
    """Two square panels that lie above each other, with edges between their borders."""

    def __init__(self, scene, gap=0.12, unsewn=0, flipped=False, **values):
        points, faces = grid(CELLS, SIDE)
        of = np.arange(COUNT).reshape(CELLS + 1, CELLS + 1)
        border = [of[0, :-1], of[:-1, -1], of[-1, :0:-1], of[:0:-1, 0]]
        border = np.delete(np.concatenate(border), CELLS // 2 + np.arange(unsewn))
        self.seams = np.stack([border, border + COUNT], axis=1)
        above = faces[:, ::-1] if flipped else faces
        self.triangles = np.concatenate([faces, above + COUNT])
        points = np.concatenate([points, points + [0.0, 0.0, gap]])
        self.ob = mesh_object("Pillow", points, self.seams, self.triangles)
        bpy.context.view_layer.objects.active = self.ob
        self.ob.select_set(True)
        bpy.ops.vbd.add(role="CLOTH")
        for name, value in ({"use_sewing": True} | values).items():
            setattr(self.ob.vbd, name, value)
        scene.use_gravity = False
        frames(scene, 1, LAST)

    def bake(self):
        assert bpy.ops.vbd.bake() == {"FINISHED"}
        return shown(self.ob, LAST)

    def volume(self, points):
        """The volume inside, with seams and openings spanned [m³]."""
        closed = closed_surface("Pillow", shown(self.ob, 1), self.triangles, self.seams, True)
        a, b, c = (points[closed[:, k]] for k in range(3))
        return abs(np.einsum("ti,ti->", a, np.cross(b, c))) / 6.0

    def height(self, points):
        return np.linalg.norm(points[COUNT + COUNT // 2] - points[COUNT // 2])

    def gap(self, points):
        """The longest seam [m]."""
        ends = points[self.seams]
        return np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).max()


@pytest.mark.parametrize("flipped", [False, True])
def test_a_sewn_pillow_inflates_and_is_closed(scene, flipped):
    pillow = Pillow(scene, pressure=50.0, flipped=flipped)
    points = pillow.bake()
    assert pillow.gap(points) < 1e-4
    # Cotton stretches by about 1 % here.
    assert MOST < pillow.volume(points) < 1.08 * MOST
    assert pillow.height(points) > 1.8 * 0.12


@pytest.mark.parametrize("unsewn", [0, 5])
def test_a_sewn_pillow_keeps_its_volume(scene, unsewn):
    """When closed it holds the volume that was between its panels."""
    values = {"keep_volume": True, "pressure": 50.0, "fill_openings": unsewn > 0}
    pillow = Pillow(scene, gap=0.06, unsewn=unsewn, **values)
    points = pillow.bake()
    assert pillow.gap(points) < 1e-4
    assert pillow.volume(points) == pytest.approx(SIDE**2 * 0.06, rel=0.01)


def test_an_open_pillow_inflates_once_openings_are_filled(scene):
    pillow = Pillow(scene, pressure=50.0, unsewn=5)
    with pytest.raises(RuntimeError, match="Pillow: pressure needs a closed mesh, and 12 edges"):
        bpy.ops.vbd.bake()
    pillow.ob.vbd.fill_openings = True
    points = pillow.bake()
    assert pillow.gap(points) < 1e-4
    assert MOST < pillow.volume(points) < 1.12 * MOST


def test_a_pillow_that_is_not_sewn_is_told_of_sewing(scene):
    Pillow(scene, pressure=50.0, use_sewing=False)
    with pytest.raises(
        RuntimeError, match=r"128 edges have a face on one side only .* Fill Openings, .* Sewing"
    ):
        bpy.ops.vbd.bake()
