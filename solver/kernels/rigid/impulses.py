# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses at the contacts of rigid bodies that are hit: an inelastic collision with friction.

Velocities begin as those of inertia, ṽ = v + h g, with as much of h g as the body has gone of its
path, so that gravity works along paths alone, and the angular momentum of free flight. Impulses p
at the contacts change them so that nothing approaches there (Moreau 1988, Stewart and Trinkle
1996), found by projected Gauss-Seidel (Catto 2005):

    p·n ≥ 0,   (p·n) (u·n) = 0,   |p − (p·n) n| ≤ μ p·n,   u = Δ(v + ω × r)

Each visit minimizes the kinetic energy of what differs from ṽ in one direction, so impulses without
friction never add energy, however few the sweeps; momentum is exact.
"""

import warp as wp

from ..device.options import OPTIONS
from ..device.union_find import root_of
from .flight import inertia_of
from .hits import KEPT, Hits, hit_body, is_beyond
from .impact_contacts import Impulses
from .poses import RigidArrays, sign_of

wp.set_module_options(OPTIONS)

# The most sweeps, and the part of the fastest approach below which a sweep is the last one.
SWEEPS = wp.constant(60)
ENOUGH = wp.constant(wp.float64(1.0e-3))
# Squares of paths below this are none [m²].
NO_PATH = wp.constant(wp.float64(1.0e-30))


@wp.kernel
def begin_impulses(
    number: wp.array[int],
    h: wp.float64,
    gravity: wp.array[wp.vec3],
    hits: Hits,
    bodies: RigidArrays,
    # out
    impulses: Impulses,
):
    """Set the velocities of hit bodies to those of inertia: forces of the substep have not acted.
    One thread per rigid body.
    """
    b = wp.tid()
    if b == 0:
        impulses.count[0] = 0
    if hit_body(number[b], hits) < 0:
        return
    turn = bodies.turn[b]
    inverse = wp.inverse(inertia_of(b, turn, bodies))
    path = bodies.target_center[b] - bodies.start_center[b]
    moved = bodies.center[b] - bodies.start_center[b]
    part = wp.dot(moved, path) / wp.max(wp.length_sq(path), NO_PATH)
    late = wp.float64(1.0) - wp.clamp(part, wp.float64(0.0), wp.float64(1.0))
    impulses.velocity[b] = path / h - (late * h) * wp.vec3d(gravity[0])
    impulses.before[b] = impulses.velocity[b]
    impulses.spin[b] = inverse * bodies.momentum[b]
    impulses.inverse[b] = inverse


@wp.func
def velocity_at(b: int, arm: wp.vec3d, impulses: Impulses):
    """Return the velocity [m/s] of a hit body at an arm; 0 for others."""
    v = wp.vec3d()
    if b >= 0:
        v = impulses.velocity[b] + wp.cross(impulses.spin[b], arm)
    return v


@wp.func
def relative_velocity(k: int, impulses: Impulses):
    """Return the velocity [m/s] of side A of a contact against side B."""
    mine = velocity_at(impulses.sides[k][0], impulses.arm[k], impulses)
    theirs = velocity_at(impulses.sides[k][1], impulses.other_arm[k], impulses)
    return mine - theirs + impulses.carried[k]


@wp.func
def inverse_mass_of(
    b: int, arm: wp.vec3d, along: wp.vec3d, bodies: RigidArrays, impulses: Impulses
):
    """Return the inverse mass [1/kg] that a body has at an arm in the direction `along`."""
    inverse = wp.float64(0.0)
    if b >= 0:
        turned = wp.cross(arm, along)
        inverse = wp.float64(1.0) / bodies.mass[b] + wp.dot(turned, impulses.inverse[b] * turned)
    return inverse


@wp.func
def mass_of(k: int, along: wp.vec3d, bodies: RigidArrays, impulses: Impulses):
    """Return the mass [kg] that both sides of a contact have in the direction `along`."""
    mine = inverse_mass_of(impulses.sides[k][0], impulses.arm[k], along, bodies, impulses)
    theirs = inverse_mass_of(impulses.sides[k][1], impulses.other_arm[k], along, bodies, impulses)
    return wp.float64(1.0) / (mine + theirs)


@wp.func
def push(k: int, p: wp.vec3d, bodies: RigidArrays, impulses: Impulses):
    """Let an impulse p [N s] act on side A of a contact, and -p on side B."""
    a = impulses.sides[k][0]
    b = impulses.sides[k][1]
    impulses.impulse[k] = impulses.impulse[k] + p
    if a >= 0:
        impulses.velocity[a] = impulses.velocity[a] + p / bodies.mass[a]
        turned = impulses.inverse[a] * wp.cross(impulses.arm[k], p)
        impulses.spin[a] = impulses.spin[a] + turned
    if b >= 0:
        impulses.velocity[b] = impulses.velocity[b] - p / bodies.mass[b]
        turned = impulses.inverse[b] * wp.cross(impulses.other_arm[k], p)
        impulses.spin[b] = impulses.spin[b] - turned


@wp.func
def visit(k: int, bodies: RigidArrays, impulses: Impulses):
    """Project the impulse of contact k: along its normal, then of friction. Return by how much the
    normal velocity has changed [m/s].
    """
    n = impulses.normal[k]
    mass = mass_of(k, n, bodies, impulses)
    before = wp.dot(impulses.impulse[k], n)
    approach = wp.dot(relative_velocity(k, impulses), n)
    pressed = wp.max(before - mass * approach, wp.float64(0.0))
    push(k, (pressed - before) * n, bodies, impulses)
    u = relative_velocity(k, impulses)
    sliding = u - wp.dot(u, n) * n
    speed = wp.length(sliding)
    held = impulses.impulse[k] - pressed * n
    goal = held
    if speed > wp.float64(0.0):
        goal -= mass_of(k, sliding / speed, bodies, impulses) * sliding
    most = impulses.friction[k] * pressed
    size = wp.length(goal)
    if size > most:
        goal *= most / size
    push(k, goal - held, bodies, impulses)
    return wp.abs(pressed - before) / mass


@wp.kernel
def exchange_impulses(
    bodies: RigidArrays,
    # in and out
    impulses: Impulses,
):
    """Sweep over all contacts until nothing approaches there. One thread: each visit needs the
    velocities that the last one has left.
    """
    fastest = wp.float64(0.0)
    sweep = int(0)
    while sweep < SWEEPS:
        largest = wp.float64(0.0)
        for k in range(impulses.count[0]):
            largest = wp.max(largest, visit(k, bodies, impulses))
        fastest = wp.max(fastest, largest)
        sweep += 1
        if largest <= ENOUGH * fastest:
            sweep = SWEEPS


@wp.kernel
def find_strong(
    number: wp.array[int],
    point: wp.array[wp.vec2i],
    radius: wp.array[float],
    gravity: wp.array[wp.vec3],
    h: float,
    impulses: Impulses,
    # in and out
    hits: Hits,
):
    """Mark groups in which impulses change a velocity by more than weight and contact distance
    explain, and for some substeps those that are still late. One thread per rigid body.
    """
    b = wp.tid()
    if hit_body(number[b], hits) >= 0:
        path = h * float(wp.length(impulses.velocity[b] - impulses.before[b]))
        group = root_of(number[b], hits.parent)
        if is_beyond(path, point[b][0], radius, h, gravity[0]):
            wp.atomic_max(hits.strong, group, KEPT)
        else:
            wp.atomic_max(hits.strong, group, hits.kept[b])


@wp.kernel
def take_impulses(
    number: wp.array[int],
    hits: Hits,
    impulses: Impulses,
    # in and out
    bodies: RigidArrays,
    # out
    velocity: wp.array[wp.vec3],
):
    """Set velocity and angular momentum of hit bodies, and the velocities of their points. One
    thread per rigid body.
    """
    b = wp.tid()
    if hit_body(number[b], hits) < 0:
        return
    first = bodies.first + 4 * b
    turn = bodies.turn[b]
    v = impulses.velocity[b]
    spin = impulses.spin[b]
    if not wp.isfinite(v) or not wp.isfinite(spin):
        return
    bodies.velocity[b] = v
    bodies.momentum[b] = inertia_of(b, turn, bodies) * spin
    for k in range(4):
        velocity[first + k] = wp.vec3(v + wp.cross(spin, turn * (bodies.root[b] * sign_of(k))))
