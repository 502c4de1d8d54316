# SPDX-License-Identifier: GPL-3.0-or-later
"""Energies written a second time, in plain NumPy float64, from F and from angles.

They share nothing with the solver, so that forces and Hessians can be checked against them.
"""

import numpy as np
import scipy.integrate
import scipy.optimize


def deformation_gradient(rest, x):
    """F [3, 3] of one tet, and its rest volume [m³]."""
    rest_edges = (rest[1:] - rest[0]).T
    return (x[1:] - x[0]).T @ np.linalg.inv(rest_edges), np.linalg.det(rest_edges) / 6.0


def crushed_onset(mu, lam):
    """The |F|² below which a solid is crushed: 3.63 (μ/(λ + μ))², at most 1."""
    return min(3.0 * (1.1 * mu / (lam + mu)) ** 2, 1.0)


def neo_hookean(rest, x, mu, lam):
    """Energy [J] of one tet: V₀ (μ/2 (h(|F|²) − 3) + λ/2 (J − α)²), h(I) = I, but below c
    I + ¾ c (1 − I/c)².
    """
    f, volume = deformation_gradient(rest, x)
    alpha, square, c = 1.0 + mu / lam, (f * f).sum(), crushed_onset(mu, lam)
    stretch = square + 0.75 * c * max(1.0 - square / c, 0.0) ** 2
    return volume * (0.5 * mu * (stretch - 3.0) + 0.5 * lam * (np.linalg.det(f) - alpha) ** 2)


def neo_hookean_log(rest, x, mu, lam):
    """Energy [J] of one tet: V₀ (μ/2 (I − 3) + λ/2 (J − α)² − μ/2 log(I + 1)), I = |F|²."""
    f, volume = deformation_gradient(rest, x)
    square, alpha = (f * f).sum(), 1.0 + 0.75 * mu / lam
    return volume * (
        0.5 * mu * (square - 3.0)
        + 0.5 * lam * (np.linalg.det(f) - alpha) ** 2
        - 0.5 * mu * np.log(square + 1.0)
    )


def corotated(rest, x, mu, lam):
    """Energy [J] of one tet: V₀ (μ |F − R|² + λ/2 (J − 1)²), R by SVD."""
    f, volume = deformation_gradient(rest, x)
    u, _, vt = np.linalg.svd(f)
    r = u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt
    return volume * (mu * ((f - r) ** 2).sum() + 0.5 * lam * (np.linalg.det(f) - 1.0) ** 2)


def viscosity(rest, x, before, mu, lam):
    """Energy [J] of the viscosity of one tet: that of a neo-Hookean one in F F₀⁻¹, but for the
    volume term, which has J − J₀.
    """
    f, volume = deformation_gradient(rest, x)
    f_0, _ = deformation_gradient(rest, before)
    j, j_0, turned = np.linalg.det(f), np.linalg.det(f_0), f @ np.linalg.inv(f_0)
    shear = 0.5 * (turned**2).sum() - np.linalg.det(turned)
    return volume * (mu * j_0**2 * shear + 0.5 * lam * (j - j_0) ** 2)


def cell_state(rest, x, middle=(0.0, 0.0, 0.0)):
    """State of one cubic cell: F in the `middle` of its material (-1 to 1), q_xy, q_yz, q_xz, q_xyz
    as rows, and the volume of the cell [m³].

    The q are the mixed derivatives there of the trilinear x(X), scaled to strains at √3 of the
    distance from the centre to a face.
    """
    side = rest[1, 0] - rest[0, 0]
    u, v, w = (rest - rest.mean(axis=0) - 0.5 * side * np.asarray(middle)).T
    monomials = np.stack([np.ones(8), u, v, w, u * v, v * w, u * w, u * v * w], axis=1)
    found = np.linalg.solve(monomials, x)
    rate = side / (2.0 * np.sqrt(3.0))
    return found[1:4].T, found[4:] * rate * np.array([[1.0], [1.0], [1.0], [side / 2]]), side**3


