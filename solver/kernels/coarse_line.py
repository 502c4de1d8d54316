# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse step: forces brought down to the aggregates, their step brought up, and how far to go.

Along the direction d the slope φ'(α) = ∂G/∂α of tets is a polynomial of degree 5 in α and that of
StVK triangles of degree 3; their coefficients are added up. Contacts act on one side only: their
slopes are sampled at equal distances, and taken as straight lines between. Every island of bodies
has an α of its own, the first place where its slope changes its sign.
"""

import warp as wp

from .attachments import Attachments, gap, split_scale
from .bounds import Bounds, bounds_force_hessian
from .coarse import (
    Chunks,
    CoarseHinge,
    CoarseTet,
    CoarseTriangle,
    Patches,
    cofactors,
    excess_volume,
    mat43,
    tet_gradient,
)
from .contact import ContactLaw, Contacts, force_stiffness
from .hinges import angle_gap, dihedral_angle, edge_end_gradient, wing_gradient
from .pairs import gap_of
from .records import Elements
from .triangles import deformation_columns, green_strain

wp.set_module_options({"enable_backward": False})

SAMPLES = wp.constant(8)
vec5 = wp.types.vector(length=5, dtype=float)
vec8 = wp.types.vector(length=8, dtype=float)

# Tets below this part of their volume have collapsed, ...
COLLAPSED = wp.constant(0.1)
# ... and an island with more than this part of such tets is left alone: affine patches
# would press it into the false minimum at F = 0.
MOST_COLLAPSED = wp.constant(0.1)


@wp.struct
class Members:
    """The vertices of all aggregates, and their sums per chunk."""

    vertex: wp.array[int]  # aggregate by aggregate
    start: wp.array[int]  # [chunk + 1] places in `vertex`
    first_chunk: wp.array[int]  # [aggregate + 1]
    restricted: wp.array[mat43]  # [chunk] Σ p fᵀ
    slope: wp.array[wp.vec2d]  # [chunk] −Σ f·d, and its rise by inertia and attachments
    samples: wp.array[vec8]  # [chunk] of contacts, the slope at 0 taken off


@wp.struct
class Sums:
    """Slopes of the elements of every chunk, and the chunks of every island."""

    start: wp.array[int]  # [island + 1] places in `chunk`
    chunk: wp.array[int]
    slope: wp.array[vec5]  # [chunk] coefficients of α … α⁵
    samples: wp.array[vec8]  # [chunk] what is no polynomial, the slope at 0 taken off
    collapsed: wp.array[int]
    count: wp.array[int]


@wp.struct
class Islands:
    """What is searched along together, in parties of islands that touch each other."""

    start: wp.array[int]  # [party + 1] places in `island`
    island: wp.array[int]
    first_chunk: wp.array[int]  # [island + 1] of the chunks of `Members`
    share: wp.array[float]  # α of the last step, [island]; 0 when it was skipped
    skipped: wp.array[int]  # how often, [island]
    crowded: wp.array[int]  # whether too many of its tets have collapsed, [island]


@wp.kernel
def restrict_chunks(
    first: int,
    force: wp.array[wp.vec3],
    members: Members,
    patches: Patches,
):
    """Σ p fᵀ of chunks of vertices."""
    chunk = first + wp.tid()
    total = mat43()
    for q in range(members.start[chunk], members.start[chunk + 1]):
        i = members.vertex[q]
        total += wp.outer(patches.modes[i], force[i])
    members.restricted[chunk] = total


@wp.kernel
def restrict(
    members: Members,
    patches: Patches,
    # out
    right: wp.array[wp.float64],
):
    """Pᵀf of every aggregate."""
    k = wp.tid()
    total = mat43()
    for chunk in range(members.first_chunk[k], members.first_chunk[k + 1]):
        total += members.restricted[chunk]
    for m in range(patches.mode_count[k]):
        for i in range(3):
            right[patches.first[k] + 3 * m + i] = wp.float64(total[m, i])


@wp.kernel
def prolong(
    first: int,
    way: wp.array[wp.float64],
    members: Members,
    patches: Patches,
    x: wp.array[wp.vec3],
    # out
    direction: wp.array[wp.vec3],
    moved: wp.array[wp.vec3],
):
    """d = P z of the vertices of aggregates, and where it leads to."""
    i = members.vertex[first + wp.tid()]
    k = patches.of[i]
    p = patches.modes[i]
    d = wp.vec3(0.0)
    for m in range(patches.mode_count[k]):
        q = patches.first[k] + 3 * m
        d += p[m] * wp.vec3(float(way[q]), float(way[q + 1]), float(way[q + 2]))
    if not wp.isfinite(d):  # there is no decomposition
        d = wp.vec3(0.0)
    direction[i] = d
    moved[i] = x[i] + d


@wp.kernel
def take_difference(
    first: int,
    before: wp.array[wp.vec3],
    after: wp.array[wp.vec3],
    # out
    direction: wp.array[wp.vec3],
):
    """The direction that truncation has left."""
    i = first + wp.tid()
    direction[i] = after[i] - before[i]


@wp.func
def volume_slope(f: wp.mat33, d: wp.mat33, j_0: float, bulk: float):
    """Coefficients α … α⁵ of the slope of λ/2 (J − α₀)² at F + α D; `j_0` is J − α₀ at F."""
    c_f = cofactors(f)
    c_d = cofactors(d)
    j_1 = float(0.0)
    j_2 = float(0.0)
    for m in range(3):
        for i in range(3):
            j_1 += c_f[3 * m + i] * d[i, m]
            j_2 += c_d[3 * m + i] * f[i, m]
    j_3 = wp.determinant(d)
    return bulk * vec5(
        j_1 * j_1 + 2.0 * j_0 * j_2,
        3.0 * (j_1 * j_2 + j_0 * j_3),
        2.0 * j_2 * j_2 + 4.0 * j_1 * j_3,
        5.0 * j_2 * j_3,
        3.0 * j_3 * j_3,
    )


@wp.kernel
def tet_slopes(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseTet],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """Slope of the energy of the tets of a chunk along the direction."""
    chunk = first + wp.tid()
    total = vec5()
    collapsed = int(0)
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        f = tet_gradient(tet, x)
        d = tet_gradient(tet, direction)
        if wp.determinant(f) < COLLAPSED:
            collapsed += 1
        total += volume_slope(f, d, excess_volume(tet, f, elements), tet.bulk)
        total[0] += tet.shear * wp.ddot(d, d)
    place = chunks.offset + chunk
    sums.slope[place] = total
    sums.collapsed[place] = collapsed
    sums.count[place] = chunks.start[chunk + 1] - chunks.start[chunk]


@wp.func
def stressed(k: wp.vec4, strain: wp.vec3):
    """∂ψ/∂(G₁₁, G₂₂, G₁₂)."""
    return wp.vec3(
        k[0] * strain[0] + k[2] * strain[1],
        k[1] * strain[1] + k[2] * strain[0],
        4.0 * k[3] * strain[2],
    )


@wp.kernel
def triangle_slopes(
    first: int,
    chunks: Chunks,
    triangles: wp.array[CoarseTriangle],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """The same of StVK triangles: the strain is G + α G' + α² G''."""
    chunk = first + wp.tid()
    total = vec5()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        t = triangles[e]
        d_b = x[t.corners[1]] - x[t.corners[0]]
        d_c = x[t.corners[2]] - x[t.corners[0]]
        e_b = direction[t.corners[1]] - direction[t.corners[0]]
        e_c = direction[t.corners[2]] - direction[t.corners[0]]
        f_1, f_2 = deformation_columns(t.gradient_b, t.gradient_c, d_b, d_c)
        e_1, e_2 = deformation_columns(t.gradient_b, t.gradient_c, e_b, e_c)
        s_0 = green_strain(f_1, f_2) - elements.triangle_rest[t.record]
        s_1 = wp.vec3(
            wp.dot(f_1, e_1), wp.dot(f_2, e_2), 0.5 * (wp.dot(f_1, e_2) + wp.dot(f_2, e_1))
        )
        s_2 = 0.5 * wp.vec3(wp.dot(e_1, e_1), wp.dot(e_2, e_2), wp.dot(e_1, e_2))
        k_1 = stressed(t.stiffness, s_1)
        k_2 = stressed(t.stiffness, s_2)
        total[0] += wp.dot(s_1, k_1) + 2.0 * wp.dot(s_0, k_2)
        total[1] += 3.0 * wp.dot(s_1, k_2)
        total[2] += 2.0 * wp.dot(s_2, k_2)
    sums.slope[chunks.offset + chunk] = total


