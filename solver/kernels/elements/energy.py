# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies per element in float64, for the statistics of a frame: float32 cannot hold their sums.

Each is zero at rest. The formulas stand beside the forces, in the files of the elements.
"""

import warp as wp

from ..options import QUICK
from .records import COROTATED, NEO_HOOKEAN, NEO_HOOKEAN_LOG

wp.set_module_options(QUICK)


@wp.func
def exact(p: wp.vec3):
    return wp.vec3d(wp.float64(p[0]), wp.float64(p[1]), wp.float64(p[2]))


@wp.kernel
def tet_energy(
    tets: wp.array[wp.vec4i],
    model: wp.array[int],
    inverse_rest: wp.array[wp.mat33d],
    mu: wp.array[wp.float64],
    lam: wp.array[wp.float64],
    x: wp.array[wp.vec3],
    # out
    energy: wp.array[wp.float64],
    inverted: wp.array[int],
):
    """Energy [J] and whether the tet is inside out; mu and lam are times the rest volume [J]."""
    t = wp.tid()
    tet = tets[t]
    x_0 = exact(x[tet[0]])
    f = wp.matrix_from_cols(exact(x[tet[1]]) - x_0, exact(x[tet[2]]) - x_0, exact(x[tet[3]]) - x_0)
    f = f * inverse_rest[t]
    one = wp.float64(1.0)
    half = wp.float64(0.5)
    square = wp.ddot(f, f)
    volume = wp.determinant(f) - one
    shear = square - wp.float64(3.0)
    total = half * lam[t] * volume * volume
    if model[t] == NEO_HOOKEAN:
        total += half * mu[t] * shear - mu[t] * volume
    if model[t] == NEO_HOOKEAN_LOG:
        logarithm = wp.log((square + one) / wp.float64(4.0))
        total += half * mu[t] * (shear - logarithm) - wp.float64(0.75) * mu[t] * volume
    if model[t] == COROTATED:
        u, _sigma, v = wp.svd3(f)
        along = wp.transpose(u) * f * v
        trace = along[0, 0] + along[1, 1] + along[2, 2]
        if wp.determinant(u) * wp.determinant(v) < wp.float64(0.0):
            trace -= wp.float64(2.0) * along[2, 2]
        total += mu[t] * (square - wp.float64(2.0) * trace + wp.float64(3.0))
    energy[t] = total
    inverted[t] = int(volume < -one)


@wp.kernel
def triangle_energy(
    triangles: wp.array[wp.vec3i],
    inverse_rest: wp.array[wp.mat22d],
    stable: wp.array[int],
    mu: wp.array[wp.float64],
    lam: wp.array[wp.float64],
    stiffness: wp.array[wp.vec4d],
    x: wp.array[wp.vec3],
    # out
    energy: wp.array[wp.float64],
):
    """Energy [J]; mu, lam and stiffness are times the rest area [J]."""
    t = wp.tid()
    triangle = triangles[t]
    b = inverse_rest[t]
    x_0 = exact(x[triangle[0]])
    e_1 = exact(x[triangle[1]]) - x_0
    e_2 = exact(x[triangle[2]]) - x_0
    f_1 = b[0, 0] * e_1 + b[1, 0] * e_2
    f_2 = b[0, 1] * e_1 + b[1, 1] * e_2
    half = wp.float64(0.5)
    two = wp.float64(2.0)
    one = wp.float64(1.0)
    g_11 = half * (wp.dot(f_1, f_1) - one)
    g_22 = half * (wp.dot(f_2, f_2) - one)
    g_12 = half * wp.dot(f_1, f_2)
    if stable[t] != 0:
        area = wp.length(wp.cross(f_1, f_2)) - one
        energy[t] = mu[t] * (g_11 + g_22 - area) + half * lam[t] * area * area
    else:
        k = stiffness[t]
        warp = k[0] * g_11 * g_11 + k[1] * g_22 * g_22 + two * k[2] * g_11 * g_22
        energy[t] = half * warp + two * k[3] * g_12 * g_12


@wp.kernel
def hinge_energy(
    hinges: wp.array[wp.vec4i],
    rest: wp.array[wp.float64],
    stiffness: wp.array[wp.float64],
    x: wp.array[wp.vec3],
    # out
    energy: wp.array[wp.float64],
):
    """Energy [J] of hinges (p, q, r, s) with edge p-q and wings r, s."""
    k = wp.tid()
    hinge = hinges[k]
    p = exact(x[hinge[0]])
    e = exact(x[hinge[1]]) - p
    n_1 = wp.cross(e, exact(x[hinge[2]]) - p)
    n_2 = wp.cross(exact(x[hinge[3]]) - p, e)
    theta = wp.atan2(wp.dot(wp.cross(n_1, n_2), wp.normalize(e)), wp.dot(n_1, n_2))
    turn = wp.float64(2.0 * wp.PI)
    gap = theta - rest[k]
    gap -= turn * wp.round(gap / turn)
    energy[k] = wp.float64(0.5) * stiffness[k] * gap * gap


@wp.kernel
def spring_energy(
    edges: wp.array[wp.vec2i],
    rest: wp.array[wp.float64],
    stiffness: wp.array[wp.float64],
    x: wp.array[wp.vec3],
    # out
    energy: wp.array[wp.float64],
):
    """Energy [J] of springs."""
    k = wp.tid()
    edge = edges[k]
    gap = wp.length(exact(x[edge[1]]) - exact(x[edge[0]])) - rest[k]
    energy[k] = wp.float64(0.5) * stiffness[k] * gap * gap
