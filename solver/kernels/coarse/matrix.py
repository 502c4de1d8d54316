# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse matrix A = PᵀHP of affine aggregates (solver/aggregates.py).

An element sees the aggregates of its corners through B_k = Σ_{a in k} p_a g_aᵀ, g = ∇N at rest: the
coefficients z_k [4, 3] of aggregate k change F by z_kᵀ B_k. Elements with the same aggregates form
a chunk, and a thread adds up one block (k, l) of one chunk, so nothing is added by two at once.

The Hessian of a tet is μ I + λ vec(cof F) vec(cof F)ᵀ + s ∂cof F/∂F, s = λ(J − 1) − μ. The last
part vanishes from the 3 × 3 blocks of single vertices, but without it rotations would cost energy
here. It is scaled by t = min(1, μ/(|s| σ)), which keeps the sum positive semi-definite; σ is a
bound of the largest singular value of F.
"""

import warp as wp

from ..elements.continua import cofactor
from ..elements.hinges import edge_end_gradient, wing_gradient
from ..elements.records import Elements
from ..elements.triangles import deformation_columns, green_strain, membrane_stress
from ..options import QUICK

# Loops over modes stay loops: unrolled, they take long to compile.
wp.set_module_options(QUICK | {"max_unroll": 2})

vec12 = wp.types.vector(length=12, dtype=float)
mat43 = wp.types.matrix(shape=(4, 3), dtype=float)
mat42 = wp.types.matrix(shape=(4, 2), dtype=float)
mat34 = wp.types.matrix(shape=(3, 4), dtype=float)
mat1212 = wp.types.matrix(shape=(12, 12), dtype=float)


@wp.struct
class CoarseTet:
    """One tet. Of other materials than the neo-Hookean one it has the constants at small strain."""

    corners: wp.vec4i
    gradients: wp.mat33  # rows: ∇N [1/m] of corners 1, 2, 3
    shear: float  # μ V₀ [J]
    bulk: float  # λ V₀ [J]
    rest: float  # α
    per_rest: float  # 1/(6 V₀) where damping moves α: it is that times the rest value of its record
    record: int  # one of its records


@wp.struct
class CoarseTriangle:
    """One membrane triangle."""

    corners: wp.vec3i
    gradient_b: wp.vec2  # ∇N [1/m] of corners 1, 2
    gradient_c: wp.vec2
    stiffness: wp.vec4  # (K₁, K₂, K₁₂, G_s) times the rest area [N m]
    record: int  # one of its records
    stable: int  # whether that is a neo-Hookean one; then the stiffness is that at small strain


@wp.struct
class CoarseHinge:
    """One hinge (p, q, r, s)."""

    corners: wp.vec4i
    stiffness: float  # [N m]
    record: int


@wp.struct
class Chunks:
    """Elements of one kind, sorted so that each chunk sees the same aggregates."""

    start: wp.array[int]  # [chunk + 1]
    offset: int  # of the first chunk in the sums of all kinds
    corner: wp.array[int]  # [chunk] where forces on corners go; -1: one aggregate has all of them
    chunk: wp.array[int]  # [entry] and the two aggregates whose block it adds to
    row: wp.array[int]
    column: wp.array[int]


@wp.struct
class Patches:
    """Aggregates on the device; see solver/aggregates.py."""

    of: wp.array[int]  # [vertex]
    modes: wp.array[wp.vec4]  # [vertex]
    slope: wp.array[mat43]  # [aggregate]
    mode_count: wp.array[int]
    turn: wp.array[wp.mat33]  # rotation since the matrix was put together
    matrix: wp.array[int]  # where the matrix of its group begins, and the places of a row of that
    width: wp.array[int]
    row: wp.array[int]  # its first row there
    first: wp.array[int]  # and in the vector of all unknowns
    start: wp.array[int]  # columns that its rows have places for: from here, up to `end`
    end: wp.array[int]


@wp.func
def stretch_bound(f: wp.mat33):
    """σ ≥ σ_max(F), by the mean and the spread of the eigenvalues of C = FᵀF.

    Of three numbers with the mean m and the variance v none is beyond m + √(2v); it is m + √(2v)
    where the other two are equal.
    """
    c = wp.transpose(f) * f
    mean = (c[0, 0] + c[1, 1] + c[2, 2]) / 3.0
    d = c - wp.mat33(mean, 0.0, 0.0, 0.0, mean, 0.0, 0.0, 0.0, mean)
    return wp.sqrt(mean + wp.sqrt(wp.ddot(d, d) * (2.0 / 3.0)))


@wp.func
def gradient_of(corners: wp.vec4i, gradients: wp.mat33, x: wp.array[wp.vec3]):
    """∂x/∂X in a tet of a field given at the vertices."""
    base = x[corners[0]]
    edges = wp.matrix_from_cols(x[corners[1]] - base, x[corners[2]] - base, x[corners[3]] - base)
    return edges * gradients


@wp.func
def tet_gradient(tet: CoarseTet, x: wp.array[wp.vec3]):
    return gradient_of(tet.corners, tet.gradients, x)


@wp.func
def rest_volume(tet: CoarseTet, elements: Elements):
    """α."""
    rest = tet.rest
    if tet.per_rest > 0.0:
        rest = elements.tet_rest[tet.record] * tet.per_rest
    return rest


@wp.func
def geometric_stiffness(tet: CoarseTet, volume: float, f: wp.mat33):
    """t s V₀ [J], see above; `volume` is J − α."""
    s = tet.bulk * volume
    limit = tet.shear / (wp.abs(s) * stretch_bound(f) + 1.0e-30)
    return s * wp.min(1.0, limit)


@wp.func
def add_turns(block: mat1212, m: int, turns: mat34):
    """The block with ε_ijk v_k added at modes m, n, for v in column n of `turns`."""
    for n in range(4):
        block[3 * m, 3 * n + 1] += turns[2, n]
        block[3 * m, 3 * n + 2] -= turns[1, n]
        block[3 * m + 1, 3 * n] -= turns[2, n]
        block[3 * m + 1, 3 * n + 2] += turns[0, n]
        block[3 * m + 2, 3 * n] += turns[1, n]
        block[3 * m + 2, 3 * n + 1] -= turns[0, n]
    return block


@wp.func
def add_isotropic(block: mat1212, scalar: wp.mat44):
    """The block with `scalar` ⊗ I added."""
    for m in range(4):
        for n in range(4):
            for i in range(3):
                block[3 * m + i, 3 * n + i] += scalar[m, n]
    return block


@wp.kernel
def add_tets_inside(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseTet],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    partial: wp.array[mat1212],
):
    """The block of tets whose corners are all in one aggregate: sums over F, then B at the end."""
    entry = first + wp.tid()
    chunk = chunks.chunk[entry]
    # λ Σ c_k c_lᵀ for the columns of cof F.
    s_00 = wp.mat33(0.0)
    s_01 = wp.mat33(0.0)
    s_02 = wp.mat33(0.0)
    s_11 = wp.mat33(0.0)
    s_12 = wp.mat33(0.0)
    s_22 = wp.mat33(0.0)
    shear = float(0.0)
    turn = wp.mat33(0.0)
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        f = tet_gradient(tet, x)
        c = cofactor(f)
        c_0 = wp.vec3(c[0, 0], c[1, 0], c[2, 0])
        c_1 = wp.vec3(c[0, 1], c[1, 1], c[2, 1])
        c_2 = wp.vec3(c[0, 2], c[1, 2], c[2, 2])
        s_00 += wp.outer(tet.bulk * c_0, c_0)
        s_01 += wp.outer(tet.bulk * c_0, c_1)
        s_02 += wp.outer(tet.bulk * c_0, c_2)
        s_11 += wp.outer(tet.bulk * c_1, c_1)
        s_12 += wp.outer(tet.bulk * c_1, c_2)
        s_22 += wp.outer(tet.bulk * c_2, c_2)
        shear += tet.shear
        volume = wp.determinant(f) - rest_volume(tet, elements)
        turn += geometric_stiffness(tet, volume, f) * f
    slope = patches.slope[chunks.row[entry]]
    block = mat1212()
    for m in range(1, 4):
        b = wp.vec3(slope[m, 0], slope[m, 1], slope[m, 2])
        row_0 = b[0] * s_00 + b[1] * wp.transpose(s_01) + b[2] * wp.transpose(s_02)
        row_1 = b[0] * s_01 + b[1] * s_11 + b[2] * wp.transpose(s_12)
        row_2 = b[0] * s_02 + b[1] * s_12 + b[2] * s_22
        for n in range(1, 4):
            part = slope[n, 0] * row_0 + slope[n, 1] * row_1 + slope[n, 2] * row_2
            for i in range(3):
                for j in range(3):
                    block[3 * m + i, 3 * n + j] = part[i, j]
        block = add_turns(block, m, turn * wp.skew(b) * wp.transpose(slope))
    partial[entry] = add_isotropic(block, shear * (slope * wp.transpose(slope)))


@wp.func
def seen_through(k: int, v: wp.vec4i, g_0: wp.vec3, g: wp.mat33, patches: Patches):
    """B_k of a tet with gradients g_0 and the rows of g."""
    b = mat43()
    if patches.of[v[0]] == k:
        b += wp.outer(patches.modes[v[0]], g_0)
    if patches.of[v[1]] == k:
        b += wp.outer(patches.modes[v[1]], g[0])
    if patches.of[v[2]] == k:
        b += wp.outer(patches.modes[v[2]], g[1])
    if patches.of[v[3]] == k:
        b += wp.outer(patches.modes[v[3]], g[2])
    return b


@wp.func
def applied(b: mat43, c: wp.mat33):
    """B cᵀ flattened: ∂J/∂z [mode, axis] from c = ∂J/∂F, say."""
    q = vec12()
    for m in range(4):
        for i in range(3):
            q[3 * m + i] = b[m, 0] * c[i, 0] + b[m, 1] * c[i, 1] + b[m, 2] * c[i, 2]
    return q


@wp.kernel
def add_tets_between(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseTet],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    partial: wp.array[mat1212],
):
    """A block of tets that several aggregates, or an aggregate and pins, have corners of."""
    entry = first + wp.tid()
    chunk = chunks.chunk[entry]
    k = chunks.row[entry]
    other = chunks.column[entry]
    block = mat1212()
    scalar = wp.mat44(0.0)
    turns_0 = mat34()
    turns_1 = mat34()
    turns_2 = mat34()
    turns_3 = mat34()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        f = tet_gradient(tet, x)
        c = cofactor(f)
        volume = wp.determinant(f) - rest_volume(tet, elements)
        s = geometric_stiffness(tet, volume, f)
        g_0 = -(tet.gradients[0] + tet.gradients[1] + tet.gradients[2])
        b_k = seen_through(k, tet.corners, g_0, tet.gradients, patches)
        b_l = seen_through(other, tet.corners, g_0, tet.gradients, patches)
        block += wp.outer(tet.bulk * applied(b_k, c), applied(b_l, c))
        scalar += tet.shear * (b_k * wp.transpose(b_l))
        f *= s
        across = wp.transpose(b_l)
        turns_0 += f * wp.skew(b_k[0]) * across
        turns_1 += f * wp.skew(b_k[1]) * across
        turns_2 += f * wp.skew(b_k[2]) * across
        turns_3 += f * wp.skew(b_k[3]) * across
    block = add_turns(block, 0, turns_0)
    block = add_turns(block, 1, turns_1)
    block = add_turns(block, 2, turns_2)
    block = add_turns(block, 3, turns_3)
    partial[entry] = add_isotropic(block, scalar)


@wp.func
def positive_part(s_11: float, s_22: float, s_12: float):
    """The symmetric 2 × 2 matrix without its negative eigenvalues."""
    mean = 0.5 * (s_11 + s_22)
    half = 0.5 * (s_11 - s_22)
    size = wp.sqrt(half * half + s_12 * s_12)
    high = wp.max(mean + size, 0.0)
    low = wp.max(mean - size, 0.0)
    c = float(1.0)
    s = float(0.0)
    if size > 0.0:
        c = half / size
        s = s_12 / size
    middle = 0.5 * (high + low)
    spread = 0.5 * (high - low)
    return wp.mat22(middle + spread * c, spread * s, spread * s, middle - spread * c)


@wp.func
def triangle_seen_through(k: int, v: wp.vec3i, g_b: wp.vec2, g_c: wp.vec2, patches: Patches):
    """B_k [4, 2] of a triangle."""
    b = mat42()
    if patches.of[v[0]] == k:
        b -= wp.outer(patches.modes[v[0]], g_b + g_c)
    if patches.of[v[1]] == k:
        b += wp.outer(patches.modes[v[1]], g_b)
    if patches.of[v[2]] == k:
        b += wp.outer(patches.modes[v[2]], g_c)
    return b


@wp.func
def along(b: mat42, column: int, f: wp.vec3):
    """B's column ⊗ f, flattened."""
    q = vec12()
    for m in range(4):
        for i in range(3):
            q[3 * m + i] = b[m, column] * f[i]
    return q