def bending_form(b, q, mu, lam, spread=(1.0, 1.0, 1.0)):
    """Twice the bending energy per volume: for b[axis, mode] = n·q along the axes, and for q[axis,
    mode], with the axes that |f × q| leaves.
    """
    plane, least = 2.0 * lam * mu / (lam + 2.0 * mu), min(spread)
    (x_xy, x_yz, x_xz), (y_xy, y_yz, y_xz), (z_xy, z_yz, z_xz) = b[:, :3]
    along = (y_xy + z_xz) ** 2, (x_xy + z_yz) ** 2, (x_xz + y_yz) ** 2
    twist = (q * q).sum() + (z_xy + x_yz + y_xz) ** 2
    return mu * least * twist + plane * np.dot(spread, along)


def cross_stiffness(mu, spread, axis):
    return mu * (2.0 * min(np.delete(spread, axis)) - min(spread))


FULL = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 1.0)


def hourglass(rest, x, mu, lam, filling=FULL):
    """Energy [J] of bending and twisting of one cell; `filling`: middle, spread and fraction."""
    f, q, _ = cell_state(rest, x, filling[0])
    return hourglass_of(f, q, rest, mu, lam, filling)


def hourglass_of(f, q, rest, mu, lam, filling):
    """Energy [J] of bending and twisting of one cell, from F and q of `cell_state`."""
    _, spread, part = filling
    volume = (rest[1, 0] - rest[0, 0]) ** 3
    cofactor = np.stack([np.cross(f[:, i - 2], f[:, i - 1]) for i in range(3)])
    square = bending_form(cofactor @ q.T, q.T, mu, lam, spread)
    for axis, mode in ((2, 0), (0, 1), (1, 2)):
        square += cross_stiffness(mu, spread, axis) * (np.cross(f[:, axis], q[mode]) ** 2).sum()
    return 0.5 * part * volume * square


def cell_center(energy, rest, x, filling=FULL):
    """Energy [J] of one cell by its F; `energy` (rest, x) is that of a tet."""
    middle, _, part = filling
    f, _, volume = cell_state(rest, x, middle)
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return 6.0 * part * volume * energy(corners, corners @ f.T)


def cell_viscosity(rest, x, before, mu, lam, filling=FULL):
    """Dissipation potential [J] of one cell with the state `before` at the start of the step."""
    f, q, _ = cell_state(rest, x, filling[0])
    f_0, q_0, _ = cell_state(rest, before, filling[0])
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    center = cell_center(
        lambda tet, now: viscosity(tet, now, corners @ f_0.T, mu, lam), rest, x, filling
    )
    bent = q - q_0 @ np.linalg.inv(f_0).T @ f.T
    return center + hourglass_of(f, bent, rest, mu, lam - mu, filling)


def unstressed_cell(cube, unstressed, x, mu, lam, filling=FULL):
    """Energy [J] of one cell whose corners are `unstressed`: that of F F₀⁻¹ in its volume, and
    squares of q − F F₀⁻¹ q₀ scaled by A = (F₀ᵀF₀)⁻¹.
    """
    middle, spread, part = filling
    f, q, volume = cell_state(cube, x, middle)
    f_0, q_0, _ = cell_state(cube, unstressed, middle)
    a, j_0 = np.diag(np.linalg.inv(f_0.T @ f_0)), np.linalg.det(f_0)
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    center = neo_hookean(corners, corners @ (f @ np.linalg.inv(f_0)).T, mu, lam + mu)
    q = q - q_0 @ np.linalg.inv(f_0).T @ f.T
    cofactor = np.stack([np.cross(f[:, i - 2], f[:, i - 1]) for i in range(3)])
    square = bending_form(cofactor @ q.T, 0.0 * q.T, mu, lam, spread) / j_0**2
    square += mu * min(spread) * a.mean() * (q * q).sum()
    for axis, mode in ((2, 0), (0, 1), (1, 2)):
        scale = a[axis] * np.delete(a, axis).mean()
        size = (np.cross(f[:, axis], q[mode]) ** 2).sum()
        square += scale * cross_stiffness(mu, spread, axis) * size
    return part * volume * j_0 * (6.0 * center + 0.5 * square)


