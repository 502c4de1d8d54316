# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations by force fields at a point, by the formulas of Blender (effect.cc)."""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

WIND = wp.constant(0)
FORCE = wp.constant(1)
VORTEX = wp.constant(2)
MAGNETIC = wp.constant(3)
HARMONIC = wp.constant(4)
TURBULENCE = wp.constant(5)
DRAG = wp.constant(6)
TEXTURE = wp.constant(7)

POINT = wp.constant(0)
LINE = wp.constant(1)
PLANE = wp.constant(2)

SPHERE = wp.constant(0)
TUBE = wp.constant(1)
CONE = wp.constant(2)

# Approximate frequency of gusts [1/s].
GUSTS = wp.constant(4.0)
# Octaves of turbulence, each half as strong and half as large as the one before, and their sum.
OCTAVES = wp.constant(3)
ALL_OCTAVES = wp.constant(1.75)
# Upper bound of the strength of a drag field, so that it does not reverse motions.
MOST_DRAG = wp.constant(2.0)
# Lower bound of distances, in units.
NEXT_TO_NOTHING = wp.constant(1.0e-6)


@wp.struct
class Field:
    """A force field at one time: `scene.fields.ForceField` and its `FieldNumbers`."""

    origin: wp.vec3
    world: wp.vec3  # the scene's origin
    axis: wp.vec3
    unit: float  # length in which falloff counts [m]
    strength: float
    flow: float
    damping: float
    noise: float
    size: float
    power: float
    nearest: float
    farthest: float
    radial_power: float
    radial_nearest: float
    radial_farthest: float
    time: float
    seed: int
    kind: int
    shape: int
    falloff: int
    side: int
    blows: int
    by_square: int
    is_global: int
    row: int  # row of the values given vertex by vertex, −1 for none


@wp.struct
class Influence:
    """The sum of fields at a point."""

    push: wp.vec3  # [m/s²]
    wind: wp.vec3  # velocity of the air [m/s]
    brake: float  # f: the acceleration −f v [1/s]
    spin: wp.vec3  # b: the acceleration v × b [1/s]


@wp.func
def interpolated(a: float, b: float, t: float):
    """Linear interpolation from a to b, which may both be infinite."""
    result = b
    if a != b:
        result = a + t * (b - a)
    return result


@wp.kernel
def move_fields(
    start: wp.array[Field],
    end: wp.array[Field],
    fraction: wp.array[wp.float64],
    # out
    now: wp.array[Field],
):
    """Interpolate fields at a `fraction` [1] of the frame. One thread per field."""
    k = wp.tid()
    t = float(fraction[0])
    a = start[k]
    field = end[k]
    field.origin = wp.lerp(a.origin, field.origin, t)
    axis = wp.lerp(a.axis, field.axis, t)
    if wp.length(axis) > 0.0:
        field.axis = wp.normalize(axis)
    field.strength = interpolated(a.strength, field.strength, t)
    field.flow = interpolated(a.flow, field.flow, t)
    field.damping = interpolated(a.damping, field.damping, t)
    field.noise = interpolated(a.noise, field.noise, t)
    field.size = interpolated(a.size, field.size, t)
    field.power = interpolated(a.power, field.power, t)
    field.nearest = interpolated(a.nearest, field.nearest, t)
    field.farthest = interpolated(a.farthest, field.farthest, t)
    field.radial_power = interpolated(a.radial_power, field.radial_power, t)
    field.radial_nearest = interpolated(a.radial_nearest, field.radial_nearest, t)
    field.radial_farthest = interpolated(a.radial_farthest, field.radial_farthest, t)
    field.time = interpolated(a.time, field.time, t)
    now[k] = field


@wp.func
def falloff_factor(r: float, nearest: float, farthest: float, power: float, unit: float):
    """1/(1 + (r − nearest)/unit)^power between `nearest` and `farthest`."""
    factor = 1.0
    if r > farthest:
        factor = 0.0
    elif r > nearest and power != 0.0:
        factor = wp.pow(1.0 + (r - nearest) / unit, -power)
    return factor


@wp.func
def falloff_at(field: Field, away: wp.vec3, distance: float):
    """Falloff of a field at `away` [m] from its origin and `distance` from its shape."""
    along = wp.dot(field.axis, away)
    if float(field.side) * along < 0.0:
        return 0.0
    if field.falloff == SPHERE:
        return falloff_factor(distance, field.nearest, field.farthest, field.power, field.unit)
    factor = falloff_factor(wp.abs(along), field.nearest, field.farthest, field.power, field.unit)
    aside = wp.length(away - along * field.axis)
    unit_aside = field.unit
    if field.falloff == CONE:
        aside = wp.degrees(wp.atan2(aside, along))
        unit_aside = 1.0
    return factor * falloff_factor(
        aside, field.radial_nearest, field.radial_farthest, field.radial_power, unit_aside
    )


