# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton on furniture lies still soon after it has fallen."""

import numpy as np
import pytest

from vbd.benchmarks.cloth_resolution import meshes, ours, scenes
from vbd.benchmarks.experiments.contact_shapes import cuboid

# What the preset Cotton has besides `ours.COTTON`.
PRESET = {"bending_damping": 0.1, "maximum_stretch": 0.05}


def drawn_over(size, height, box):
    """A square sheet of 30² faces that falls by 5 cm and more on a box on the floor."""
    floor = scenes.FLOOR, np.array([[0, 1, 2], [0, 2, 3]])
    block = cuboid(box, (0.0, 0.0, 0.5 * box[2]))
    sheet = meshes.SQUARES["alternating"](30, size)
    return scenes.over(sheet, size, height, 0, floor, block)


# A napkin of 0.4 m on a box of 0.2 m, and a bed sheet of 2.6 m on a mattress. They move by 0.05 to
# 0.07 mm a frame then, and without bending damping by 0.6 and 0.15 mm.
@pytest.mark.parametrize(
    ("scene", "seconds"),
    [
        pytest.param(drawn_over(0.4, 0.75, (0.2, 0.2, 0.7)), 5, id="napkin"),
        pytest.param(drawn_over(2.6, 0.7, (1.4, 2.0, 0.5)), 6, id="bed sheet"),
    ],
)
def test_it_moves_by_less_than_a_tenth_of_a_millimeter_a_frame(scene, seconds):
    """Root mean square of all vertices, in every one of the last four frames of 1/24 s."""
    scene.frames = 24 * seconds
    last = np.array(ours.motion(scene, **PRESET)[-5:])
    moved = np.linalg.norm(np.diff(last, axis=0), axis=2)
    assert np.sqrt((moved**2).mean(axis=1)).max() < 1e-4
