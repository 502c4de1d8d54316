# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's five-minute tour works as written, and ends as a picture to show."""

import bpy
import numpy as np
import pytest
from blender_scenes import shown
from tour import number, round_off, walk

from vbd.addon.baking import outdated, report
from vbd.addon.panels.advice import lines_of


@pytest.mark.any_blender
def test_the_tour():
    sheet, cube, end = walk()
    scene = bpy.context.scene
    assert [line.warns for line in lines_of(scene)] == [False, False]
    assert lines_of(scene)[1].text == f"The timeline now ends at frame {end}, as the bake does"
    cloth, block = shown(sheet, end), shown(cube, end)
    # The block stands on the floor, and the sheet lies on it and hangs down around it.
    top = block[:, 2].max()
    assert -0.05 < block[:, 2].min() < 0.05 and 1.8 < top < 2.05
    above = np.abs(cloth[:, :2]).max(axis=1) < 0.8
    assert above.any() and np.abs(cloth[above, 2] - top).max() < 0.1
    hangs_in_four_cones(cloth, top)
    round_off(cube)
    # Rounding needs no new bake, and the drawn surface lies where it was.
    assert not outdated.settings_changed(scene, report.made_with(scene.vbd.report))
    drawn = shown(sheet, end)
    assert len(drawn) == (4 * int(number("Subdivisions to")) + 1) ** 2
    assert np.abs(drawn.min(axis=0) - cloth.min(axis=0)).max() < 0.1
    rounded = shown(cube, end)
    assert len(rounded) == 4 * (len(block) - 2) + 2 and rounded[:, 2].max() < drawn[:, 2].max()
    for edge in (np.min, np.max):
        assert np.abs(edge(rounded, axis=0) - edge(block, axis=0)).max() < 0.1


def hangs_in_four_cones(cloth, top):
    """A square of 4 m on a block of 2 m, both inextensible: a fold at each corner and nothing
    between them. Where the fold hangs straight down, a point ρ away from the block's corner is ρ
    below its top, at the corner of the sheet √2 m.
    """
    side = int(number("Subdivisions to")) + 1
    rows = cloth.reshape(side, side, 3)
    corners = rows[[0, 0, -1, -1], [0, -1, 0, -1]]
    # Folds swing and stand out a little: by 30° at most.
    steepest, flattest = np.sqrt(2.0), np.sqrt(2.0) * np.cos(np.radians(30.0))
    drops = top - corners[:, 2]
    assert flattest < drops.min() and drops.max() < 1.02 * steepest, drops
    radii = np.linalg.norm(cloth[:, :2], axis=1)
    assert radii.max() < np.sqrt(2.0) * (1.0 + np.sin(np.radians(30.0)))
    # 4 m² lie on the block, 8 m² hang at its sides, and the mean ρ of 1 m² at a corner is 0.765 m.
    straight = top - (8.0 * 0.5 + 4.0 * 0.765) / 16.0
    assert straight < cloth[:, 2].mean() < straight + 0.04
    # The middle third of each side of the hem hangs close to the block; every corner stands out.
    third = side // 3
    for hem in (rows[0], rows[-1], rows[:, 0], rows[:, -1]):
        stands_out = np.abs(hem[:, :2]).max(axis=1) - 1.0
        assert stands_out[third:-third].max() < 0.15
        assert stands_out[:third].max() > 0.2 and stands_out[-third:].max() > 0.2
