# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies in the coarse correction: aggregates that cannot deform.

A body is an aggregate with affine modes d = u + Σ_m z_m ξ_m (solver/coarse/aggregates.py). With
ξ_m = â_m·X/σ_m, and â_m turned with the body, its strains are zero where

    e_mn = (σ_m z_m·â_n + σ_n z_n·â_m)/(σ_m + σ_n) = 0   for all modes m, n,

which leaves the six rigid ones. The energy ½ κ Σ e² holds the others, in float64; the pose then
moves along the arc of the step.
"""

import warp as wp

from ..coarse.coarse_step import ComponentSteps
from ..coarse.matrix import Patches
from ..coarse.skyline import PANEL, Skyline, place
from ..device.options import OPTIONS
from .poses import RigidArrays, angle_of, image, turned_by

wp.set_module_options(OPTIONS | {"max_unroll": 2})

# κ as a multiple of the inertia of the body.
STIFF = wp.constant(wp.float64(1.0e8))
vec12d = wp.types.vector(length=12, dtype=wp.float64)


@wp.func
def axis_of(k: int, m: int, turn: wp.mat33d, patches: Patches):
    """Return σ_m â_m of mode m of aggregate k, turned with its body, over σ_m²: its slope."""
    s = patches.slope[k]
    return turn * wp.vec3d(wp.float64(s[m, 0]), wp.float64(s[m, 1]), wp.float64(s[m, 2]))


@wp.func
def strain_of(k: int, m: int, n: int, turn: wp.mat33d, patches: Patches):
    """Return ∂e_mn/∂z of an aggregate, by coefficients."""
    a, b = axis_of(k, m, turn, patches), axis_of(k, n, turn, patches)
    one, other = wp.float64(1.0) / wp.length(a), wp.float64(1.0) / wp.length(b)
    a *= one
    b *= other
    strain = vec12d()
    for i in range(3):
        strain[3 * m + i] += one * b[i] / (one + other)
        strain[3 * n + i] += other * a[i] / (one + other)
    return strain


@wp.kernel
def add_rigid_blocks(
    aggregate: wp.array[int],
    inertia: wp.array[wp.mat44],
    bodies: RigidArrays,
    patches: Patches,
    skyline: Skyline,
    # in and out
    matrix: wp.array[wp.float64],
):
    """Add inertia and stiffness to the diagonal blocks of rigid bodies; animation leads driven
    ones, which hardly yield. One thread per body.
    """
    b = wp.tid()
    k = aggregate[b]
    weight = wp.float64(inertia[k][0, 0])
    modes = patches.mode_count[k]
    turn = bodies.turn[b]
    for m in range(modes):
        for n in range(m + 1):
            value = wp.float64(inertia[k][m, n])
            if bodies.driven[b] != 0 and m == n:
                value += STIFF * weight
            for i in range(3):
                at = place(patches.first[k] + 3 * m + i, patches.row[k] + 3 * n + i, skyline)
                matrix[at] = matrix[at] + value
    for m in range(1, modes):
        for n in range(1, m + 1):
            strain = strain_of(k, m, n, turn, patches)
            for i in range(3 * modes):
                at = place(patches.first[k] + i, patches.row[k], skyline)
                for j in range(i + 1):
                    entry = at + PANEL * j
                    matrix[entry] = matrix[entry] + STIFF * weight * strain[i] * strain[j]


@wp.kernel
def move_bodies(
    component: wp.array[int],
    components: ComponentSteps,
    # in and out
    bodies: RigidArrays,
    # out
    x: wp.array[wp.vec3],
):
    """Take back the rest of the last step of every body, but for the fraction α of the arc that its
    island takes. One thread per body.
    """
    b = wp.tid()
    first = bodies.first + 4 * b
    alpha = wp.float64(components.step_length[component[first]])
    if alpha < wp.float64(1.0):
        before = bodies.before_turn[b]
        center = bodies.before_center[b]
        angle = angle_of(bodies.turn[b] * wp.transpose(before))
        moved = alpha * (bodies.center[b] - center)
        bodies.center[b] = center + moved
        bodies.turn[b] = before
        if alpha > wp.float64(0.0):
            bodies.turn[b] = turned_by(alpha * angle, before)
    for k in range(4):
        x[first + k] = image(k, bodies.center[b], bodies.turn[b], bodies.root[b])
