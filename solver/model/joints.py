# SPDX-License-Identifier: GPL-3.0-or-later
"""What elements and attachments join, and what hangs on each attachment."""

from collections import defaultdict

import numpy as np

from ..topology.graphs import connected_components


def _pairs(corners):
    """Edges from the first corner of everything to its others."""
    return [some[:, [0, k]] for some in corners for k in range(1, some.shape[1])]


def linkage_of(assembly):
    """The number [vertex] of the linkage that each vertex belongs to, that of its first vertex."""
    pairs = _pairs([*assembly.corners(), assembly.attachments.corners])
    return connected_components(np.concatenate(pairs), len(assembly.points))


def hanging_mass(assembly):
    """The mass [row, kg] whose motion against the rest each attachment has to follow.

    Elements make parts, attachments join these. What is joined to the rest by one part alone hangs
    on that joint, or else the rest on it, if nothing holds that and it has less mass. On joints
    between what is held may hang all that is joined without being held; within a free ring, the
    lighter part. Nothing hangs on what joins a part to itself.
    """
    rows, count = assembly.attachments, len(assembly.points)
    part = connected_components(np.concatenate(_pairs(assembly.corners())), count)
    is_free = np.arange(count) < assembly.free_count
    held = np.bincount(part, ~is_free, count) > 0
    mass = np.where(held, 0.0, np.bincount(part, assembly.mass * is_free, count))
    ends = part[rows.corners]
    ends = np.column_stack(
        [
            np.where(rows.weights != 0.0, ends, count).min(axis=1, initial=count),
            np.where(rows.weights != 0.0, ends, -1).max(axis=1, initial=-1),
        ]
    )
    joints, joint_of = np.unique(ends, axis=0, return_inverse=True)
    within = joints[~held[joints].any(axis=1)]
    group = connected_components(within, count)
    total = np.bincount(group, mass, count)
    is_hung = np.zeros(count, dtype=bool)
    to_held = joints[held[joints].any(axis=1)]
    is_hung[group[to_held[~held[to_held]]]] = True
    light = np.where(held, np.inf, mass)[joints].min(axis=1)
    inner = np.where(held[joints[:, 0]], group[joints[:, 1]], group[joints[:, 0]])
    hanging = np.where(is_hung[inner], total[inner], light)
    hanging[~np.isfinite(hanging) | (joints[:, 0] == joints[:, 1])] = 0.0
    _strip_ends(joints, held, mass, total[group], is_hung[group], hanging)
    return hanging[joint_of.ravel()]


def _strip_ends(joints, held, mass, total, is_hung, hanging):
    """Tell in `hanging` [joint] what hangs on joints by which a free part alone is joined to the
    rest; its mass is that part's of the rest from then on.
    """
    left, mass = defaultdict(set), mass.copy()
    for number, (one, other) in enumerate(joints.tolist()):
        if one != other:
            left[one].add(number)
            left[other].add(number)
    ends = [p for p, mine in left.items() if len(mine) == 1 and not held[p]]
    while ends:
        end = ends.pop()
        if len(left[end]) != 1:
            continue
        number = left[end].pop()
        rest = int(joints[number].sum()) - end
        left[rest].discard(number)
        own = mass[end]
        hanging[number] = own if is_hung[end] else min(own, total[end] - own)
        mass[rest] += own
        if len(left[rest]) == 1 and not held[rest]:
            ends.append(rest)
