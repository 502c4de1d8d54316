# SPDX-License-Identifier: GPL-3.0-or-later
"""Attached vertices and embedded points of surfaces: what is attached there is no contact."""

import numpy as np

from ..topology.graphs import connected_components
from ..topology.near_points import near_places

# Points nearer to an attached place than this fraction of their body are at it.
SAME = 1e-5


def joined_for_contact(assembly, points, body, hidden):
    """Number what attachments hold together at the surfaces, int64 [vertex]; what is not attached
    has a number of its own.

    A row between bodies joins its corners, and the embedded points where it holds its bodies, but
    not `hidden` corners [vertex of a body]: they carry all points around, and would join all that
    is attached to these. `points` are the `EmbeddedPoints`, not drawn in, the last of the vertices,
    which belong to the bodies with the numbers `body` [vertex].
    """
    rows, count = assembly.attachments, len(body)
    of_row = np.flatnonzero(~rows.to_space() & ~rows.bonds)
    row, slot = np.nonzero(~hidden[rows.corners[of_row]])
    ends = [np.stack([count + of_row[row], rows.corners[of_row[row], slot]], axis=1)]
    places = points.of(assembly.points) + points.offset
    first = count - len(points)
    order = np.argsort(points.body, kind="stable")
    for number, row, at in _holds(assembly, body):
        own = order[slice(*np.searchsorted(points.body[order], [number, number + 1]))]
        if len(own):
            reach = SAME * np.linalg.norm(np.ptp(places[own], axis=0))
            near, place = near_places(places[own], at, reach).T
            ends.append(np.stack([count + row[place], first + own[near]], axis=1))
    return connected_components(np.concatenate(ends), count + len(rows.joint))[:count]


def _holds(assembly, body):
    """Yield by body where attachments hold it: its number, the rows between it and others, and its
    places in them [row, 3] in m. Rows of joints are left out: anchors are no places of surfaces.
    """
    rows = assembly.attachments
    used, of = rows.weights != 0.0, body[rows.corners]
    one = of == of[:, :1]
    is_joint = np.array([joint is not None for joint in rows.joint], dtype=bool)
    row = np.flatnonzero((~one & used).any(axis=1) & ~is_joint)
    found = []
    for side in (one[row], ~one[row]):
        weights = np.where(side, rows.weights[row], 0.0)
        weights = weights / weights.sum(axis=1, keepdims=True)
        at = np.einsum("rk,rki->ri", weights, assembly.points[rows.corners[row]])
        found.append((of[row, side.argmax(axis=1)], row, at))
    numbers, row, at = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(numbers, kind="stable")
    numbers, begin = np.unique(numbers[order], return_index=True)
    for number, mine in zip(numbers, np.split(order, begin)[1:], strict=True):
        yield number, row[mine], at[mine]