@wp.kernel
def add_triangles(
    first: int,
    chunks: Chunks,
    triangles: wp.array[CoarseTriangle],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    partial: wp.array[mat1212],
):
    """A block of triangles as if of StVK; their stress counts as far as it is tension."""
    entry = first + wp.tid()
    chunk = chunks.chunk[entry]
    k = chunks.row[entry]
    other = chunks.column[entry]
    block = mat1212()
    scalar = wp.mat44(0.0)
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        t = triangles[e]
        d_b = x[t.corners[1]] - x[t.corners[0]]
        d_c = x[t.corners[2]] - x[t.corners[0]]
        f_1, f_2 = deformation_columns(t.gradient_b, t.gradient_c, d_b, d_c)
        strain = green_strain(f_1, f_2)
        if t.stable == 0:
            strain -= elements.triangle_rest[t.record]
        k_1 = t.stiffness[0]
        k_2 = t.stiffness[1]
        k_12 = t.stiffness[2]
        shear = t.stiffness[3]
        s = membrane_stress(t.stiffness, strain)
        tension = positive_part(s[0], s[1], s[2])
        b_k = triangle_seen_through(k, t.corners, t.gradient_b, t.gradient_c, patches)
        b_l = triangle_seen_through(other, t.corners, t.gradient_b, t.gradient_c, patches)
        q_1 = along(b_l, 0, f_1)
        q_2 = along(b_l, 1, f_2)
        block += wp.outer(along(b_k, 0, f_1), k_1 * q_1 + k_12 * q_2)
        block += wp.outer(along(b_k, 1, f_2), k_2 * q_2 + k_12 * q_1)
        block += wp.outer(
            along(b_k, 0, f_2) + along(b_k, 1, f_1),
            shear * (along(b_l, 0, f_2) + along(b_l, 1, f_1)),
        )
        scalar += b_k * tension * wp.transpose(b_l)
    partial[entry] = add_isotropic(block, scalar)


