# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments and the compliant augmented Lagrangian.

    E = ½ Cᵀ K C,  C = Σ_k w_k x_k − p,  K = k_τ I + (k_n − k_τ) n nᵀ      (PBNG 2023, eq. 22-23)

With a rest length L, C is replaced by its stretch C − L C/|C|: a spring, E = ½ k (|C| − L)².
A row much stiffer than its surroundings would make vertex-wise descent very slow. So it is split
per direction with a fixed penalty ρ: the sweeps use k_eff = kρ/(k + ρ) and the pull s λ,
s = k/(k + ρ); after every sweep λ ← s (λ + ρ C). At the fixed point λ = k C, the force of E.
"""

import warp as wp

from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# From this grip on a row holds like a pin, with this stiffness [N/m].
HARD = wp.constant(0.999)
HARD_STIFFNESS = wp.constant(1.0e8)
# Stands for no maximum force [N].
UNLIMITED = wp.constant(1.0e38)


@wp.struct
class AttachmentRow:
    """One weak constraint."""

    begin: int  # in `corner` and `share`
    end: int
    normal: wp.vec3
    along: wp.vec2  # (k_eff, s) along the normal [N/m, -]
    across: wp.vec2  # (k_eff, s) across it
    penalty: float  # ρ [N/m]
    strength: float  # [N]
    length: float  # L [m]
    most: float  # maximum force [N]


@wp.struct
class AttachmentLaw:
    """Parameters of the changes of a row from step to step."""

    stiffness: wp.vec2  # k_n, k_τ [N/m] with a full grip
    ratio: float  # damping time / h
    hard: wp.vec2  # least stiffness along and across [N/m] of a row that holds like a pin
    shrink: float  # decrease of L in a step [m]


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
def stretch(c: wp.vec3, length: float):
    """Stretch C − L C/|C| [m]."""
    total = c
    if length > 0.0:
        total -= length * wp.normalize(c)
    return total


@wp.func
def split_scale(row: AttachmentRow, k: int, v: wp.vec3):
    """v scaled by entry k of `along` along the normal and of `across` perpendicular to it."""
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
        across = w * w * row.across[0]
        along = w * w * (row.along[0] - row.across[0])
        normal = row.normal
        if row.length > 0.0:
            # Transverse stiffness as for springs (elements/springs.py).
            distance = wp.length(c)
            normal = wp.normalize(c)
            sideways = across * wp.min(wp.abs(1.0 - row.length / wp.max(distance, 1.0e-12)), 1.0)
            along = across - sideways
            across = sideways
            c -= row.length * normal
        pull = split_scale(row, 0, c) + attachments.pull[r]
        if row.most < UNLIMITED:
            # The force F C/|C| has a block of at most F/|C|.
            fraction = wp.min(row.most / wp.max(wp.length(pull), 1.0e-30), 1.0)
            pull *= fraction
            across *= fraction
            along *= fraction
        force -= w * pull
        hessian += wp.mat33(across, 0.0, 0.0, 0.0, across, 0.0, 0.0, 0.0, across)
        hessian += wp.outer(along * normal, normal)
    return force, hessian


@wp.func
def row_force_hessian(r: int, x: wp.array[wp.vec3], attachments: Attachments):
    """Return the force −∂E/∂C [N] of a row, and ∂²E/∂C² [N/m], without negative parts."""
    row = attachments.rows[r]
    c = gap(row, attachments.point[r], x, attachments)
    normal = row.normal
    across = row.across[0]
    along = row.along[0] - across
    if row.length > 0.0:
        distance = wp.length(c)
        normal = wp.normalize(c)
        sideways = across * wp.min(wp.abs(1.0 - row.length / wp.max(distance, 1.0e-12)), 1.0)
        along = across - sideways
        across = sideways
        c -= row.length * normal
    pull = split_scale(row, 0, c) + attachments.pull[r]
    fraction = float(1.0)
    if row.most < UNLIMITED:
        fraction = wp.min(row.most / wp.max(wp.length(pull), 1.0e-30), 1.0)
    h = wp.outer((fraction * along) * normal, normal)
    return -fraction * pull, h + (fraction * across) * wp.identity(n=3, dtype=float)


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
    c = stretch(gap(row, attachments.point[r], x, attachments), row.length)
    raised = split_scale(row, 1, multiplier[r] + row.penalty * c)
    raised *= wp.min(row.most / wp.max(wp.length(raised), 1.0e-30), 1.0)
    multiplier[r] = raised
    attachments.pull[r] = split_scale(row, 1, raised)


@wp.func
def row_force(r: int, x: wp.array[wp.vec3], attachments: Attachments):
    """Force [N] of a row, without the limit of its maximum force."""
    row = attachments.rows[r]
    c = stretch(gap(row, attachments.point[r], x, attachments), row.length)
    return split_scale(row, 0, c) + attachments.pull[r]


@wp.func
def release(r: int, attachments: Attachments, multiplier: wp.array[wp.vec3], broken: wp.array[int]):
    """Break a row."""
    row = attachments.rows[r]
    row.along = wp.vec2(0.0)
    row.across = wp.vec2(0.0)
    attachments.rows[r] = row
    attachments.pull[r] = wp.vec3(0.0)
    multiplier[r] = wp.vec3(0.0)
    broken[r] = 1


@wp.kernel
def break_rows(
    x: wp.array[wp.vec3],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
    broken: wp.array[int],
):
    """Release a row whose force exceeds its strength. One thread per row."""
    r = wp.tid()
    if broken[r] == 0:
        if wp.length(row_force(r, x, attachments)) > attachments.rows[r].strength:
            release(r, attachments, multiplier, broken)


@wp.func
def split_stiffness(stiffness: float, penalty: float):
    """(k_eff, s) of a stiffness k; ρ = 0 stands for no multiplier."""
    both = wp.vec2(stiffness, 0.0)
    if penalty > 0.0:
        both = wp.vec2(penalty, 1.0) * (stiffness / (stiffness + penalty))
    return both


@wp.kernel
def adapt_rows(
    x: wp.array[wp.vec3],
    at_end: wp.array[wp.vec3],
    grip_at_start: wp.array[float],
    grip_at_end: wp.array[float],
    fraction: wp.array[wp.float64],
    substeps: int,
    laws: wp.array[AttachmentLaw],
    broken: wp.array[int],
    # in and out
    attachments: Attachments,
    multiplier: wp.array[wp.vec3],
    length: wp.array[float],
    point_before: wp.array[wp.vec3],
):
    """Update the rows for this step; x [m] are the positions at its start. One thread per row.

    Grips are given at both ends of the frame; the step ends at `fraction` [1] of it. `length` is L
    without damping, `point_before` is p of the last step. Damping is that of elements: k (1 + κ)
    towards a rest value that follows the last stretch by κ/(1 + κ), with κ the `ratio`.
    """
    r = wp.tid()
    if broken[r] != 0:
        return
    law = laws[r]
    row = attachments.rows[r]
    over = float(fraction[0])
    point = attachments.point[r]
    stiffness = law.stiffness * wp.lerp(grip_at_start[r], grip_at_end[r], over)
    if grip_at_end[r] >= HARD:
        stiffness = wp.max(stiffness, law.hard)
        if grip_at_start[r] < HARD:
            step = 1.0 / float(substeps)
            here = gap(row, wp.vec3(0.0), x, attachments)
            point = wp.lerp(here, at_end[r], wp.min(step / (1.0 - over + step), 1.0))
    before = gap(row, point_before[r], x, attachments)
    point_before[r] = point

    last_length = length[r]
    rest = wp.max(last_length - law.shrink, 0.0)
    length[r] = rest
    follow = law.ratio / (1.0 + law.ratio)
    row.length = rest
    if rest > 0.0:
        row.length = wp.max(rest + follow * (wp.length(before) - last_length), 0.0)
        attachments.point[r] = point
    else:
        attachments.point[r] = point + follow * stretch(before, last_length)
    stiffness *= 1.0 + law.ratio
    row.along = split_stiffness(stiffness[0], row.penalty)
    row.across = split_stiffness(stiffness[1], row.penalty)
    attachments.rows[r] = row
    attachments.pull[r] = split_scale(row, 1, multiplier[r])


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
    """Raise multipliers of springs: the pull s λ is a rest length shorter by λ/ρ. One thread each.

    `constants` holds (ρ, s, β), with β the blend of the last length into a damped rest length
    (elements/rest_values.py); springs with ρ = 0 are unchanged. With `raise_by` 0 the multipliers
    are only applied.
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
