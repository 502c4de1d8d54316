# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components of elements and attachments, and the mass that hangs on each attachment."""

from collections import defaultdict

import numpy as np

from ..topology.graphs import connected_components


def _pairs(corners):
    """Return edges [edge, 2] from the first corner of each element or attachment to its others."""
    pairs = (each[:, [0, k]] for each in corners for k in range(1, each.shape[1]))
    return np.concatenate([np.zeros((0, 2), dtype=np.int64), *pairs])


def component_of(assembly):
    """Return the number [vertex] of the component of each vertex: that of its first vertex."""
    pairs = _pairs([*assembly.corners(), assembly.attachments.corners])
    return connected_components(pairs, len(assembly.points))


def hanging_mass(assembly):
    """Return the mass [row, kg] whose motion relative to the rest each attachment has to follow.

    Elements connect vertices to components, which attachments join. A branch connected to the rest
    by one joint hangs on it, or else the rest does, if it is not held and has less mass. On joints
    to held components may hang all free components connected to them; on those within a free ring,
    the lighter component. Nothing hangs on an attachment within one component.
    """
    rows, count = assembly.attachments, len(assembly.points)
    if not len(rows.corners):
        return np.zeros(0)
    component = connected_components(_pairs(assembly.corners()), count)
    is_free = np.arange(count) < assembly.free_count
    held = np.bincount(component, ~is_free, count) > 0
    mass = np.where(held, 0.0, np.bincount(component, assembly.mass * is_free, count))
    ends = component[rows.corners]
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
    lighter = np.where(held, np.inf, mass)[joints].min(axis=1)
    inner = np.where(held[joints[:, 0]], group[joints[:, 1]], group[joints[:, 0]])
    hanging = np.where(is_hung[inner], total[inner], lighter)
    hanging[~np.isfinite(hanging) | (joints[:, 0] == joints[:, 1])] = 0.0
    _strip_ends(joints, held, mass, total[group], is_hung[group], hanging)
    return hanging[joint_of.ravel()]


def _strip_ends(joints, held, mass, total, is_hung, hanging):
    """Set `hanging` [joint] where a free component is connected to the rest by a single joint; its
    mass is then added to its neighbor, and so on along the branch.
    """
    joints_of, mass = defaultdict(set), mass.copy()
    for number, (one, other) in enumerate(joints.tolist()):
        if one != other:
            joints_of[one].add(number)
            joints_of[other].add(number)
    ends = [p for p, its_joints in joints_of.items() if len(its_joints) == 1 and not held[p]]
    while ends:
        end = ends.pop()
        if len(joints_of[end]) != 1:
            continue
        number = joints_of[end].pop()
        rest = int(joints[number].sum()) - end
        joints_of[rest].discard(number)
        own = mass[end]
        hanging[number] = own if is_hung[end] else min(own, total[end] - own)
        mass[rest] += own
        if len(joints_of[rest]) == 1 and not held[rest]:
            ends.append(rest)