@wp.func
def angle_slope(x: wp.array[wp.vec3], d: wp.array[wp.vec3], v: wp.vec4i, part: float):
    """(θ', θ) of a hinge at x + part · d."""
    base = x[v[0]] + part * d[v[0]]
    e = x[v[1]] + part * d[v[1]] - base
    r = x[v[2]] + part * d[v[2]] - base
    s = x[v[3]] + part * d[v[3]] - base
    e_d = d[v[1]] - d[v[0]]
    r_d = d[v[2]] - d[v[0]]
    s_d = d[v[3]] - d[v[0]]
    g_r = wing_gradient(e, r)
    g_s = wing_gradient(-e, s - e)
    g_q = -(edge_end_gradient(e, r, s) + g_r + g_s)
    slope = wp.dot(g_q, e_d) + wp.dot(g_r, r_d) + wp.dot(g_s, s_d)
    return wp.vec2(slope, dihedral_angle(e, r, s))


@wp.kernel
def hinge_slopes(
    first: int,
    chunks: Chunks,
    hinges: wp.array[CoarseHinge],
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    elements: Elements,
    longest: float,
    # out
    sums: Sums,
):
    """The same of hinges: a parabola through the slopes at 0 and 1, with k θ'² as its rise at 0."""
    chunk = first + wp.tid()
    total = vec5()
    for h in range(chunks.start[chunk], chunks.start[chunk + 1]):
        hinge = hinges[h]
        rest = elements.hinge_rest[hinge.record]
        here = angle_slope(x, direction, hinge.corners, 0.0)
        there = angle_slope(x, direction, hinge.corners, 1.0)
        rise = here[0] * here[0]
        gain = angle_gap(there[1], rest) * there[0] - angle_gap(here[1], rest) * here[0]
        total[0] += hinge.stiffness * rise
        total[1] += hinge.stiffness * (gain - rise)
    sums.slope[chunks.offset + chunk] = total


