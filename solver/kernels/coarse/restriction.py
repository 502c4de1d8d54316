# SPDX-License-Identifier: GPL-3.0-or-later
"""Pᵀf: the forces on the modes of the aggregates, summed up element by element.

An element pulls on the modes of an aggregate with Σ p_a f_aᵀ over its corners a there, f = −∂E/∂x.
The elements of a chunk that one aggregate has all corners of are summed up at once; for tets that
is −S Pᵀ with the sum P of their stresses and the slope S of the modes, which is the same for all.
What several aggregates share leaves its forces corner by corner, to be summed up like those on
vertices: inertia, loads, attachments, contacts, bounds.
"""

import warp as wp

from ..elements.continua import cofactor
from ..elements.hinges import angle_gap, dihedral_angle, edge_end_gradient, wing_gradient
from ..elements.records import Elements
from ..elements.triangles import deformation_columns, green_strain, membrane_stress
from ..options import QUICK
from .matrix import (
    Chunks,
    CoarseHinge,
    CoarseTet,
    CoarseTriangle,
    Patches,
    mat43,
    rest_volume,
    tet_gradient,
)

wp.set_module_options(QUICK)


@wp.struct
class Pulls:
    """Forces, and sums of p fᵀ: first those over lists of forces, then those over elements."""

    force: wp.array[wp.vec3]  # [N] on vertices, then on corners of shared elements
    place: wp.array[int]  # places in `force`, aggregate by aggregate
    vertex: wp.array[int]  # and the vertices that the modes are those of
    start: wp.array[int]  # [chunk of these lists + 1]
    sums: wp.array[mat43]  # those over shared elements are not of one aggregate, and not used
    elements: int  # where the sums over elements begin
    first: wp.array[int]  # [aggregate + 1] places in `part`
    part: wp.array[int]  # places in `sums`


@wp.func
def sum_place(chunk: int, chunks: Chunks, pulls: Pulls):
    return pulls.elements + chunks.offset + chunk


@wp.func
def corner_place(chunk: int, element: int, corners: int, chunks: Chunks):
    """Where the forces on the corners of an element go, or a negative number."""
    place = chunks.corner[chunk]
    if place >= 0:
        place += corners * (element - chunks.start[chunk])
    return place


@wp.func
def put_tet_forces(stress: wp.mat33, gradients: wp.mat33, place: int, pulls: Pulls):
    """Forces on the corners of a tet, V₀ ∂ψ/∂F = `stress` [J], unless `place` is negative."""
    if place >= 0:
        f_1 = -(stress * gradients[0])
        f_2 = -(stress * gradients[1])
        f_3 = -(stress * gradients[2])
        pulls.force[place] = -(f_1 + f_2 + f_3)
        pulls.force[place + 1] = f_1
        pulls.force[place + 2] = f_2
        pulls.force[place + 3] = f_3


@wp.func
def pull_of_stress(v: int, stress: wp.mat33, patches: Patches):
    """−S Pᵀ in the aggregate of vertex v; zero when it is in none."""
    pull = mat43()
    k = patches.of[v]
    if k >= 0:
        pull = -(patches.slope[k] * wp.transpose(stress))
    return pull


@wp.func
def pull_at(v: int, force: wp.vec3, patches: Patches):
    """p fᵀ of a force on vertex v."""
    return wp.outer(patches.modes[v], force)


