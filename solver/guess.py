# SPDX-License-Identifier: GPL-3.0-or-later
"""The safeguard of the adaptive guess (kernels/guess.py): pieces of a scene, and launches."""

import numpy as np
import warp as wp

from .kernels import guess as kernels
from .order import connected

# A piece is added up in about as many chunks as each has vertices, but not in smaller ones.
SMALLEST_CHUNK = 64
# An iteration that would only go back to this part of its way stays where it is.
OVERSHOT = 0.98


def make_pieces(assembly, device):
    """`Pieces` of the free vertices: what elements and attachments join, held or free to move."""
    free, count = assembly.free_count, len(assembly.points)
    rows = assembly.attachments
    joints = assembly.tets, assembly.triangles, assembly.hinges, assembly.springs, rows
    pairs = [joint.corners[:, [0, k]] for joint in joints for k in range(1, joint.corners.shape[1])]
    piece = connected(np.concatenate(pairs), count)
    to_space = rows.corners[~rows.weights[:, 1:].any(axis=1), 0]
    held = np.zeros(count, dtype=bool)
    held[piece[free:]] = True
    held[piece[to_space]] = True
    of = piece[:free]
    names, of, sizes = np.unique(of, return_inverse=True, return_counts=True)
    chunk_sizes = np.maximum(np.sqrt(sizes).astype(int), SMALLEST_CHUNK)
    chunks = -(-sizes // chunk_sizes)
    first = np.concatenate([[0], np.cumsum(chunks)])
    within = np.arange(first[-1]) - np.repeat(first[:-1], chunks)
    begin = np.repeat(np.cumsum(sizes) - sizes, chunks) + within * np.repeat(chunk_sizes, chunks)
    pieces = kernels.Pieces()
    for name, values in (
        ("vertex", np.argsort(of, kind="stable")),
        ("chunk_start", np.append(begin, free)),
        ("first_chunk", first),
        ("held", held[names]),
        ("of", of),
    ):
        setattr(pieces, name, wp.array(values.astype(np.int32), dtype=int, device=device))
    for name, dtype in (
        ("weight", wp.float64),
        ("center", wp.vec3d),
        ("motion", wp.vec3d),
        ("push", wp.vec3d),
        ("spin", wp.vec3d),
        ("spread", wp.mat33d),
        ("slope", wp.vec2d),
    ):
        setattr(pieces, name, wp.zeros(int(first[-1]), dtype=dtype, device=device))
    for name, dtype in (("turn", wp.mat33d), ("shift", wp.vec3d), ("share", float)):
        setattr(pieces, name, wp.zeros(len(names), dtype=dtype, device=device))
    return pieces


def guard_launches(model, settings, places, record, record_range):
    """Lists of launches, to be run one after the other, that draw the guess in `model.x` back.

    `places` is `model.x`, or the places to be truncated first. `record(kernel, count, inputs,
    outputs)` makes a launch over all items, `record_range` those over a range of vertices.
    """
    pieces = make_pieces(model.assembly, model.device)
    piece_count, chunk_count = len(pieces.held), len(pieces.weight)
    slope = wp.zeros(model.free_count, dtype=wp.vec2, device=model.device)
    gravity, h = wp.vec3(*settings.gravity), settings.step_time
    state = [model.x_start, model.velocity, model.acceleration, model.objective.inertia]
    slopes = [model.x, model.acceleration, gravity, h, model.objective, pieces]
    return [
        [record(kernels.add_moments, chunk_count, [*state, pieces], []).launch],
        [record(kernels.find_rigid_motion, piece_count, [gravity, h, pieces], []).launch],
        record_range(model.kernels.slopes, (0, model.free_count), slopes, [slope]),
        [record(kernels.add_slopes, chunk_count, [slope, pieces], []).launch],
        [record(kernels.find_shares, piece_count, [1.0, pieces], []).launch],
        [
            record(
                kernels.draw_back, model.free_count, [model.x_start, pieces, model.x], [places]
            ).launch
        ],
    ]


def last_guard(model, residual, settings, record):
    """Lists of launches that draw the end of the last iteration back, where it overshot.

    The same along the same way, but with the forces at both of its ends, and only where α is below
    OVERSHOT: a little less would drag all motion, and does not gain energy either.
    """
    pieces = make_pieces(model.assembly, model.device)
    free, gravity, h = model.free_count, wp.vec3(*settings.gravity), settings.step_time
    end = wp.zeros(free, dtype=wp.vec3, device=model.device)
    force = wp.zeros_like(end)
    slope = wp.zeros(free, dtype=wp.vec2, device=model.device)
    state = [model.x_start, model.velocity, model.acceleration, model.objective.inertia]
    return [
        [record(kernels.add_moments, len(pieces.weight), [*state, pieces], []).launch],
        [record(kernels.find_rigid_motion, len(pieces.held), [gravity, h, pieces], []).launch],
        [residual.find_forces],
        [
            record(
                kernels.step_aside,
                free,
                [model.x_start, pieces, residual.force],
                [model.x, end, force],
            ).launch
        ],
        [residual.find_forces],
        [record(kernels.find_slopes, free, [model.x, end, residual.force, force], [slope]).launch],
        [record(kernels.add_slopes, len(pieces.weight), [slope, pieces], []).launch],
        [record(kernels.find_shares, len(pieces.held), [OVERSHOT, pieces], []).launch],
        [record(kernels.draw_back, free, [model.x_start, pieces, end], [model.x]).launch],
    ]
