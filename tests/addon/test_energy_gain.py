# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that gains energy without a source reports it."""

from types import SimpleNamespace

import bpy
import pytest
from blender_scenes import (
    baked,
    empty_object,
    frames,
    gathered,
    mesh_object,
    pin,
    sheet,
    slab,
    slide,
)

from vbd.addon.baking.energy_gain import EnergyGain, is_driven
from vbd.solver.messages import message

TETRAHEDRON = (
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    (),
    [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
)
WORDS = "Unstable from frame"
WEIGHT = 0.15 * 9.81  # of a sheet of 1 m² [N]


@pytest.fixture
def scarf(scene):
    ob = sheet()
    ob.vbd.density = 0.15
    return ob


def told(*energies, kinetic=0.1, tangles=(), first=1):
    report = EnergyGain(gathered())
    for frame, energy in enumerate(energies, first):
        stats = SimpleNamespace(energy=energy, kinetic_energy=kinetic, tangles=tangles)
        report.take(frame, stats)
    return list(report.lines())


def test_energy_that_gets_less_is_fine(scarf):
    assert not told(1.0, 0.5, 0.4, 0.9, 0.2)


def test_energy_above_that_of_the_start_is_told_with_the_frame_and_substeps(scarf, scene):
    scene.vbd.substeps = 4
    (line,) = told(1.0, 0.9, 1.0 + 0.1 * WEIGHT, 3.0)
    assert line.text == message("report.energy", frame=scene.vbd.frame_start + 3)
    assert line.text.startswith(WORDS)
    assert line.warns and (line.setting, line.value) == ("substeps", 8)


def test_what_hardly_shows_is_not_told(scarf):
    assert not told(1.0, 1.0 + 0.04 * WEIGHT)
    assert not told(1.0, 1.2, kinetic=1.0)


def test_a_bake_that_leads_apart_or_goes_on_is_not_judged(scarf):
    assert not told(1.0, 9.0, tangles=("one",))
    assert not told(1.0, 9.0, first=5)


def test_what_drives_a_scene_is_seen(scarf, scene):
    assert not is_driven(gathered())
    bpy.ops.object.effector_add(type="WIND")
    assert is_driven(gathered())
    bpy.data.objects.remove(bpy.context.object)
    scarf.vbd.use_sewing = True
    assert is_driven(gathered())
    scarf.vbd.use_sewing = False
    item = scarf.vbd.attachments.add()
    item.target = mesh_object("Hook", [(0, 0, 1)])
    assert not is_driven(gathered())
    item.keep_distance = False
    assert is_driven(gathered())
    scarf.vbd.attachments.clear()
    crate = mesh_object("Crate", *TETRAHEDRON, role="RIGID")
    joint = crate.vbd.attachments.add()
    joint.kind, joint.axis_object = "HINGE", empty_object()
    assert not is_driven(gathered())
    joint.motor = "SPEED"
    assert is_driven(gathered())
    bpy.data.objects.remove(crate)
    slide(slab(), 0, 1, 9, 1.0)
    assert is_driven(gathered())


def test_nothing_is_judged_without_gravity_or_motion(scarf, scene):
    scene.vbd.quasistatic = True
    assert not told(1.0, 9.0)
    scene.vbd.quasistatic, scene.use_gravity = False, False
    assert not told(1.0, 9.0)


def test_a_sheet_that_bounces_on_springs_gains_none(scarf, scene):
    """The energy that springs give back is not known, and was not there at the start."""
    pin(scarf, range(25), 0.5)
    scarf.vbd.pin_stiffness, scarf.vbd.pin_damping = 20.0, 0.0
    frames(scene, 1, 40)
    assert not [line for line in baked().lines() if WORDS in line.text]