@wp.func
def unit(v: wp.vec3):
    """v/|v|, zero where v is."""
    length = wp.length(v)
    result = wp.vec3()
    if length > 0.0:
        result = v / length
    return result


@wp.func
def gust(field: Field):
    """A random number in time, between about −1 and 1, equal everywhere."""
    state = wp.rand_init(field.seed)
    return 2.0 * wp.noise(state, GUSTS * field.time)


@wp.func
def turbulence(seed: int, p: wp.vec3):
    """Three octaves of gradient noise, between −1 and 1."""
    state = wp.rand_init(seed)
    total = float(0.0)
    weight = float(1.0)
    q = p
    for _octave in range(OCTAVES):
        total += weight * wp.noise(state, q)
        weight *= 0.5
        q = 2.0 * q
    return total / ALL_OCTAVES


@wp.func
def turbulent(field: Field, p: wp.vec3):
    """Turbulence at p [m], each component with a noise of its own; [3]."""
    q = p
    if field.size > 0.0:
        q = p / field.size
    return wp.vec3(
        turbulence(field.seed, q), turbulence(field.seed + 1, q), turbulence(field.seed + 2, q)
    )


@wp.func
def add_field(
    field: Field, weight: float, given: wp.vec4, x: wp.vec3, v: wp.vec3, influence: Influence
):
    """Add one field, times a weight, at x [m] and the velocity v [m/s] to the influence of others.
    `given`: the push of a texture per strength.
    """
    away = x - field.origin
    along = wp.dot(field.axis, away) * field.axis
    arm = away  # from the nearest point of its shape
    if field.shape == LINE or (field.shape == PLANE and field.kind == VORTEX):
        arm = away - along
    elif field.shape == PLANE:
        arm = along
    distance = wp.length(arm)
    factor = weight * falloff_at(field, away, distance)
    if factor == 0.0:
        return influence
    strength = field.strength + field.noise * gust(field)
    push = wp.vec3()
    brake = float(0.0)
    if field.kind == WIND:
        push = strength * factor * field.axis
    elif field.kind == FORCE:
        if field.by_square != 0:
            distance_in_units = wp.max(distance / field.unit, NEXT_TO_NOTHING)
            strength /= distance_in_units * distance_in_units
        push = strength * factor * unit(arm)
    elif field.kind == VORTEX and field.shape == POINT:
        push = strength * factor * distance * unit(wp.cross(field.axis, arm))
    elif field.kind == VORTEX:  # towards the velocity of a rotation, and around with it
        turn = strength * factor * wp.cross(field.axis, away)
        push = turn + strength * factor * wp.cross(field.axis, turn)
        brake = weight
    elif field.kind == MAGNETIC:
        lines = wp.cross(field.axis, arm)
        if field.shape == PLANE:
            lines = field.axis
        influence.spin += strength * factor * unit(lines)
    elif field.kind == HARMONIC:
        push = -strength * factor * (distance - field.size) * unit(arm)
        brake = 2.0 * weight * field.damping * wp.sqrt(wp.abs(strength))
    elif field.kind == TURBULENCE:
        at = away
        if field.is_global != 0:
            at = x + field.world
        push = strength * factor * turbulent(field, at)
    elif field.kind == TEXTURE:
        push = strength * factor * wp.vec3(given[0], given[1], given[2])
    else:
        speed = wp.length(v)
        brake = factor * (wp.min(strength, MOST_DRAG) * speed + wp.min(field.damping, MOST_DRAG))
    if field.kind != HARMONIC and field.kind != DRAG:
        brake += field.flow * factor
    if field.blows != 0:
        influence.wind += push
    else:
        influence.push += push
        influence.brake += brake
    return influence


@wp.func
def influence_at(
    fields: wp.array[Field],
    given: wp.array2d[wp.vec4],
    weights: wp.array2d[float],
    body: int,
    i: int,
    x: wp.vec3,
    v: wp.vec3,
):
    """Influence of all fields, by their `weights` [body, field], on vertex i at x [m] with the
    velocity v [m/s]. `given` [row, vertex]: the push of a texture per strength, and the fraction of
    the field that reaches the vertex.
    """
    influence = Influence()
    for k in range(fields.shape[0]):
        field = fields[k]
        weight = weights[body, k]
        own = wp.vec4(0.0, 0.0, 0.0, 1.0)
        if field.row >= 0:
            own = given[field.row, i]
            weight *= own[3]
        influence = add_field(field, weight, own, x, v, influence)
    return influence
