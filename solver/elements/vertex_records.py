# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of elements in vertex order (kernels/elements/table.py).

All arithmetic is float64; records are rounded once, at the end.
"""

from dataclasses import dataclass

import numpy as np

from ..kernels.device.lanes import WIDTH


@dataclass
class Records:
    """The records of one kind: `start` [vertex + 1], structured `data` and `rest` [record]."""

    start: np.ndarray
    data: np.ndarray
    rest: np.ndarray
    blend: np.ndarray
    """β of damping (kernels/elements/rest_values.py), [record]."""
    number: np.ndarray
    """Index of the record of every element and corner, [element, corner]."""
    diagonal: np.ndarray | None = None
    """Constant term of the blocks [N/m], [vertex]."""


def damped(stiffness, ratio):
    """Stiffness raised by damping and the blend β, for a ratio κ = k_d/h."""
    return stiffness * (1.0 + ratio), ratio / (1.0 + ratio)


def in_vertex_order(vertex_count, struct, corners, columns, rest=None, blend=None):
    """Return `Records` sorted by vertex.

    `corners` [element, n]: the vertices of each record of an element. `columns`: field name to
    values, [element], [element, n] or [element, n, k]. `rest` and `blend`: one per element, or
    None.
    """
    vertices = corners.ravel()
    by_vertex = np.argsort(vertices, kind="stable")
    start = np.zeros(vertex_count + 1, dtype=np.int32)
    np.cumsum(np.bincount(vertices, minlength=vertex_count), out=start[1:])
    data = np.zeros(len(vertices), dtype=struct.numpy_dtype())
    for name, values in columns.items():
        values = np.asarray(values)
        if values.ndim == 1:
            values = np.repeat(values, corners.shape[1])
        elif values.ndim == 2:
            values = values.ravel()
        else:
            values = values.reshape(-1, values.shape[-1])
        data[name] = values[by_vertex]
    of_record = np.repeat(np.arange(len(corners)), corners.shape[1])[by_vertex]
    number = np.empty(len(vertices), dtype=by_vertex.dtype)
    number[by_vertex] = np.arange(len(vertices))
    number = number.reshape(corners.shape)
    none = np.zeros(len(corners))
    rest, blend = (none if values is None else values for values in (rest, blend))
    return Records(start, data, rest[of_record], blend[of_record], number)


def wide_start(start):
    """The `start` [vertex + 1] of wide records, each of which holds `WIDTH` records of a vertex."""
    return np.append(0, np.cumsum(-(-np.diff(start) // WIDTH))).astype(np.int32)


def in_lanes(values, start, struct):
    """Return records in vertex order as a wide `struct` (kernels/device/lanes.py), or numbers and
    vectors [record] in lanes. Unused lanes repeat the vertices of the last record; numbers there
    are zero.
    """
    wide = wide_start(start)
    vertex = np.repeat(np.arange(len(start) - 1), np.diff(wide))
    first = start[vertex] + WIDTH * (np.arange(wide[-1]) - wide[vertex])
    record, last = first[:, None] + np.arange(WIDTH), start[vertex + 1][:, None] - 1
    values, used = values[np.minimum(record, last)], record <= last
    if values.dtype.names is None:
        return np.moveaxis(zero_unused(values, used), 1, -1)
    data = np.zeros(len(vertex), dtype=struct.numpy_dtype())
    fill_lanes(data, values, used)
    return data


def zero_unused(values, used):
    """Return numbers [wide, lane, …], zero in unused lanes."""
    return np.where(used.reshape(used.shape + (1,) * (values.ndim - 2)), values, 0.0)


def fill_lanes(wide, records, used):
    """Copy fields of `records` [wide, lane] to those of `wide`; numbers only in used lanes."""
    for name in records.dtype.names:
        values = records[name]
        if values.dtype.names:
            fill_lanes(wide[name], values, used)
            continue
        if values.dtype.kind == "f":
            values = zero_unused(values, used)
        wide[name] = np.moveaxis(values, 1, -1)


def filled(struct, corners, fields):
    """Return elements of a struct with `corners` [element, n] and other `fields`, by name."""
    data = structured(struct, len(corners), fields)
    data["corners"][:, : corners.shape[1]] = corners
    return data


def structured(struct, count, fields):
    """Return `count` values of a `wp.struct` from `fields` by name; other fields are zero."""
    data = np.zeros(count, dtype=struct.numpy_dtype())
    for name, values in fields.items():
        data[name] = values
    return data