@wp.func
def through(k: int, v: int, g: wp.vec3, patches: Patches):
    """p ⊗ g of a vertex, flattened; zero when it is not in aggregate k."""
    q = vec12()
    if patches.of[v] == k:
        p = patches.modes[v]
        for m in range(4):
            for i in range(3):
                q[3 * m + i] = p[m] * g[i]
    return q


@wp.kernel
def add_hinges(
    first: int,
    chunks: Chunks,
    hinges: wp.array[CoarseHinge],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    partial: wp.array[mat1212],
):
    """A block of hinges, k ∇θ ∇θᵀ."""
    entry = first + wp.tid()
    chunk = chunks.chunk[entry]
    k = chunks.row[entry]
    other = chunks.column[entry]
    block = mat1212()
    for index in range(chunks.start[chunk], chunks.start[chunk + 1]):
        hinge = hinges[index]
        v = hinge.corners
        base = x[v[0]]
        e = x[v[1]] - base
        r = x[v[2]] - base
        s = x[v[3]] - base
        g_p = edge_end_gradient(e, r, s)
        g_r = wing_gradient(e, r)
        g_s = wing_gradient(-e, s - e)
        g_q = -(g_p + g_r + g_s)
        q_k = (
            through(k, v[0], g_p, patches)
            + through(k, v[1], g_q, patches)
            + through(k, v[2], g_r, patches)
            + through(k, v[3], g_s, patches)
        )
        q_l = (
            through(other, v[0], g_p, patches)
            + through(other, v[1], g_q, patches)
            + through(other, v[2], g_r, patches)
            + through(other, v[3], g_s, patches)
        )
        block += wp.outer(hinge.stiffness * q_k, q_l)
    partial[entry] = block


