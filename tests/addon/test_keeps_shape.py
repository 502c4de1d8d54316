# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that keep their shape under gravity, from the switch to the report."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, mesh_object, pin, shown, slide
from shapes import block, chain, grid

from vbd.addon.baking.bake_steps import bake_steps
from vbd.addon.baking.cache_place import cache_folder
from vbd.solver.rest_shapes.files import read_rest_shapes

# Tolerance of standing, over the size.
STANDS = 1e-3


@pytest.fixture
def arm(scene):
    """A soft arm of 1 m, pinned at one end, that drops by a fifth of its length."""
    points, triangles = block((1.0, 0.2, 0.2), (0.5, 0.0, 0.0))
    ob = mesh_object("Arm", points, faces=triangles, role="SOFT")
    ob.vbd.resolution, ob.vbd.youngs_modulus, ob.vbd.density = 8, 2e5, 200.0
    pin(ob, np.flatnonzero(points[:, 0] < 0.1))
    ob.vbd.keeps_shape = True
    frames(scene, 1, 13)
    return ob


def away(ob, frame=13):
    """The largest way of a vertex from its start, over the size of the object."""
    start = shown(ob, 1)
    return np.linalg.norm(shown(ob, frame) - start, axis=1).max() / np.ptp(start, axis=0).max()


def test_a_soft_body_stands_in_the_shape_that_it_has(arm):
    level, text = baked().report()
    assert away(arm) < STANDS
    assert (level, "sags" in text) == ("INFO", False)
    bpy.ops.vbd.free_bake("EXEC_DEFAULT")
    arm.vbd.keeps_shape = False
    baked()
    assert away(arm) > 0.1


def test_it_swings_about_its_shape_when_its_rig_moves(arm):
    frames(bpy.context.scene, 1, 49)
    arm.vbd.damping = 0.2
    slide(arm, 2, 1, 4, 0.2)
    baked()
    start = shown(arm, 1)
    ends = [(shown(arm, frame) - start)[1, 2] - 0.2 for frame in range(5, 50)]
    assert min(ends) < -0.05
    assert max(ends) > 0.02
    # What is left of the swing after two seconds.
    assert abs(ends[-1]) < 0.01


def test_cloth_and_rods_stand_too(scene):
    frames(scene, 1, 13)
    points, triangles = grid(8)
    cloth = mesh_object("Awning", points, faces=triangles, role="CLOTH")
    cloth.vbd.bending_stiffness, cloth.vbd.density = 1.0, 1.0
    pin(cloth, np.flatnonzero(points[:, 0] < 0.2))
    points, edges = chain(11, 0.1)
    rod = mesh_object("Twig", points + [0.0, 2.0, 0.0], edges, role="ROD")
    rod.vbd.youngs_modulus, rod.vbd.thickness = 2e7, 0.02
    rod.vbd.bending_factor, rod.vbd.density = 1.0, 0.1
    pin(rod, [0, 1])
    baked()
    assert min(away(cloth), away(rod)) > 0.05
    bpy.ops.vbd.free_bake("EXEC_DEFAULT")
    cloth.vbd.keeps_shape = rod.vbd.keeps_shape = True
    baked()
    assert max(away(cloth), away(rod)) < STANDS


def test_a_limp_curtain_says_by_how_much_it_sags(scene):
    frames(scene, 1, 3)
    points, triangles = grid(8)
    points = np.stack([0.9 * points[:, 0], 0.1 * np.sin(9.0 * points[:, 0]), points[:, 1]], axis=1)
    curtain = mesh_object("Curtain", points, faces=triangles, role="CLOTH")
    curtain.vbd.bending_stiffness, curtain.vbd.youngs_modulus = 1e-5, 2e4
    curtain.vbd.keeps_shape = True
    pin(curtain, [72, 80])
    level, text = baked().report()
    assert level == "WARNING"
    assert "Curtain cannot keep its shape: it sags by " in text
    assert "; make it stiffer or lighter, or pin more of it" in text


def test_the_shape_is_kept_until_something_changes(arm):
    def rounds():
        texts = []
        for _ in bake_steps(bpy.context):
            texts.append(bpy.context.window_manager.vbd.status)
        return sum(text.startswith("Finding the shape without gravity") for text in set(texts))

    assert rounds() > 0
    first = read_rest_shapes(cache_folder(bpy.context.scene))
    assert rounds() == 0
    same = read_rest_shapes(cache_folder(bpy.context.scene))
    np.testing.assert_array_equal(first.shapes[0].points, same.shapes[0].points)
    arm.vbd.density = 250.0
    assert rounds() > 0


def test_escape_ends_the_search(arm):
    steps, state = bake_steps(bpy.context), bpy.context.window_manager.vbd
    while not state.status.startswith("Finding the shape"):
        assert next(steps) is None
    state.cancel_requested = True
    with pytest.raises(StopIteration) as end:
        while True:
            next(steps)
    assert end.value.value.cancelled
    assert not arm.vbd.baked


def test_other_material_models_of_cells_are_refused(arm):
    arm.vbd.solid_model = "corotated"
    with pytest.raises(ValueError, match="Arm: soft bodies made of cells keep their shape"):
        baked()
