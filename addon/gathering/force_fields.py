# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's force fields -> those of the solver, frame by frame."""

import math
from functools import partial

import bpy
import numpy as np

from ...solver.messages import message
from ...solver.settings import Settings
from ..objects.identity import identity, present
from ..objects.units import unit_scale
from ..playing.baked import rate
from .absorption import visibility_of
from .reader import moves
from .textures import does_nothing, texture_of

KINDS = {
    "WIND": "wind",
    "FORCE": "force",
    "VORTEX": "vortex",
    "MAGNET": "magnetic",
    "HARMONIC": "harmonic",
    "TURBULENCE": "turbulence",
    "DRAG": "drag",
    "TEXTURE": "texture",
}
SHAPES = {"POINT": "point", "LINE": "line", "PLANE": "plane"}
# Pressure of Blender's wind on cloth for a strength of 1 [Pa].
PRESSURE = 0.02
# The density of the air [kg/m³] at which the wind's speed gives this pressure.
AIR = Settings.air_density
# Kinds whose strength is a length per second squared; others count turns or springs.
LENGTHS = {"WIND", "FORCE", "TURBULENCE"}


def has_field(ob):
    """Return whether an object is a force field that acts on bodies and is visible."""
    field = ob.field
    if not (field and field.type in KINDS and field.shape in SHAPES and ob.visible_get()):
        return False
    return field.type != "TEXTURE" or does_nothing(field) is None


def field_objects(scene):
    """All active force fields of a scene, in a fixed order."""
    return [ob for ob in scene.objects if has_field(ob)]


def wind_speed(strength):
    """Speed of the air [m/s] with the pressure of Blender's wind of a strength: ½ ρ v²."""
    return math.copysign(math.sqrt(2.0 * PRESSURE * abs(strength) / AIR), strength)


def force_fields(gathered, scene):
    """The `ForceField`s of a scene; those that move are read in every frame."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return [
        _force_field(gathered, ob, depsgraph, blows)
        for ob in field_objects(scene)
        for blows in _effects(ob.field)
    ]


def _effects(field):
    """Effects of a field: True for moving the air, False for pushing masses."""
    if not field.apply_to_location and field.type != "TEXTURE":  # which knows no other effect
        return []
    if field.type != "WIND":
        return [False]
    return [blows for blows in (True, False) if _share(field, blows)]


def _share(field, blows):
    """The fraction of a field's strength that moves the air, or else the rest."""
    if field.type != "WIND":
        return 1.0
    return field.wind_factor if blows else 1.0 - field.wind_factor


def _force_field(gathered, ob, depsgraph, blows):
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.force_fields import ForceField

    at = identity(ob)
    key = (*at, "blows" if blows else "pushes")
    numbers = _numbers(ob, depsgraph, blows)
    if moves(ob):
        reader = gathered.reader
        reader.follow(key, lambda now: _numbers(_still(at), now, blows), numbers)
        numbers = partial(reader.at, key)
    field, shape = ob.field, SHAPES[ob.field.shape]
    numbers_at = numbers if callable(numbers) else lambda _: numbers
    return ForceField(
        KINDS[field.type],
        numbers,
        shape=shape,
        falloff=field.falloff_type.lower(),
        side=field.z_direction.lower(),
        blows=blows,
        by_square=field.use_gravity_falloff and field.type == "FORCE",
        is_global=field.use_global_coords,
        seed=field.seed,
        name=ob.name,
        texture=texture_of(gathered, ob, depsgraph),
        visibility=visibility_of(gathered, ob, depsgraph, numbers_at, shape),
    )


def _still(key):
    """The object of an identity while it is a force field."""
    ob = present(key)
    if ob is None or not has_field(ob):
        raise ValueError(message("animation.no_field", name=key[0]))
    return ob


def _numbers(ob, depsgraph, blows):
    """`FieldNumbers` of a force field as it is evaluated now."""
    from ...solver.scene.force_fields import FieldNumbers

    field, scale = ob.evaluated_get(depsgraph).field, unit_scale(depsgraph.scene)
    matrix = np.array(ob.evaluated_get(depsgraph).matrix_world)
    share = _share(field, blows)
    strength, noise = share * field.strength, share * field.noise
    damping = field.harmonic_damping
    if blows:
        with_noise = wind_speed(strength + math.copysign(noise, strength))
        strength = wind_speed(strength)
        noise = abs(with_noise - strength)
    elif field.type in LENGTHS:
        strength, noise = scale * strength, scale * noise
    elif field.type == "TEXTURE":  # Blender divides all others by the frame rate
        strength, noise = scale * strength * rate(depsgraph.scene), 0.0
    elif field.type == "DRAG":
        strength, damping = field.quadratic_drag / scale, field.linear_drag
    return FieldNumbers(
        origin=tuple(scale * matrix[:3, 3]),
        axis=tuple(matrix[:3, 2]),
        unit=scale,
        strength=strength,
        flow=field.flow,
        damping=damping,
        noise=noise,
        size=scale * (field.rest_length if field.type == "HARMONIC" else field.size),
        power=field.falloff_power,
        **_reach(field, scale),
    )


def _reach(field, scale):
    """Start and end of a field's falloff; angles of a cone have no unit scale."""
    aside = 1.0 if field.falloff_type == "CONE" else scale
    return {
        "nearest": scale * field.distance_min if field.use_min_distance else 0.0,
        "farthest": scale * field.distance_max if field.use_max_distance else math.inf,
        "radial_power": field.radial_falloff,
        "radial_nearest": aside * field.radial_min if field.use_radial_min else 0.0,
        "radial_farthest": aside * field.radial_max if field.use_radial_max else math.inf,
    }