@wp.func
def contact_slopes(
    i: int,
    x: wp.array[wp.vec3],
    d: wp.array[wp.vec3],
    longest: float,
    contacts: Contacts,
    law: ContactLaw,
):
    """Slopes at vertex i of its contacts at α = longest · 1/8, … 8/8, less the one at 0."""
    slopes = vec8()
    for q in range(contacts.start[i], contacts.end[i]):
        touch = contacts.touches[contacts.entry[q] / 4]
        weight = touch.weights[contacts.entry[q] % 4]
        gap = gap_of(touch, x, x[i])
        distance = wp.dot(touch.normal, gap)
        change = gap_of(touch, d, wp.vec3(0.0))
        closing = wp.dot(touch.normal, change)
        nearest = wp.min(distance, distance + longest * closing)
        if nearest < touch.radius or touch.leads != 0:
            begin = float(0.0)
            for n in range(SAMPLES + 1):
                part = longest * float(n) / float(SAMPLES)
                there = distance + part * closing
                force = wp.vec3(0.0)
                if touch.leads != 0:
                    force = (touch.stiffness * (touch.radius - there)) * touch.normal
                elif there < touch.radius:
                    force, _along, _drag = force_stiffness(
                        touch.normal,
                        there,
                        touch.radius,
                        gap - touch.start_gap + part * change,
                        touch.friction,
                        touch.stiffness,
                        law,
                    )
                slope = -weight * wp.dot(force, d[i])
                if n == 0:
                    begin = slope
                else:
                    slopes[n - 1] += slope - begin
    return slopes


@wp.func
def bound_slopes(
    i: int,
    x: wp.vec3,
    d: wp.vec3,
    x_start: wp.vec3,
    longest: float,
    bounds: Bounds,
    law: ContactLaw,
):
    """The same of the bounds of the world."""
    slopes = vec8()
    begin = float(0.0)
    for n in range(SAMPLES + 1):
        part = longest * float(n) / float(SAMPLES)
        force, _h, _count, _which, _margin = bounds_force_hessian(
            i, x + part * d, wp.vec3(0.0), x_start, bounds, law
        )
        slope = -wp.dot(force, d)
        if n == 0:
            begin = slope
        else:
            slopes[n - 1] = slope - begin
    return slopes


@wp.func
def attachment_rise(i: int, d: wp.array[wp.vec3], attachments: Attachments):
    """What the slope of the attachments of vertex i rises by per α."""
    rise = float(0.0)
    for q in range(attachments.start[i], attachments.start[i + 1]):
        row = attachments.rows[attachments.row[q]]
        change = split_scale(row, 0, gap(row, wp.vec3(0.0), d))
        rise += attachments.weight[q] * wp.dot(d[i], change)
    return rise


