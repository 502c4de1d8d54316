# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements in the order in which the coarse correction adds them up (layout: kernels/coarse.py)."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..elements import records
from ..kernels.coarse import materials as coarse_materials
from ..kernels.coarse import matrix as coarse
from ..kernels.coarse import springs as spring_kernels
from ..kernels.coarse import step as coarse_step

# Elements and vertices whose sums one thread makes.
CHUNK = {"cpu": 256, "cuda": 16}


def chunk_size(device):
    return CHUNK["cpu" if device.is_cpu else "cuda"]


@dataclass
class Kind:
    """The elements of one kind, sorted by island and by the aggregates of their corners.

    `corners` [element, n]; `start` [chunk + 1]; `slots` [chunk, 4] the aggregates of each chunk, -1
    behind the last; `whole` [chunk] whether all corners are in the first one; `island` [chunk].
    """

    name: str
    data: wp.array
    corners: np.ndarray
    start: np.ndarray
    slots: np.ndarray
    whole: np.ndarray
    island: np.ndarray


def chunked(name, corners, columns, struct, aggregates, model):
    """A `Kind` of elements with `corners` [element, n] and the `columns` of their struct."""
    of = aggregates.of[corners]
    touched = (of >= 0).any(axis=1)
    corners, of = corners[touched], of[touched]
    slots = -np.sort(-of, axis=1)
    slots[:, 1:][slots[:, 1:] == slots[:, :-1]] = -1
    slots = -np.sort(-slots, axis=1)
    slots = np.pad(slots, ((0, 0), (0, 4 - slots.shape[1])), constant_values=-1)
    whole = (of == of[:, :1]).all(axis=1)
    island = aggregates.island[slots[:, 0]]
    order = np.lexsort((whole, *slots.T[::-1], island))
    slots, whole, island = slots[order], whole[order], island[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (slots[1:] != slots[:-1]).any(axis=1) | (whole[1:] != whole[:-1])
    run = np.flatnonzero(new)
    within = np.arange(len(order)) - np.repeat(run, np.diff(np.append(run, len(order))))
    begin = np.flatnonzero(within % chunk_size(model.device) == 0)
    data = np.zeros(len(order), dtype=struct.numpy_dtype())
    data["corners"] = corners[order]
    for column, values in columns.items():
        data[column] = values[touched][order]
    return Kind(
        name,
        model.upload(data, struct),
        corners[order],
        np.append(begin, len(order)),
        slots[begin],
        whole[begin],
        island[begin],
    )


def moving_records(corners, place, model):
    """Of every element the record [element] of a free corner: damping moves no others' values."""
    free = np.argmax(corners < model.free_count, axis=1)
    return place[np.arange(len(place)), free]


def coarse_tets(model, aggregates):
    """Tets of the reduced neo-Hookean form, and the viscosity of volume of all others."""
    tets, place = model.assembly.tets, model.record_place["tet"]
    reduced = tets.model == records.REDUCED
    tets = tets[reduced | (tets.damping_time * tets.lame_lam > 0.0)]
    volumes, gradients = records.tet_gradients(model.assembly.rest_points, tets.corners)
    first = moving_records(tets.corners, place, model)
    stiffness = model.elements.tets.numpy()["volume_stiffness"][first].astype(float)
    rest = model.elements.tet_rest.numpy()[first] / (6.0 * volumes)
    moving = tets.damping_time > 0.0
    columns = {
        "gradients": gradients[:, 1:],
        "shear": np.where(tets.model == records.REDUCED, tets.mu, 0.0) * volumes,
        "bulk": 36.0 * volumes**2 * stiffness,
        "rest": rest,
        "per_rest": np.where(moving, 1.0 / (6.0 * volumes), 0.0),
        "record": first,
    }
    return chunked("tet", tets.corners, columns, coarse.CoarseTet, aggregates, model)


def coarse_continua(model, aggregates):
    """Tets of other materials: neo-Hookean with the same Lamé constants, μ and λ_L + μ."""
    tets, place = model.assembly.tets, model.record_place["continuum"]
    tets = tets[tets.model != records.REDUCED]
    volumes, gradients = records.tet_gradients(model.assembly.rest_points, tets.corners)
    lam = tets.lame_lam + tets.lame_mu
    columns = {
        "gradients": gradients[:, 1:],
        "shear": tets.lame_mu * volumes,
        "bulk": lam * volumes,
        "rest": 1.0 + tets.lame_mu / lam,
        "record": moving_records(tets.corners, place, model),
    }
    return chunked("continuum", tets.corners, columns, coarse.CoarseTet, aggregates, model)


def coarse_viscosity(model, aggregates):
    """The viscosity of shear of damped tets."""
    tets, place = model.assembly.tets, model.record_place["viscous"]
    tets = tets[tets.damping_time > 0.0]
    first = moving_records(tets.corners, place, model)
    _, gradients = records.tet_gradients(model.assembly.rest_points, tets.corners)
    columns = {
        "gradients": gradients[:, 1:],
        "viscosity": model.elements.viscous.numpy()["viscosity"][first],
        "record": first,
    }
    struct = coarse_materials.CoarseViscosity
    return chunked("viscous", tets.corners, columns, struct, aggregates, model)


def triangle_columns(triangles, stiffness, first, stable):
    return {
        "gradient_b": triangles.inverse[:, 0],
        "gradient_c": triangles.inverse[:, 1],
        "stiffness": stiffness,
        "record": first,
        "stable": np.full(len(first), stable),
    }


def coarse_triangles(model, aggregates):
    """StVK triangles, and the viscosity of all others."""
    triangles, place = model.assembly.triangles, model.record_place["triangle"]
    triangles = triangles[~triangles.stable | (triangles.damping_time > 0.0)]
    first = moving_records(triangles.corners, place, model)
    stiffness = model.elements.triangles.numpy()["stiffness"][first]
    columns = triangle_columns(triangles, stiffness, first, 0)
    return chunked("triangle", triangles.corners, columns, coarse.CoarseTriangle, aggregates, model)


def coarse_stable_triangles(model, aggregates):
    """Neo-Hookean triangles."""
    triangles, place = model.assembly.triangles, model.record_place["stable_triangle"]
    triangles = triangles[triangles.stable]
    stiffness = triangles.stiffness * triangles.area[:, None]
    first = moving_records(triangles.corners, place, model)
    columns = triangle_columns(triangles, stiffness, first, 1)
    return chunked(
        "stable_triangle", triangles.corners, columns, coarse.CoarseTriangle, aggregates, model
    )


def coarse_hinges(model, aggregates):
    """Hinges, viscosity folded in."""
    hinges, place = model.assembly.hinges, model.record_place["hinge"]
    first = moving_records(hinges.corners, place, model)
    columns = {"stiffness": model.elements.hinges.numpy()["stiffness"][first], "record": first}
    return chunked("hinge", hinges.corners, columns, coarse.CoarseHinge, aggregates, model)


def coarse_springs(model, aggregates):
    """Springs, with the stiffness that their multipliers leave to them."""
    springs = model.assembly.springs
    first = moving_records(springs.corners, model.record_place["spring"], model)
    columns = {"stiffness": model.elements.springs.numpy()["stiffness"][first], "record": first}
    struct = spring_kernels.CoarseSpring
    return chunked("spring", springs.corners, columns, struct, aggregates, model)


def all_kinds(model, aggregates):
    """Every `Kind` that has elements."""
    made = (
        make(model, aggregates)
        for make in (
            coarse_tets,
            coarse_continua,
            coarse_viscosity,
            coarse_triangles,
            coarse_stable_triangles,
            coarse_hinges,
            coarse_springs,
        )
    )
    return [kind for kind in made if kind.start[-1]]


def matrix_entries(kinds):
    """What every chunk adds to the blocks of the matrix.

    Returns (chunk, row, column) [entry], per kind the ranges (whole, others) of its entries, and
    the blocks: their rows and columns [block] and their entries as `start` [block + 1], `entry`.
    """
    parts, ranges, first = [], {}, 0
    for kind in kinds:
        filled = (kind.slots >= 0).sum(axis=1)
        ranges[kind.name] = []
        for wanted in (kind.whole, ~kind.whole):
            chunk = np.flatnonzero(wanted)
            own = [
                np.stack([mine, kind.slots[mine, r], kind.slots[mine, c]], axis=1)
                for r in range(4)
                for c in range(r + 1)
                for mine in [chunk[filled[chunk] > r]]
            ]
            own = np.concatenate(own)
            ranges[kind.name].append((first, len(own)))
            first += len(own)
            parts.append(own)
    entries = np.concatenate(parts)
    blocks, block = np.unique(entries[:, 1:], axis=0, return_inverse=True)
    order = np.argsort(block.ravel(), kind="stable")
    start = np.searchsorted(block.ravel()[order], np.arange(len(blocks) + 1))
    return entries, ranges, (blocks, start, order)


def chunk_starts(sizes, device):
    """Chunks of a list of aggregates, `sizes` entries each: start [chunk + 1], first chunk
    [aggregate + 1].
    """
    size = chunk_size(device)
    chunks = -(-sizes // size)
    first = np.concatenate([[0], np.cumsum(chunks)])
    within = np.arange(first[-1]) - np.repeat(first[:-1], chunks)
    start = np.repeat(np.cumsum(sizes) - sizes, chunks) + size * within
    return np.append(start, sizes.sum()), first


def member_chunks(of, aggregates, model):
    """`Members`: the vertices of all aggregates, `of` [place] those of embedded points too."""
    members = coarse_step.Members()
    vertex = np.flatnonzero(of >= 0)
    vertex = vertex[np.argsort(of[vertex], kind="stable")]
    start, first = chunk_starts(np.bincount(of[vertex], minlength=len(aggregates)), model.device)
    members.vertex = model.upload(vertex.astype(np.int32), int)
    members.start = model.upload(start.astype(np.int32), int)
    members.first_chunk = model.upload(first.astype(np.int32), int)
    # Embedded points and duplicates of torn cloth follow; a sleeping one may be anywhere.
    own = vertex < len(aggregates.of)
    own[own] = model.assembly.parent[vertex[own]] == vertex[own]
    arms = np.zeros((len(vertex), 3))
    arms[own] = aggregates.modes[vertex[own], 1:]
    members.arm = model.upload(arms, wp.vec3)
    for name, dtype in (
        ("shape", wp.mat33),
        ("slope", wp.vec2d),
        ("samples", coarse_step.vec8),
    ):
        setattr(members, name, wp.zeros(len(start) - 1, dtype=dtype, device=model.device))
    return members, first