@wp.kernel
def tet_forces(
    first: int,
    chunks: Chunks,
    tets: wp.array[CoarseTet],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """Forces of the tets of a chunk."""
    chunk = first + wp.tid()
    begin = chunks.start[chunk]
    total = wp.mat33(0.0)
    for e in range(begin, chunks.start[chunk + 1]):
        tet = tets[e]
        f = tet_gradient(tet, x)
        volume = wp.determinant(f) - rest_volume(tet, elements)
        stress = tet.shear * f + (tet.bulk * volume) * cofactor(f)
        put_tet_forces(stress, tet.gradients, corner_place(chunk, e, 4, chunks), pulls)
        total += stress
    pull = pull_of_stress(tets[begin].corners[0], total, patches)
    pulls.sums[sum_place(chunk, chunks, pulls)] = pull


@wp.func
def triangle_forces_from(g_b: wp.vec2, g_c: wp.vec2, p_1: wp.vec3, p_2: wp.vec3):
    """Forces on corners 1 and 2 of a triangle whose stress times its area is (p_1, p_2) [J]."""
    f_b = -(g_b[0] * p_1 + g_b[1] * p_2)
    f_c = -(g_c[0] * p_1 + g_c[1] * p_2)
    return f_b, f_c


@wp.func
def pull_triangle(
    v: wp.vec3i, f_b: wp.vec3, f_c: wp.vec3, place: int, patches: Patches, pulls: Pulls
):
    """Σ p fᵀ of a triangle; its forces are put down unless `place` is negative."""
    f_a = -(f_b + f_c)
    if place >= 0:
        pulls.force[place] = f_a
        pulls.force[place + 1] = f_b
        pulls.force[place + 2] = f_c
    return pull_at(v[0], f_a, patches) + pull_at(v[1], f_b, patches) + pull_at(v[2], f_c, patches)


@wp.kernel
def triangle_forces(
    first: int,
    chunks: Chunks,
    triangles: wp.array[CoarseTriangle],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """The same of StVK triangles."""
    chunk = first + wp.tid()
    total = mat43()
    for e in range(chunks.start[chunk], chunks.start[chunk + 1]):
        t = triangles[e]
        v = t.corners
        base = x[v[0]]
        f_1, f_2 = deformation_columns(t.gradient_b, t.gradient_c, x[v[1]] - base, x[v[2]] - base)
        strain = green_strain(f_1, f_2) - elements.triangle_rest[t.record]
        s = membrane_stress(t.stiffness, strain)
        f_b, f_c = triangle_forces_from(
            t.gradient_b, t.gradient_c, s[0] * f_1 + s[2] * f_2, s[2] * f_1 + s[1] * f_2
        )
        total += pull_triangle(v, f_b, f_c, corner_place(chunk, e, 3, chunks), patches, pulls)
    pulls.sums[sum_place(chunk, chunks, pulls)] = total


@wp.kernel
def hinge_forces(
    first: int,
    chunks: Chunks,
    hinges: wp.array[CoarseHinge],
    x: wp.array[wp.vec3],
    elements: Elements,
    patches: Patches,
    # out
    pulls: Pulls,
):
    """The same of hinges."""
    chunk = first + wp.tid()
    total = mat43()
    for index in range(chunks.start[chunk], chunks.start[chunk + 1]):
        hinge = hinges[index]
        v = hinge.corners
        base = x[v[0]]
        e = x[v[1]] - base
        r = x[v[2]] - base
        s = x[v[3]] - base
        gap = angle_gap(dihedral_angle(e, r, s), elements.hinge_rest[hinge.record])
        push = -hinge.stiffness * gap
        f_p = push * edge_end_gradient(e, r, s)
        f_r = push * wing_gradient(e, r)
        f_s = push * wing_gradient(-e, s - e)
        f_q = -(f_p + f_r + f_s)
        place = corner_place(chunk, index, 4, chunks)
        if place >= 0:
            pulls.force[place] = f_p
            pulls.force[place + 1] = f_q
            pulls.force[place + 2] = f_r
            pulls.force[place + 3] = f_s
        total += pull_at(v[0], f_p, patches) + pull_at(v[1], f_q, patches)
        total += pull_at(v[2], f_r, patches) + pull_at(v[3], f_s, patches)
    pulls.sums[sum_place(chunk, chunks, pulls)] = total


@wp.kernel
def sum_forces(
    first: int,
    patches: Patches,
    # in and out
    pulls: Pulls,
):
    """Σ p fᵀ of a chunk of the lists of forces."""
    chunk = first + wp.tid()
    total = mat43()
    for q in range(pulls.start[chunk], pulls.start[chunk + 1]):
        total += pull_at(pulls.vertex[q], pulls.force[pulls.place[q]], patches)
    pulls.sums[chunk] = total


@wp.kernel
def restrict(
    patches: Patches,
    pulls: Pulls,
    # out
    right: wp.array[wp.float64],
):
    """Pᵀf of every aggregate, turned back to where it was when the matrix was put together."""
    k = wp.tid()
    back = wp.transpose(patches.turn[k])
    for m in range(patches.mode_count[k]):
        force = wp.vec3d()
        for q in range(pulls.first[k], pulls.first[k + 1]):
            row = pulls.sums[pulls.part[q]][m]
            force += wp.vec3d(wp.float64(row[0]), wp.float64(row[1]), wp.float64(row[2]))
        turned = back * wp.vec3(float(force[0]), float(force[1]), float(force[2]))
        for i in range(3):
            right[patches.first[k] + 3 * m + i] = wp.float64(turned[i])
