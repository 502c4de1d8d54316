# SPDX-License-Identifier: GPL-3.0-or-later
"""The safeguard of the adaptive guess (kernels/guess.py): pieces of a scene, and launches."""

import numpy as np
import warp as wp

from ..device.threads import recorded_whole
from ..kernels import guess as kernels
from ..topology.graphs import connected_components

# A piece is added up in about as many chunks as each has vertices, but not in smaller ones.
SMALLEST_CHUNK = 64
# An iteration that would only go back to this part of its way stays where it is.
OVERSHOT = 0.98


def make_pieces(assembly, device):
    """`Pieces` of the free vertices: what elements and attachments join, held or free to move."""
    free, count = assembly.free_count, len(assembly.points)
    rows = assembly.attachments
    joints = [*assembly.corners(), rows.corners]
    pairs = [corners[:, [0, k]] for corners in joints for k in range(1, corners.shape[1])]
    piece = connected_components(np.concatenate(pairs), count)
    held = np.zeros(count, dtype=bool)
    held[piece[assembly.held_from_outside()]] = True
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


def first_guard(model, residual, settings):
    """Lists of launches, to be run one after the other, that draw the guess in `model.x` back."""
    pieces = make_pieces(model.assembly, model.device)
    objective, free = model.objective, model.free_count
    slope = wp.zeros(free, dtype=wp.vec2, device=model.device)
    gravity, h = model.gravity.on_device, settings.step_time
    places = [model.x, model.x_start, model.inertial, model.acceleration]
    inputs = [*places, objective.inertia, residual.force, gravity, h, pieces]
    return [
        *_rigid_motion(model, settings, pieces),
        [residual.find_forces],
        recorded_whole(model.device, kernels.find_guess_slopes, free, inputs, [slope]),
        *_way_back(model, pieces, slope, 1.0, model.x),
    ]


def _rigid_motion(model, settings, pieces):
    """Launches that find where each piece would be if it moved rigidly."""
    gravity, h = model.gravity.on_device, settings.step_time
    state = [model.x_start, model.velocity, model.acceleration, model.objective.inertia]
    return [
        recorded_whole(model.device, kernels.add_moments, len(pieces.weight), [*state, pieces], []),
        recorded_whole(
            model.device, kernels.find_rigid_motion, len(pieces.held), [gravity, h, pieces], []
        ),
    ]


def _way_back(model, pieces, slope, kept, end):
    """Launches that go back from `end` as far as the slopes ask for."""
    inputs = [model.x_start, pieces, end]
    return [
        recorded_whole(model.device, kernels.add_slopes, len(pieces.weight), [slope, pieces], []),
        recorded_whole(model.device, kernels.find_shares, len(pieces.held), [kept, pieces], []),
        recorded_whole(model.device, kernels.draw_back, model.free_count, inputs, [model.x]),
    ]


def last_guard(model, residual, settings):
    """Lists of launches that draw the end of the last iteration back, where it overshot.

    The same along the same way, but with the forces at both of its ends, and only where α is below
    OVERSHOT: a little less would drag all motion, and does not gain energy either.
    """
    pieces = make_pieces(model.assembly, model.device)
    free = model.free_count
    end = wp.zeros(free, dtype=wp.vec3, device=model.device)
    force = wp.zeros_like(end)
    slope = wp.zeros(free, dtype=wp.vec2, device=model.device)
    aside = [model.x_start, pieces, residual.force]
    ends = [model.x, end, residual.force, force]
    return [
        *_rigid_motion(model, settings, pieces),
        [residual.find_forces],
        recorded_whole(model.device, kernels.step_aside, free, aside, [model.x, end, force]),
        [residual.find_forces],
        recorded_whole(model.device, kernels.find_slopes, free, ends, [slope]),
        *_way_back(model, pieces, slope, OVERSHOT, end),
    ]
