# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's force fields act on simulated objects."""

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, sheet, shown, slab, slide, straighten

from vbd.addon.gathering.force_fields import wind_speed
from vbd.addon.gathering.textures import accelerations

FRAME = 1.0 / 24.0


@pytest.fixture
def weightless(scene):
    """A cloth without weight, in a fresh file."""
    scene.use_gravity = False
    frames(scene, 1, 13)
    ob = sheet()
    ob.vbd.drag = 0.0
    return ob


def field(kind, **values):
    bpy.ops.object.effector_add(type=kind)
    ob = bpy.context.object
    for name, value in values.items():
        setattr(ob.field, name, value)
    return ob


def blend(ramp=False):
    """A texture of the intensity (1 + x)/2 from −1 to 1, or of gray as bright."""
    texture = bpy.data.textures.new("Blend", "BLEND")
    texture.use_color_ramp = ramp
    if ramp:
        texture.color_ramp.color_mode, texture.color_ramp.interpolation = "RGB", "LINEAR"
        for element, gray in zip(texture.color_ramp.elements, (0.0, 1.0), strict=True):
            element.color = (gray, gray, gray, 1.0)
    return texture


def moved(ob, frame=13):
    """Mean displacement of a body from the first frame on [m]."""
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    return (shown(ob, frame) - shown(ob, 1)).mean(axis=0)


def fallen(acceleration, count=12, substeps=4):
    """Displacement [m] under an acceleration, by implicit Euler from rest."""
    steps = count * substeps
    return acceleration * (FRAME / substeps) ** 2 * steps * (steps + 1) / 2.0


def test_a_force_pushes_as_strongly_as_it_says(weightless):
    push = field("FORCE", strength=3.0, shape="PLANE")
    push.location = (0.0, 0.0, -5.0)
    assert moved(weightless)[2] == pytest.approx(fallen(3.0), rel=0.01)
    push.field.use_max_distance, push.field.distance_max = True, 2.0
    assert np.abs(moved(weightless)).max() == pytest.approx(0.0, abs=1e-6)


def test_wind_blows_along_its_axis_and_needs_air(scene, weightless):
    weightless.vbd.drag, weightless.vbd.density = 1.2, 0.2
    wind = field("WIND", strength=200.0)
    wind.rotation_euler = (0.0, np.radians(30.0), 0.0)
    path = moved(weightless)
    # Air at 2.6 m/s pushes a sheet up that it hits from below.
    assert wind_speed(200.0) == pytest.approx(np.sqrt(2.0 * 0.02 * 200.0 / 1.25))
    assert 0.05 < path[2] < wind_speed(200.0) * 12 * FRAME
    scene.vbd.air_density = 0.0
    assert np.abs(moved(weightless)).max() < 1e-6


def test_wind_too_weak_to_be_seen_says_so_and_how_strong_would_not_be(scene):
    frames(scene, 1, 2)
    ob = sheet()
    ob.vbd.density, ob.vbd.drag = 0.2, 1.2
    wind = field("WIND", strength=1.0)

    def said():
        notes = baked().notes
        return [note for note in notes if "hardly shows" in note]

    # 0.02 N/m² on every unit of drag, against 0.2 kg/m²: 1.2 %, and 41 times that is the half.
    (note,) = said()
    assert "presses with only 1.2 % of the weight" in note and "Strength by 41" in note
    wind.field.strength = 41.0
    assert not said()
    wind.field.strength, ob.vbd.drag = 1.0, 0.0  # the user does not need it
    assert not said()
    ob.vbd.drag, scene.use_gravity = 1.2, False
    assert not said()


def test_wind_that_does_not_act_across_surfaces_pushes_masses(weightless):
    field("WIND", strength=3.0, wind_factor=0.0, flow=0.0)
    assert moved(weightless)[2] == pytest.approx(fallen(3.0), rel=0.01)


def test_an_animated_strength_is_read_in_every_frame(weightless):
    push = field("WIND", strength=0.0, wind_factor=0.0, flow=0.0)
    push.field.keyframe_insert("strength", frame=1)
    push.field.strength = 12.0
    push.field.keyframe_insert("strength", frame=13)
    straighten(push)
    h = FRAME / 4
    expected = h * h * np.cumsum(np.cumsum(12.0 * np.arange(1, 49) / 48.0))[-1]
    assert moved(weightless)[2] == pytest.approx(expected, rel=0.01)


