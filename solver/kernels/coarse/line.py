# SPDX-License-Identifier: GPL-3.0-or-later
"""How the energy changes along a coarse step.

Along the direction d the slope φ'(α) = ∂G/∂α of tets is a polynomial of degree 5 in α and that of
StVK triangles of degree 3; their coefficients are added up. Contacts act on one side only: their
slopes are sampled at equal distances, and taken as straight lines between. The slope at 0 of
contacts, inertia and all else that acts on vertices is −f·d.
"""

import warp as wp

from ..attachments import Attachments, gap, split_scale
from ..contact.analytic_colliders import ContactModel, collider_force_hessian
from ..contact.law import ContactLaw, force_stiffness
from ..contact.pair_forces import Contacts
from ..contact.pairs import gap_of
from ..elements.hinges import angle_gap, dihedral_angle, edge_end_gradient, wing_gradient
from ..elements.records import Elements, vec6
from ..elements.triangles import deformation_columns, green_strain, membrane_stress
from ..options import QUICK
from .matrix import Chunks, CoarseHinge, CoarseTet, CoarseTriangle, rest_volume, tet_gradient
from .step import SAMPLES, Members, vec8

wp.set_module_options(QUICK)

# Tets below this part of their volume have collapsed.
COLLAPSED = wp.constant(0.1)


@wp.struct
class Sums:
    """Slopes of the elements of every chunk, and the chunks of every island."""

    start: wp.array[int]  # [island + 1] places in `chunk`
    chunk: wp.array[int]
    slope: wp.array[vec6]  # [chunk] coefficients of 1, α … α⁵
    samples: wp.array[vec8]  # [chunk] what is no polynomial, the slope at 0 taken off
    collapsed: wp.array[int]
    count: wp.array[int]


@wp.func
def column(f: wp.mat33, m: int):
    return wp.vec3(f[0, m], f[1, m], f[2, m])


@wp.func
def volume_slope(f: wp.mat33, d: wp.mat33, rest: float, bulk: float):
    """Coefficients 1, α … α⁵ of the slope of λ/2 (J − α₀)² at F + α D; `rest` is α₀."""
    f_1 = column(f, 0)
    f_2 = column(f, 1)
    f_3 = column(f, 2)
    d_1 = column(d, 0)
    d_2 = column(d, 1)
    d_3 = column(d, 2)
    c_1 = wp.cross(f_2, f_3)
    j_0 = wp.dot(f_1, c_1) - rest
    j_1 = wp.dot(d_1, c_1) + wp.dot(d_2, wp.cross(f_3, f_1)) + wp.dot(d_3, wp.cross(f_1, f_2))
    e_1 = wp.cross(d_2, d_3)
    j_2 = wp.dot(f_1, e_1) + wp.dot(f_2, wp.cross(d_3, d_1)) + wp.dot(f_3, wp.cross(d_1, d_2))
    j_3 = wp.dot(d_1, e_1)
    b_1 = bulk * j_1
    b_2 = bulk * j_2
    b_3 = bulk * j_3
    return vec6(
        b_1 * j_0,
        b_1 * j_1 + 2.0 * b_2 * j_0,
        3.0 * (b_1 * j_2 + b_3 * j_0),
        2.0 * b_2 * j_2 + 4.0 * b_1 * j_3,
        5.0 * b_2 * j_3,
        3.0 * b_3 * j_3,
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
    total = vec6()
    collapsed = int(0)
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        tet = tets[e]
        f = tet_gradient(tet, x)
        d = tet_gradient(tet, direction)
        if wp.determinant(f) < COLLAPSED:
            collapsed += 1
        total += volume_slope(f, d, rest_volume(tet, elements), tet.bulk)
        total[0] += tet.shear * wp.ddot(f, d)
        total[1] += tet.shear * wp.ddot(d, d)
    place = chunks.offset + chunk
    sums.slope[place] = total
    sums.collapsed[place] = collapsed
    sums.count[place] = chunks.start[chunk + 1] - chunks.start[chunk]


@wp.func
def stressed(k: wp.vec4, strain: wp.vec3):
    """∂ψ/∂(G₁₁, G₂₂, G₁₂)."""
    s = membrane_stress(k, strain)
    return wp.vec3(s[0], s[1], 2.0 * s[2])


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
    total = vec6()
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
        total[0] += wp.dot(s_0, k_1)
        total[1] += wp.dot(s_1, k_1) + 2.0 * wp.dot(s_0, k_2)
        total[2] += 3.0 * wp.dot(s_1, k_2)
        total[3] += 2.0 * wp.dot(s_2, k_2)
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
    total = vec6()
    for h in range(chunks.start[chunk], chunks.start[chunk + 1]):
        hinge = hinges[h]
        rest = elements.hinge_rest[hinge.record]
        here = angle_slope(x, direction, hinge.corners, 0.0)
        there = angle_slope(x, direction, hinge.corners, 1.0)
        begin = angle_gap(here[1], rest) * here[0]
        rise = here[0] * here[0]
        gain = angle_gap(there[1], rest) * there[0] - begin
        total[0] += hinge.stiffness * begin
        total[1] += hinge.stiffness * rise
        total[2] += hinge.stiffness * (gain - rise)
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
        if nearest < touch.radius or touch.separates != 0:
            begin = float(0.0)
            for n in range(SAMPLES + 1):
                part = longest * float(n) / float(SAMPLES)
                there = distance + part * closing
                force = wp.vec3(0.0)
                if touch.separates != 0:
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
def collider_slopes(
    i: int,
    x: wp.vec3,
    d: wp.vec3,
    x_start: wp.vec3,
    longest: float,
    model: ContactModel,
):
    """The same of analytic colliders."""
    slopes = vec8()
    begin = float(0.0)
    for n in range(SAMPLES + 1):
        part = longest * float(n) / float(SAMPLES)
        force, _h, _count, _active_set, _margin = collider_force_hessian(
            i, x + part * d, wp.vec3(0.0), x_start, model
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
    contact_model: ContactModel,
    # out
    members: Members,
):
    """Slope at 0, its rise by inertia and attachments, and contacts, of chunks of vertices.

    `force` is that of everything but elements.
    """
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
            samples += contact_slopes(i, x, direction, longest, contacts, contact_model.law)
        if contact_model.colliders.kind.shape[0] > 0:
            samples += collider_slopes(i, x[i], d, x_start[i], longest, contact_model)
    members.slope[chunk] = total
    members.samples[chunk] = samples
