# SPDX-License-Identifier: GPL-3.0-or-later
"""Beginning and end of a step: inertia, initial guess, pins, colliders, velocities."""

import warp as wp

from ..contact.analytic_colliders import ContactModel
from ..contact.feasibility.collider_bounds import keep_in_front
from ..contact.moving_colliders import make_way
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)


PREVIOUS = wp.constant(0)
INERTIA = wp.constant(1)
INERTIA_ACCELERATION = wp.constant(2)
ADAPTIVE = wp.constant(3)

# Weight of the last step in the mean acceleration of a vertex.
STEADY = wp.constant(0.02)
# A mean acceleration below this fraction of gravity counts as none.
RESTING = wp.constant(0.02)


@wp.func
def adaptive_acceleration(acceleration: wp.vec3, gravity: wp.vec3):
    """Return the gravity that a vertex followed in the last step [m/s²] (VBD 2024, §3.7)."""
    followed = wp.vec3(0.0)
    strength = wp.length(gravity)
    if strength > 0.0:
        along = wp.dot(acceleration, gravity) / (strength * strength)
        followed = wp.clamp(along, 0.0, 1.0) * gravity
    return followed


@wp.struct
class Motion:
    """Past motion of vertices, all [vertex]."""

    velocity: wp.array[wp.vec3]  # [m/s]
    last_velocity: wp.array[wp.vec3]  # of the step before [m/s]
    acceleration: wp.array[wp.vec3]  # of the last step [m/s²]
    steady: wp.array[wp.vec3]  # mean acceleration [m/s²]


@wp.kernel
def predict(
    first: int,
    gravity_now: wp.array[wp.vec3],
    h: float,
    initial_guess: int,
    clips: int,
    x: wp.array[wp.vec3],
    standing: wp.array[int],
    contact_model: ContactModel,
    # in and out
    motion: Motion,
    # out
    guess: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    inertial: wp.array[wp.vec3],
):
    """Set xᵗ, y = xᵗ + h vᵗ + h² a, the last acceleration (vᵗ − vᵗ⁻¹)/h and the guess of x.

    The guess of `standing` vertices follows their mean acceleration `steady`, not the last one:
    that trembles with the contacts, and whenever it points down gravity would press the vertex into
    its support. `guess` is x itself, or candidates to be truncated first; it makes way for moving
    analytic colliders, and if the kernel `clips`, stays in front of all. One thread per vertex.
    """
    i = first + wp.tid()
    gravity = gravity_now[0]
    start = x[i]
    v = motion.velocity[i]
    x_start[i] = start
    inertial[i] = start + h * v + (h * h) * gravity
    last = (v - motion.last_velocity[i]) / h
    steady = wp.lerp(motion.steady[i], last, STEADY)
    step = wp.vec3(0.0)
    if initial_guess >= INERTIA:
        step += h * v
    if initial_guess == INERTIA_ACCELERATION:
        step += (h * h) * gravity
    if initial_guess == ADAPTIVE:
        followed = last
        if standing[i] != 0:
            followed = steady
            if wp.dot(steady, gravity) < RESTING * wp.length_sq(gravity):
                followed = wp.vec3(0.0)
        step += (h * h) * adaptive_acceleration(followed, gravity)
    if not wp.isfinite(step):
        step = wp.vec3(0.0)
    if contact_model.colliders.any_moves != 0:
        step = make_way(i, start, step, contact_model)
    if clips != 0:
        step = keep_in_front(i, start, step, contact_model)
    guess[i] = start + step
    motion.last_velocity[i] = v
    motion.acceleration[i] = last
    motion.steady[i] = steady


@wp.kernel
def advance(
    substeps: int,
    # in and out
    substep: wp.array[int],
    # out
    fraction: wp.array[wp.float64],
):
    """Count a substep [1], and find the fraction [1] of the frame at its end."""
    substep[0] = substep[0] + 1
    fraction[0] = wp.float64(substep[0]) / wp.float64(substeps)


@wp.func
def between(ends: wp.array[wp.vec3d], fraction: wp.float64):
    """Interpolate linearly between the two `ends`."""
    return (wp.float64(1.0) - fraction) * ends[0] + fraction * ends[1]


@wp.kernel
def move_gravity(
    ends: wp.array[wp.vec3d],
    fraction: wp.array[wp.float64],
    # in and out
    gravity: wp.array[wp.vec3],
):
    """Update gravity [2]: now, and in the last step [m/s²]."""
    gravity[1] = gravity[0]
    gravity[0] = wp.vec3(between(ends, fraction[0]))


@wp.kernel
def find_weights(
    mass: wp.array[wp.float64],
    ends: wp.array[wp.vec3d],
    fraction: wp.array[wp.float64],
    # out
    load: wp.array[wp.vec3],
):
    """Find the weight [N] of every vertex under the current gravity."""
    i = wp.tid()
    load[i] = wp.vec3(mass[i] * between(ends, fraction[0]))


@wp.kernel
def move_points(
    at_start: wp.array[wp.vec3],
    at_end: wp.array[wp.vec3],
    fraction: wp.array[wp.float64],
    first: int,
    # out
    points: wp.array[wp.vec3],
):
    """Move kinematic points, numbered from `first` on, to their positions at a `fraction` [1] of
    the frame.
    """
    i = wp.tid()
    points[first + i] = wp.lerp(at_start[i], at_end[i], float(fraction[0]))


@wp.kernel
def find_velocities(
    h: float,
    x: wp.array[wp.vec3],
    x_start: wp.array[wp.vec3],
    # out
    velocity: wp.array[wp.vec3],
):
    """Set v = (x − xᵗ)/h."""
    i = wp.tid()
    velocity[i] = (x[i] - x_start[i]) / h