@wp.kernel
def member_slopes(
    first: int,
    x: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    force: wp.array[wp.vec3],
    inertia: wp.array[float],
    x_start: wp.array[wp.vec3],
    free: int,
    longest: float,
    attachments: Attachments,
    contacts: Contacts,
    bounds: Bounds,
    law: ContactLaw,
    # out
    members: Members,
):
    """Slope at 0, the parts of inertia and attachments, and contacts, of chunks of vertices."""
    chunk = first + wp.tid()
    total = wp.vec2d()
    samples = vec8()
    for q in range(members.start[chunk], members.start[chunk + 1]):
        i = members.vertex[q]
        d = direction[i]
        if i < free:
            rise = inertia[i] * wp.dot(d, d)
            if attachments.rows.shape[0] > 0:
                rise += attachment_rise(i, direction, attachments)
            total += wp.vec2d(-wp.float64(wp.dot(force[i], d)), wp.float64(rise))
        if contacts.start.shape[0] > 0:
            samples += contact_slopes(i, x, direction, longest, contacts, law)
        if bounds.kind.shape[0] > 0:
            samples += bound_slopes(i, x[i], d, x_start[i], longest, bounds, law)
    members.slope[chunk] = total
    members.samples[chunk] = samples


@wp.struct
class Slope:
    """φ'(α): a polynomial, and straight lines between samples."""

    polynomial: wp.types.vector(length=6, dtype=wp.float64)
    samples: vec8
    longest: float


@wp.func
def slope_at(slope: Slope, alpha: float):
    a = wp.float64(alpha)
    p = slope.polynomial
    value = p[0] + a * (p[1] + a * (p[2] + a * (p[3] + a * (p[4] + a * p[5]))))
    place = alpha / slope.longest * float(SAMPLES)
    n = wp.min(int(place), SAMPLES - 1)
    left = float(0.0)
    if n > 0:
        left = slope.samples[n - 1]
    return value + wp.float64(left + (place - float(n)) * (slope.samples[n] - left))


@wp.func
def first_minimum(slope: Slope):
    """The smallest α at which φ' stops being negative, or `longest`."""
    low = float(0.0)
    high = float(0.0)
    steps = int(4) * SAMPLES
    n = int(0)
    while n < steps:
        n += 1
        high = slope.longest * float(n) / float(steps)
        if not (slope_at(slope, high) < wp.float64(0.0)):
            break
        low = high
    if low < high:
        n = int(0)
        while n < 24:
            n += 1
            middle = 0.5 * (low + high)
            if slope_at(slope, middle) < wp.float64(0.0):
                low = middle
            else:
                high = middle
    return low


@wp.kernel
def choose_shares(
    longest: float,
    members: Members,
    sums: Sums,
    # in and out
    islands: Islands,
):
    """α of every party of islands; skipped where the tets have collapsed or nothing descends."""
    party = wp.tid()
    slope = Slope()
    slope.longest = longest
    collapsed = int(0)
    count = int(0)
    crowded = int(0)
    for place in range(islands.start[party], islands.start[party + 1]):
        k = islands.island[place]
        for chunk in range(islands.first_chunk[k], islands.first_chunk[k + 1]):
            slope.polynomial[0] += members.slope[chunk][0]
            slope.polynomial[1] += members.slope[chunk][1]
            slope.samples += members.samples[chunk]
        collapsed = int(0)
        count = int(0)
        for q in range(sums.start[k], sums.start[k + 1]):
            chunk = sums.chunk[q]
            for n in range(5):
                slope.polynomial[n + 1] += wp.float64(sums.slope[chunk][n])
            slope.samples += sums.samples[chunk]
            collapsed += sums.collapsed[chunk]
            count += sums.count[chunk]
        if float(collapsed) > MOST_COLLAPSED * float(count):
            crowded = 1
    share = float(0.0)
    if crowded == 0 and slope.polynomial[0] < wp.float64(0.0):
        share = first_minimum(slope)
    for place in range(islands.start[party], islands.start[party + 1]):
        k = islands.island[place]
        islands.share[k] = share
        islands.crowded[k] = crowded
        if share == 0.0:
            islands.skipped[k] = islands.skipped[k] + 1


@wp.kernel
def move(
    first: int,
    before: wp.array[wp.vec3],
    direction: wp.array[wp.vec3],
    members: Members,
    island: wp.array[int],
    islands: Islands,
    relaxation: wp.array[float],
    # out
    x: wp.array[wp.vec3],
    relaxed: wp.array[float],
):
    """x + α d of the vertices of aggregates; `island` [vertex].

    `relaxed` is the relaxation of the next sweep: none where tets have collapsed.
    """
    i = members.vertex[first + wp.tid()]
    k = island[i]
    share = islands.share[k]
    x[i] = before[i]
    if share > 0.0:
        x[i] = before[i] + share * direction[i]
    if i < relaxed.shape[0]:
        relaxed[i] = wp.where(islands.crowded[k] != 0, 1.0, relaxation[i])