def test_a_hidden_field_does_nothing(weightless):
    push = field("FORCE", strength=3.0, shape="PLANE")
    push.location = (0.0, 0.0, -5.0)
    push.hide_set(True)
    assert np.abs(moved(weightless)).max() < 1e-6


def test_a_field_is_as_strong_in_units_of_blender_whatever_they_are(scene, weightless):
    scene.unit_settings.scale_length = 0.1
    push = field("FORCE", strength=3.0, shape="PLANE", falloff_power=1.0)
    push.location = (0.0, 0.0, -1.0)
    path = moved(weightless, 3)[2]
    # Half of it is left at a distance of one unit.
    assert path == pytest.approx(fallen(1.5, 2), rel=0.02)


KINDS = {
    "field_force": ("FORCE", {"shape": "PLANE"}),
    "field_vortex": ("VORTEX", {}),
    "field_magnetic": ("MAGNET", {}),
    "field_harmonic": ("HARMONIC", {}),
    "field_wind": ("WIND", {"wind_factor": 0.0, "flow": 0.0}),
    "field_turbulence": ("TURBULENCE", {"size": 1.0, "seed": 1}),
    "field_drag": ("DRAG", {"linear_drag": 5.0}),
    "field_texture": ("TEXTURE", {"texture_nabla": 0.01, "texture_mode": "GRADIENT"}),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_field_has_its_weight(scene, weightless, name):
    kind, values = KINDS[name]
    scene.vbd.substeps, scene.vbd.iterations = 2, 5
    frames(scene, 1, 5)
    for frame, x in ((0, 0.0), (1, 0.1)):  # it begins with a speed, for fields that brake and turn
        weightless.location.x = x
        weightless.keyframe_insert("location", index=0, frame=frame)
    values |= {"texture": blend()} if kind == "TEXTURE" else {}
    field(kind, strength=3.0, **values).location = (0.3, 0.2, -1.0)
    strong = moved(weightless, 5)
    setattr(weightless.vbd, name, 0.5)
    half = moved(weightless, 5)
    setattr(weightless.vbd, name, 0.0)
    none = moved(weightless, 5)
    for other in KINDS.keys() - {name}:
        setattr(weightless.vbd, other, 0.0)
    assert np.abs(none - moved(weightless, 5)).max() < 1e-7
    assert np.linalg.norm(strong - none) > 1e-3
    expected = 0.5 * (strong + none)
    assert np.linalg.norm(half - expected) < 0.15 * np.linalg.norm(strong - none)


def test_the_weight_of_all_fields_and_their_collection(scene, weightless):
    push = field("FORCE", strength=3.0, shape="PLANE")
    push.location = (0.0, 0.0, -5.0)
    weightless.vbd.field_all = 0.5
    assert moved(weightless)[2] == pytest.approx(fallen(1.5), rel=0.01)
    others = bpy.data.collections.new("Others")
    weightless.vbd.field_all, weightless.vbd.field_collection = 1.0, others
    assert np.abs(moved(weightless)).max() < 1e-6
    others.objects.link(push)
    assert moved(weightless)[2] == pytest.approx(fallen(3.0), rel=0.01)


def test_weights_are_of_each_object(scene, weightless):
    field("FORCE", strength=3.0, shape="PLANE").location = (0.0, 0.0, -5.0)
    other = sheet("Other")
    other.location.x, other.vbd.drag, other.vbd.field_force = 3.0, 0.0, 0.0
    assert moved(weightless)[2] == pytest.approx(fallen(3.0), rel=0.01)
    assert np.abs(shown(other, 13) - shown(other, 1)).max() < 1e-6


def test_a_texture_pushes_down_its_gradient(weightless):
    # Blender's own cloth moves alike; there, too, its strength counts for every frame in 1 s.
    cloud = field("TEXTURE", strength=3.0 * FRAME, texture=blend(), texture_nabla=0.01)
    cloud.field.texture_mode = "GRADIENT"
    weightless.location = (-0.5, 0.0, 0.0)  # it may move 0.5 m until the texture ends
    path = moved(weightless)
    assert path[0] == pytest.approx(fallen(-1.5), rel=0.01)
    assert np.abs(path[1:]).max() < 1e-4


def test_a_texture_pushes_by_its_colors(weightless):
    cloud = field("TEXTURE", strength=4.0 * FRAME, texture=blend(ramp=True), texture_mode="RGB")
    cloud.field.use_object_coords = True
    cloud.location = (0.5, 0.5, -2.0)
    frames(bpy.context.scene, 1, 2)
    assert moved(weightless, 2) == pytest.approx([0.0] * 3, abs=1e-5)  # 0.5 in its middle
    cloud.location.x = 1.0  # a gray of 0.25 is at the middle of the cloth then
    # Positions of a frame's start count: the first frame has the push of where the cloth is.
    assert moved(weightless, 2) == pytest.approx([fallen(4.0 * 0.25, 1)] * 3, rel=0.01)
    cloud.field.use_2d_force = True
    assert moved(weightless, 2)[2] == pytest.approx(0.0, abs=1e-6)


def test_the_curl_of_a_texture_is_that_of_its_colors():
    def colors(points):
        x, y, z = points.T
        return np.stack([2.0 * z - y, 3.0 * x, 5.0 * y, 0.0 * x], axis=1)

    points = np.random.default_rng(0).normal(size=(7, 3))
    curl = accelerations(colors, points, "CURL", True, 0.1)
    np.testing.assert_allclose(curl, np.tile([5.0 - 0.0, 2.0 - 0.0, 3.0 + 1.0], (7, 1)))
    down = accelerations(colors, points, "GRADIENT", True, 0.1)
    np.testing.assert_allclose(down, np.tile([-1.0, -4.0 / 3.0, -2.0 / 3.0], (7, 1)))


def test_an_animated_texture_is_that_of_the_frame(scene, weightless):
    texture = blend()
    cloud = field("TEXTURE", strength=3.0 * FRAME, texture=texture, texture_nabla=0.01)
    cloud.field.texture_mode = "GRADIENT"
    weightless.location.x = -0.5
    for frame, contrast in ((1, 1.0), (3, 1.0), (4, 2.0)):
        texture.contrast = contrast
        texture.keyframe_insert("contrast", frame=frame)
    frames(scene, 1, 5)
    path = [shown(weightless, 1)[:, 0].mean()] if moved(weightless, 5) is not None else []
    path += [shown(weightless, frame)[:, 0].mean() for frame in (2, 3, 4, 5)]
    # Substeps of frames 2 to 4 begin at contrasts of 1, those of frame 5 at 2.
    h, pushes = FRAME / 4, np.repeat([1.5, 1.5, 1.5, 3.0], 4)
    expected = -h * h * np.cumsum(np.cumsum(pushes))[3::4]
    np.testing.assert_allclose(np.array(path[1:]) - path[0], expected, rtol=0.01)


def wall(absorption):
    """A square with Blender's Collision physics at z = −2, below one half of the sheet."""
    ob = slab("Wall", size=2.0, height=-2.0, role="NONE")
    ob.location.x = -0.375  # ends at 0.625
    ob.modifiers.new("Collision", "COLLISION")
    ob.collision.absorption = absorption
    return ob


@pytest.mark.parametrize("absorption", [1.0, 0.6])
def test_a_wall_absorbs_its_part_of_a_field(weightless, absorption):
    weightless.vbd.youngs_modulus = weightless.vbd.bending_stiffness = 1e-3
    push = field("FORCE", strength=3.0, shape="PLANE", use_absorption=True)
    push.location = (0.0, 0.0, -5.0)
    wall(absorption)
    frames(bpy.context.scene, 1, 2)
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    start = shown(weightless, 1)
    path = (shown(weightless, 2) - start)[:, 2]
    behind = start[:, 0] < 0.6
    full = fallen(3.0, 1)
    np.testing.assert_allclose(path[~behind], full, rtol=0.01)
    np.testing.assert_allclose(path[behind], (1.0 - absorption) * full, atol=0.01 * full)


def test_a_wall_that_moves_away_lets_a_field_through(weightless):
    push = field("FORCE", strength=3.0, shape="PLANE", use_absorption=True)
    push.location = (0.0, 0.0, -5.0)
    ob = wall(1.0)
    ob.scale = (5.0, 5.0, 1.0)
    slide(ob, 0, 2, 3, 100.0)
    # The field is there when the frames 2 and 3 begin, and gone from frame 4 on.
    assert np.abs(moved(weightless, 3)).max() < 1e-6
    assert moved(weightless, 13)[2] == pytest.approx(fallen(3.0, 10), rel=0.01)