def fibers(f, direction, stiffness, active, before=1.0, damping=0.0):
    """Energy per volume of fibers under F: their tension integrated over the stretch, from kink to
    kink by Gauss points. Passive tension, viscous relative to the stretch `before` as far as that
    is above 1, never pushes.
    """
    stretch = np.linalg.norm(f @ direction)
    longer = max(before - 1.0, 0.0)
    onset = damping * longer / (stiffness + damping) if damping else 0.0
    kinks = 1.0 + np.clip([0.0, -0.56, onset, 0.56, stretch - 1.0], *sorted([0.0, stretch - 1.0]))
    kinks = np.sort(kinks) if stretch > 1.0 else -np.sort(-kinks)
    points, weights = np.polynomial.legendre.leggauss(2)
    width = 0.5 * np.diff(kinks)[:, None]
    u = 0.5 * (kinks[1:] + kinks[:-1])[:, None] + width * points - 1.0
    passive = np.where(u > 0.0, np.maximum(stiffness * u + damping * (u - longer), 0.0), 0.0)
    tension = passive + active * np.maximum(1.0 - (u / 0.56) ** 2, 0.0)
    return (tension * weights * width).sum()


def plane_gradient(rest, x):
    """F [3, 2] of one triangle with axis 1 along its first edge, and its rest area [m²]."""
    e_1, e_2 = rest[1] - rest[0], rest[2] - rest[0]
    axis_1 = e_1 / np.linalg.norm(e_1)
    axis_2 = e_2 - (e_2 @ axis_1) * axis_1
    axis_2 /= np.linalg.norm(axis_2)
    flat = np.array([[e_1 @ axis_1, e_2 @ axis_1], [e_1 @ axis_2, e_2 @ axis_2]])
    f = np.stack([x[1] - x[0], x[2] - x[0]], axis=1) @ np.linalg.inv(flat)
    return f, 0.5 * np.linalg.det(flat)


def stvk(rest, x, mu, lam):
    """Energy [J] of one membrane triangle: A (μ |G|² + λ/2 tr(G)²)."""
    f, area = plane_gradient(rest, x)
    g = 0.5 * (f.T @ f - np.eye(2))
    return area * (mu * (g * g).sum() + 0.5 * lam * np.trace(g) ** 2)


def woven(rest, x, warp, weft, coupling, shear):
    """Energy [J]: A (½ (K₁ G₁₁² + K₂ G₂₂² + 2 K₁₂ G₁₁ G₂₂) + 2 G_s G₁₂²), warp along edge 1."""
    f, area = plane_gradient(rest, x)
    g = 0.5 * (f.T @ f - np.eye(2))
    stretch = warp * g[0, 0] ** 2 + weft * g[1, 1] ** 2 + 2.0 * coupling * g[0, 0] * g[1, 1]
    return area * (0.5 * stretch + 2.0 * shear * g[0, 1] ** 2)


def stable_membrane(rest, x, mu, lam):
    """Energy [J] of one membrane triangle: A (μ/2 (|F|² − 2) + λ/2 (J − 1 − μ/λ)²)."""
    f, area = plane_gradient(rest, x)
    stretch = np.linalg.norm(np.cross(f[:, 0], f[:, 1]))
    return area * (0.5 * mu * ((f * f).sum() - 2.0) + 0.5 * lam * (stretch - 1.0 - mu / lam) ** 2)


def green_strain(rest, x):
    """G [2, 2] of one triangle, and its rest area [m²]."""
    f, area = plane_gradient(rest, x)
    return 0.5 * (f.T @ f - np.eye(2)), area


