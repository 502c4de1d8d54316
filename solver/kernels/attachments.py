# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments and the compliant augmented Lagrangian.

    E = ½ Cᵀ K C,  C = Σ_k w_k x_k − p,  K = k_τ I + (k_n − k_τ) n nᵀ      (PBNG 2023, eq. 22-23)

A row much stiffer than its surroundings would make vertex-wise descent crawl. Per direction it is
split with a fixed penalty ρ: the sweeps see k_eff = kρ/(k + ρ) and the pull s λ, s = k/(k + ρ);
after every sweep λ ← s (λ + ρ C). At the fixed point λ = k C, so the force is that of E.
"""

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)


@wp.struct
class AttachmentRow:
    """One weak constraint."""

    begin: int  # in `corner` and `share`
    end: int
    normal: wp.vec3
    along: wp.vec2  # (k_eff, s) along the normal [N/m, -]
    across: wp.vec2  # the same across it
    penalty: float  # ρ [N/m]
    strength: float  # [N]


@wp.struct
class Attachments:
    """Rows, and per vertex the rows it belongs to with its weight in each."""

    start: wp.array[int]
    row: wp.array[int]
    weight: wp.array[float]
    rows: wp.array[AttachmentRow]
    corner: wp.array[int]  # the vertices of each row, row by row
    share: wp.array[float]  # ∂C/∂x of each
    point: wp.array[wp.vec3]  # p [m]
    pull: wp.array[wp.vec3]  # s λ [N]


@wp.func
def gap(row: AttachmentRow, point: wp.vec3, x: wp.array[wp.vec3], attachments: Attachments):
    """C [m]."""
    total = wp.vec3(0.0)
    for k in range(row.begin, row.end):
        total += attachments.share[k] * x[attachments.corner[k]]
    return total - point


@wp.func
def split_scale(row: AttachmentRow, k: int, v: wp.vec3):
    """v scaled by entry k of `along` along the normal and of `across` across it."""
    return row.across[k] * v + ((row.along[k] - row.across[k]) * wp.dot(row.normal, v)) * row.normal


@wp.func
def attachments_force_hessian(i: int, x: wp.array[wp.vec3], attachments: Attachments):
    """Force [N] and Hessian block [N/m] of all attachments of vertex i."""
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for q in range(attachments.start[i], attachments.start[i + 1]):
        r = attachments.row[q]
        w = attachments.weight[q]
        row = attachments.rows[r]
        c = gap(row, attachments.point[r], x, attachments)
        force -= w * (split_scale(row, 0, c) + attachments.pull[r])
        across = w * w * row.across[0]
        along = w * w * (row.along[0] - row.across[0])
        hessian += wp.mat33(across, 0.0, 0.0, 0.0, across, 0.0, 0.0, 0.0, across)
        hessian += wp.outer(along * row.normal, row.normal)
    return force, hessian


@wp.kernel
def raise_multipliers(
    x: wp.array[wp.vec3],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
):
    """λ ← s (λ + ρ C) after a sweep. One thread per row."""
    r = wp.tid()
    row = attachments.rows[r]
    c = gap(row, attachments.point[r], x, attachments)
    raised = split_scale(row, 1, multiplier[r] + row.penalty * c)
    multiplier[r] = raised
    attachments.pull[r] = split_scale(row, 1, raised)


@wp.kernel
def break_rows(
    x: wp.array[wp.vec3],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
    broken: wp.array[int],
):
    """Let go of a row whose force exceeds its strength. One thread per row."""
    r = wp.tid()
    row = attachments.rows[r]
    c = gap(row, attachments.point[r], x, attachments)
    force = split_scale(row, 0, c) + attachments.pull[r]
    if broken[r] == 0 and wp.length(force) > row.strength:
        row.along = wp.vec2(0.0)
        row.across = wp.vec2(0.0)
        attachments.rows[r] = row
        attachments.pull[r] = wp.vec3(0.0)
        multiplier[r] = wp.vec3(0.0)
        broken[r] = 1


@wp.kernel
def raise_spring_multipliers(
    x: wp.array[wp.vec3],
    raise_by: int,
    ends: wp.array[wp.vec2i],
    rest: wp.array[float],
    constants: wp.array[wp.vec3],
    records: wp.array[wp.vec2i],
    x_start: wp.array[wp.vec3],
    # in and out
    multiplier: wp.array[float],
    # out
    spring_rest: wp.array[float],
):
    """The same for springs: the pull s λ is a rest length shorter by λ/ρ. One thread per spring.

    `constants` holds (ρ, s, β), β the blend of the last length into a damped rest length
    (elements/table.py); ρ = 0 leaves a spring alone. `raise_by` 0 only applies the multipliers.
    """
    k = wp.tid()
    penalty = constants[k][0]
    if penalty > 0.0:
        i = ends[k][0]
        j = ends[k][1]
        target = wp.lerp(rest[k], wp.length(x_start[j] - x_start[i]), constants[k][2])
        if raise_by != 0:
            length = wp.length(x[j] - x[i])
            multiplier[k] = constants[k][1] * (multiplier[k] + penalty * (length - target))
        shortened = target - multiplier[k] / penalty
        spring_rest[records[k][0]] = shortened
        spring_rest[records[k][1]] = shortened
