# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded measures of a trajectory, and the distance of another one from them."""

from pathlib import Path

import numpy as np

from vbd.solver.model.assembly import vertex_mass

FOLDER = Path(__file__).resolve().parent
# Every so many vertices, and at most so many frames, are recorded.
EVERY, FRAMES = 2, 6
# Before this frame, float32 positions of 1 m are coarse beside the displacements.
FIRST = 4


def file_name(scene):
    return "".join(c if c.isalnum() else "_" for c in scene.lower()) + ".npz"


def measured(scene, frames):
    """Arrays of measures of the `frames` of a scene, by name.

    `positions` [recorded frame, point, 3]: every second vertex of all bodies [m], relative to its
    start, in the frames `frames`, all before anything touches.

    In every frame: `motion` [frame], the largest displacement of a vertex by then [m]; `centers`
    [frame, body, 3], mean positions of the vertices [m]; `lowest` and `highest` [frame, body],
    their heights [m]; `momentum` [frame, 3] of everything, on average over the frame [kg m/s].
    `impact` is the first frame with contact.
    """
    start = [body.points for body in scene.deformable]
    masses = [vertex_mass(body) for body in scene.deformable]
    moved, heights, touched = [], [], []
    sums = [sum(m @ p for m, p in zip(masses, start, strict=True))]
    for frame in frames:
        now = frame.exact_positions
        moved.append(np.concatenate([a - b for a, b in zip(now, start, strict=True)]))
        heights.append([(*p.mean(axis=0), p[:, 2].min(), p[:, 2].max()) for p in now])
        sums.append(sum(m @ p for m, p in zip(masses, now, strict=True)))
        touched.append(frame.stats.contacts > 0)
    impact = touched.index(True) + 1 if any(touched) else len(moved) + 1
    kept = np.linspace(min(FIRST, impact - 1), impact - 1, FRAMES).round().astype(int)
    kept = np.unique(kept[kept > 0])
    heights = np.array(heights, dtype=np.float32)
    return {
        "frames": kept,
        "positions": np.array([moved[k - 1][::EVERY] for k in kept], dtype=np.float32),
        "motion": np.array([np.linalg.norm(m, axis=1).max() for m in moved]),
        "centers": heights[:, :, :3],
        "lowest": heights[:, :, 3],
        "highest": heights[:, :, 4],
        "momentum": np.diff(sums, axis=0) / scene.settings.frame_time,
        "impact": np.array(impact),
    }