def relaxed(stiffness, e, load):
    """Energy per area of axial strains e that folds take up at a load N_c [N/m]: the least of ½
    aᵀCa + N_c Σ (a − e) over strains a ≥ e, among the corners and edges of their feasible region.
    """
    c = np.array([[stiffness[0], stiffness[2]], [stiffness[2], stiffness[1]]])
    choices = [e, np.linalg.solve(c, -load * np.ones(2))]
    choices += [np.array([e[0], (-load - c[0, 1] * e[0]) / c[1, 1]])]
    choices += [np.array([(-load - c[0, 1] * e[1]) / c[0, 0], e[1]])]
    may = [a for a in choices if (a >= e - 1e-14).all()]
    return min(0.5 * a @ c @ a + load * (a - e).sum() for a in may)


def folding(stiffness, e, load):
    """Energy per area of folds above their plateau, integrated numerically."""
    energy = 0.0
    for strain in e:
        excess = max(-2.0 * (strain + load / stiffness), 0.0)
        if excess:
            r = 1.0 - np.linspace(0.0, excess, 2001)
            rise = load * (np.maximum(r, 0.01) ** -2.0 - 1.0)
            energy += 0.5 * scipy.integrate.simpson(rise, x=1.0 - r)
    return energy


def hardening(e, most, stiffness):
    """½ K_L Σ ((e − e_max)₊)² of axial strains."""
    return 0.5 * stiffness * (np.maximum(e - most, 0.0) ** 2).sum()


def buckling_stvk(rest, x, mu, lam, load, most=np.inf, stiff=0.0):
    """Energy [J] of one isotropic triangle that buckles at a load and hardens beyond a strain."""
    g, area = green_strain(rest, x)
    e = np.linalg.eigvalsh(g)
    k = (2.0 * mu + lam, 2.0 * mu + lam, lam)
    folds = folding(k[0], e, load)
    return area * (relaxed(k, e, load) + folds + hardening(e, most, stiff))


def buckling_woven(rest, x, warp, weft, coupling, shear, load, most=np.inf, stiff=0.0):
    """Energy [J] of one woven triangle that buckles along warp and weft."""
    g, area = green_strain(rest, x)
    e = np.diag(g)
    stretch = relaxed((warp, weft, coupling), e, load) + hardening(e, most, stiff)
    stretch += folding(warp, e, load)
    return area * (stretch + 2.0 * shear * g[0, 1] ** 2)


def buckling_membrane(rest, x, mu, lam, load, most=np.inf, stiff=0.0):
    """Energy [J] of one neo-Hookean triangle that buckles: the least of ψ₀(a) + ½ N_c Σ (a − C)
    over squares of stretches a ≥ C, found by search.
    """
    g, area = green_strain(rest, x)
    e = np.linalg.eigvalsh(g)
    c = 1.0 + 2.0 * e

    def energy(log_excess):
        a = c + np.exp(log_excess)
        j = np.sqrt(a.prod())
        stretch = 0.5 * mu * (a.sum() - 2.0) + 0.5 * lam * (j - 1.0 - mu / lam) ** 2
        return (stretch + 0.5 * load * (a - c).sum()) / mu

    ends = [(-60.0, -60.0), (-60.0, 0.0), (0.0, -60.0), (-1.0, -1.0)]
    tight = {"xatol": 1e-12, "fatol": 1e-16, "maxiter": 4000}
    least = min(
        scipy.optimize.minimize(energy, end, method="Nelder-Mead", options=tight).fun
        for end in ends
    )
    return area * (mu * least + folding(mu + lam, e, load) + hardening(e, most, stiff))


def dihedral(p, q, r, s):
    """Angle [rad] between the triangles (p, q, r) and (q, p, s), from their unit normals."""
    n_1, n_2 = np.cross(q - p, r - p), np.cross(p - q, s - q)
    n_1, n_2 = n_1 / np.linalg.norm(n_1), n_2 / np.linalg.norm(n_2)
    e = (q - p) / np.linalg.norm(q - p)
    return np.arctan2(np.cross(n_1, n_2) @ e, n_1 @ n_2)