@wp.func
def block_place(k: int, other: int, patches: Patches):
    """Where the block (k, other) of A begins; -1 where it has no place."""
    place = int(-1)
    column = patches.row[other]
    if patches.matrix[k] == patches.matrix[other]:
        if column >= patches.start[k] and column < patches.end[k]:
            place = patches.matrix[k] + patches.row[k] * patches.width[k]
            place += column - patches.start[k]
    return place


@wp.kernel
def gather_blocks(
    start: wp.array[int],
    entry: wp.array[int],
    row: wp.array[int],
    column: wp.array[int],
    inertia: wp.array[wp.mat44],
    partial: wp.array[mat1212],
    patches: Patches,
    # out
    matrix: wp.array[wp.float64],
):
    """Blocks of A: the sums of their entries, and on the diagonal the inertia of the aggregate."""
    b = wp.tid()
    k = row[b]
    other = column[b]
    block = mat1212()
    if k == other:
        block = add_isotropic(block, inertia[k])
    for q in range(start[b], start[b + 1]):
        block += partial[entry[q]]
    place = block_place(k, other, patches)
    mirrored = block_place(other, k, patches)
    for m in range(3 * patches.mode_count[k]):
        for n in range(3 * patches.mode_count[other]):
            value = wp.float64(block[m, n])
            if place >= 0:
                matrix[place + m * patches.width[k] + n] = value
            if mirrored >= 0:
                matrix[mirrored + n * patches.width[k] + m] = value
