# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of rigid bodies in float64, and their float32 image: four points X_k = c + R L s_k.

The points carry the mass and the surface of the body (bodies/rigid.py). They are vertices for all
other stages; wherever one of these has moved them, the pose follows as their closest rigid motion.
"""

import warp as wp

from ..descent.guess import rotation_matrix
from ..device.options import OPTIONS
from ..groups.wrench import axial

wp.set_module_options(OPTIONS)

# Passes for the rotation of an affine map, and of Newton's method for that of four points.
POLAR_PASSES, FIT_PASSES = wp.constant(6), wp.constant(4)
# Fraction of the trace of a tensor that is added to it: a straight body turns about its own axis in
# small steps.
THIN = wp.constant(wp.float64(1.0e-12))
# A step turns a body by at most this angle [rad]: bounds of arcs hold up to there.
MOST_TURN = wp.constant(wp.float64(1.0))
# Smallest angle [rad] of a fit that is not rounding.
NO_TURN = wp.constant(wp.float64(1.0e-15))


@wp.struct
class RigidArrays:
    """Rigid bodies, all [body] in solver order; body b has the vertices first + 4 b up to + 3."""

    first: int
    mass: wp.array[wp.float64]  # [kg]
    second: wp.array[wp.mat33d]  # J = ∫ρ r rᵀ at first [kg m²]
    root: wp.array[wp.mat33d]  # L at first [m]
    center: wp.array[wp.vec3d]  # c [m]
    turn: wp.array[wp.mat33d]  # R, 1 at first
    start_center: wp.array[wp.vec3d]  # both at the start of the substep
    start_turn: wp.array[wp.mat33d]
    target_center: wp.array[wp.vec3d]  # both by inertia alone
    target_turn: wp.array[wp.mat33d]
    shift: wp.array[wp.vec3d]  # step of the candidates: of the center [m], ...
    angle: wp.array[wp.vec3d]  # ... and about it [rad]
    before_center: wp.array[wp.vec3d]  # both before the last step
    before_turn: wp.array[wp.mat33d]
    velocity: wp.array[wp.vec3d]  # v [m/s]
    momentum: wp.array[wp.vec3d]  # ℓ [kg m²/s]
    driven: wp.array[int]  # 1 where animation leads
    left: wp.array[float]  # what pairs or trust regions have left of its last step, ...
    moved: wp.array[float]  # ... and the path in this substep of the point that goes farthest [m]
    # [frame end, body]: poses that animation leads to
    lead_center: wp.array2d[wp.vec3d]
    lead_turn: wp.array2d[wp.mat33d]


@wp.func
def sign_of(k: int):
    """Return s_k of the four points."""
    one = wp.float64(1.0)
    s = wp.vec3d(one, one, one)
    if k == 1:
        s = wp.vec3d(one, -one, -one)
    elif k == 2:
        s = wp.vec3d(-one, one, -one)
    elif k == 3:
        s = wp.vec3d(-one, -one, one)
    return s


@wp.func
def image(k: int, center: wp.vec3d, turn: wp.mat33d, root: wp.mat33d):
    """Return the float32 position of point k in a pose [m]."""
    return wp.vec3(center + turn * (root * sign_of(k)))


@wp.func
def turned_by(angle: wp.vec3d, turn: wp.mat33d):
    """Return exp(θ) R, with one Newton step towards an orthogonal matrix."""
    r = rotation_matrix(angle) * turn
    three = wp.float64(3.0) * wp.identity(n=3, dtype=wp.float64)
    return wp.float64(0.5) * r * (three - wp.transpose(r) * r)


@wp.func
def tensor_of(second: wp.mat33d):
    """Return tr(J) 1 − J."""
    size = wp.trace(second) * (wp.float64(1.0) + THIN)
    return size * wp.identity(n=3, dtype=wp.float64) - second


@wp.func
def angle_of(r: wp.mat33d):
    """Return θ of a rotation exp(θ) below a half turn."""
    along = wp.float64(-0.5) * axial(r)
    sine = wp.length(along)
    cosine = wp.float64(0.5) * (wp.trace(r) - wp.float64(1.0))
    scale = wp.float64(1.0)
    if sine > wp.float64(1.0e-12):
        scale = wp.atan2(sine, cosine) / sine
    return scale * along


@wp.func
def part_of_turn(angle: wp.vec3d):
    """Return the part of a step up to MOST_TURN, 1 for all of it."""
    return wp.min(wp.float64(1.0), MOST_TURN / wp.max(wp.length(angle), wp.float64(1.0e-30)))


@wp.func
def is_image(first: int, center: wp.vec3d, turn: wp.mat33d, root: wp.mat33d, x: wp.array[wp.vec3]):
    """Return whether the four points from `first` on are those of a pose, to the last bit."""
    same = bool(True)
    for k in range(4):
        if not (x[first + k] == image(k, center, turn, root)):
            same = False
    return same


@wp.func
def middle_of(first: int, x: wp.array[wp.vec3]):
    """Return the mean of the four points from `first` on [m]."""
    total = wp.vec3d()
    for k in range(4):
        total += wp.vec3d(x[first + k])
    return wp.float64(0.25) * total


@wp.func
def rotation_of(f: wp.mat33d):
    """Return the rotation closest to a map near to one: R ← ½ (R + R⁻ᵀ) (Higham 1986)."""
    r = f
    passes = int(0)
    while passes < POLAR_PASSES:
        passes += 1
        if not wp.determinant(r) > wp.float64(0.0):
            return wp.identity(n=3, dtype=wp.float64)
        r = wp.float64(0.5) * (r + wp.transpose(wp.inverse(r)))
    return r


@wp.func
def fitted_turn(first: int, center: wp.vec3d, root: wp.mat33d, x: wp.array[wp.vec3]):
    """Return the R that is closest to the four points about a center (Wahba's problem): from the
    rotation of their affine map, by Newton's method.
    """
    shape = wp.mat33d()
    for k in range(4):
        shape += wp.outer(wp.vec3d(x[first + k]) - center, sign_of(k))
    now = rotation_of(wp.float64(0.25) * shape * wp.inverse(root))
    passes = int(0)
    while passes < FIT_PASSES:
        passes += 1
        mixed = now * root * wp.transpose(shape)
        tensor = tensor_of(wp.float64(0.5) * (mixed + wp.transpose(mixed)))
        if not wp.determinant(tensor) > wp.float64(0.0):
            break
        angle = wp.inverse(tensor) * axial(mixed)
        if not wp.length(angle) > NO_TURN:
            break
        now = turned_by(angle, now)
    return now