def bending(rest, x, rigidity):
    """Energy [J] of one hinge (p, q, r, s): ½ (D/3) 3|e|²/(A₁ + A₂) (θ − θ̄)².

    Half as much where the edge faces right angles, by the cotangents up to 60°.
    """
    p, q, r, s = rest
    areas = 0.5 * (np.linalg.norm(np.cross(q - p, r - p)) + np.linalg.norm(np.cross(q - p, s - p)))
    cotangents = [(p - w) @ (q - w) / np.linalg.norm(np.cross(p - w, q - w)) for w in (r, s)]
    spread = np.clip(0.5 + 0.5 * np.sqrt(3.0) * np.mean(cotangents), 0.5, 1.0)
    k = spread * rigidity / 3.0 * 3.0 * ((q - p) @ (q - p)) / areas
    return 0.5 * k * (dihedral(*x) - dihedral(*rest)) ** 2


def spring(rest, x, stiffness):
    """Energy [J] of one spring: ½ k (l − l₀)²."""
    return 0.5 * stiffness * (np.linalg.norm(x[1] - x[0]) - np.linalg.norm(rest[1] - rest[0])) ** 2


def section_frame(edge, arm):
    """Rows d₁, d₂, t of an edge whose director is at `arm` from its middle."""
    t = edge / np.linalg.norm(edge)
    d_1 = arm - (arm @ t) * t
    d_1 = d_1 / np.linalg.norm(d_1)
    return np.stack([d_1, np.cross(t, d_1), t])


def bend_strain(x):
    """κ₁, κ₂ and m of two edges (0, 1), (1, 2) with the directors 3, 4; m from the rotation that
    takes one tangent to the other by its axis and angle.
    """
    one = section_frame(x[1] - x[0], x[3] - 0.5 * (x[0] + x[1]))
    two = section_frame(x[2] - x[1], x[4] - 0.5 * (x[1] + x[2]))
    axis = np.cross(one[2], two[2])
    sine, angle = np.linalg.norm(axis), np.arccos(np.clip(one[2] @ two[2], -1.0, 1.0))
    axis = axis / sine if sine > 1e-12 else one[0]
    binormal = 2.0 * np.tan(0.5 * angle) * axis
    cross = np.cross(np.eye(3), axis)  # rows e_i × axis: v @ cross = v × axis
    carry = np.eye(3) - np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    carried = one[0] @ carry
    twist = np.arctan2(two[0] @ np.cross(two[2], carried), two[0] @ carried)
    middle = 0.5 * (one + two)
    return np.array([middle[1] @ binormal, -middle[0] @ binormal, twist])


def bend(rest, x, bending, twisting):
    """Energy [J] of one bend: ½ B/l |κ − κ̄|² + ½ C/l (m − m̄)²."""
    gap = bend_strain(x) - bend_strain(rest)
    turn = (gap[2] + np.pi) % (2.0 * np.pi) - np.pi
    return 0.5 * (bending * (gap[:2] ** 2).sum() + twisting * turn**2)


def director(rest, x, stiffness):
    """Energy [J] of one director 2 of an edge (0, 1): ½ k ((|g| − d)² + (g·t)²)."""
    arm, edge = x[2] - 0.5 * (x[0] + x[1]), x[1] - x[0]
    distance = np.linalg.norm(rest[2] - 0.5 * (rest[0] + rest[1]))
    along = arm @ edge / np.linalg.norm(edge)
    return 0.5 * stiffness * ((np.linalg.norm(arm) - distance) ** 2 + along**2)


def slope(energy, x, step=1e-5):
    """Gradient of an energy by central differences, the shape of x."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[index] = step
        gradient[index] = (energy(x + nudge) - energy(x - nudge)) / (2.0 * step)
    return gradient


def hessian_blocks(energy, x, step=1e-4):
    """∂²E/∂x_i² of every vertex by central differences, [vertex, 3, 3]."""
    blocks = np.zeros((len(x), 3, 3))
    for i in range(len(x)):
        for a in range(3):
            nudge = np.zeros_like(x)
            nudge[i, a] = step
            high, low = slope(energy, x + nudge, step), slope(energy, x - nudge, step)
            blocks[i, a] = (high[i] - low[i]) / (2.0 * step)
    return blocks
