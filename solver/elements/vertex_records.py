# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of elements in vertex order (kernels/elements/table.py).

All arithmetic is float64; records are rounded once, at the end.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kernels.device.lanes import WIDTH
from ..topology.blocks import BLOCK, blocks
from ..topology.graphs import stable_order

NONE = np.zeros(0)


@dataclass
class Records:
    """The records of one kind, sorted by vertex.

    `start` [vertex + 1]; structured `rows` [element, corner], and the place `by_vertex` [record] of
    each record there; `rest` [record], empty like `blend` for kinds without.
    """

    start: np.ndarray
    rows: np.ndarray
    by_vertex: np.ndarray
    rest: np.ndarray
    blend: np.ndarray
    """β of damping (kernels/elements/rest_values.py), [record]."""
    number: np.ndarray
    """Index of the record of every element and corner, [element, corner]."""
    diagonal: np.ndarray | None = None
    """Constant term of the blocks [N/m], [vertex]."""

    @cached_property
    def data(self):
        """The records [record]."""
        return gathered(self.rows.reshape(-1), self.by_vertex)


def damped(stiffness, ratio):
    """Stiffness raised by damping and the blend β, for a ratio κ = k_d/h."""
    return stiffness * (1.0 + ratio), ratio / (1.0 + ratio)


def in_vertex_order(vertex_count, struct, corners, columns, rest=None, blend=None):
    """Return `Records` sorted by vertex.

    `corners` [element, n]: the vertices of each record of an element. `columns`: field name to
    values, [element], [element, n] or [element, n, k]. `rest` and `blend`: one per element, or
    None.
    """
    rows = np.zeros(corners.shape, dtype=struct.numpy_dtype())
    fill_rows(rows, columns)
    return rows_in_vertex_order(vertex_count, corners, rows, rest, blend)


def records_of(vertex_count, struct, elements, columns_of):
    """Return the `Records` of `Columns` with the fields `columns_of(elements)`, as `columns` of
    `in_vertex_order`. They are found in blocks.
    """
    rows = np.zeros(elements.corners.shape, dtype=struct.numpy_dtype())
    for block in blocks(len(elements)):
        fill_rows(rows[block], columns_of(elements[block]))
    return rows_in_vertex_order(vertex_count, elements.corners, rows)


def fill_rows(rows, columns):
    """Fill in structured `rows` [element, n] from `columns` of `in_vertex_order`."""
    for name, values in columns.items():
        values = np.asarray(values)
        rows[name] = values[:, None] if values.ndim == 1 else values


def rows_in_vertex_order(vertex_count, corners, rows, rest=None, blend=None):
    """Return `Records` sorted by vertex from structured `rows` [element, n]; see
    `in_vertex_order`.
    """
    vertices = corners.ravel()
    by_vertex = stable_order(vertices)
    start = np.zeros(vertex_count + 1, dtype=np.int32)
    np.cumsum(np.bincount(vertices, minlength=vertex_count), out=start[1:])
    number = np.empty(len(vertices), dtype=np.int32)
    number[by_vertex] = np.arange(len(vertices), dtype=np.int32)
    element = None if rest is None and blend is None else by_vertex // corners.shape[1]
    rest, blend = (NONE if one is None else one[element] for one in (rest, blend))
    return Records(start, rows, by_vertex, rest, blend, number.reshape(corners.shape))


def wide_start(start):
    """The `start` [vertex + 1] of wide records, each of which holds `WIDTH` records of a vertex."""
    return np.append(0, np.cumsum(-(-np.diff(start) // WIDTH))).astype(np.int32)


def in_lanes(values, start, struct, order=None):
    """Return records in vertex order as a wide `struct` (kernels/device/lanes.py), or numbers and
    vectors [record] in lanes. Unused lanes repeat the vertices of the last record; numbers there
    are zero. With an `order` the records are `values[order]`.
    """
    wide = wide_start(start)
    vertex = np.repeat(np.arange(len(start) - 1), np.diff(wide))
    is_struct = values.dtype.names is not None
    if is_struct:
        data = np.zeros(len(vertex), dtype=struct.numpy_dtype())
    else:
        data = np.zeros((len(vertex), *values.shape[1:], WIDTH), dtype=values.dtype)
    for block in blocks(len(vertex), BLOCK // WIDTH):
        of = vertex[block]
        first = start[of] + WIDTH * (np.arange(block.start, block.stop) - wide[of])
        record, last = first[:, None] + np.arange(WIDTH), start[of + 1][:, None] - 1
        used, record = record <= last, np.minimum(record, last)
        some = gathered(values, record if order is None else order[record])
        if is_struct:
            fill_lanes(data[block], some, used)
        else:
            data[block] = np.moveaxis(zero_unused(some, used), 1, -1)
    return data


def gathered(values, index):
    """Return `values[index]`. NumPy copies items of structs field by field, but not as bytes."""
    if values.dtype.names is None:
        return values[index]
    return values.view(f"V{values.itemsize}")[index].view(values.dtype)


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


def element_data(kind, points, columns, h, order):
    """Return the `element`s of a kind, without `record`, for some of its `Columns` in an order."""
    some = columns[order]
    if kind.is_local:
        return filled(kind.element, some, lambda block: kind.element_columns(points, block, h))
    fields = {name: v[order] for name, v in kind.element_columns(points, columns, h).items()}
    return structured(kind.element, len(some), fields | {"corners": some.corners})


def filled(struct, elements, fields_of):
    """Return the values of a struct with `corners` for `Columns`, with the other fields
    `fields_of(elements)`, by name. They are found in blocks.
    """
    data = structured(struct, len(elements), {"corners": elements.corners})
    for block in blocks(len(elements)):
        for name, values in fields_of(elements[block]).items():
            data[name][block] = values
    return data


def structured(struct, count, fields):
    """Return `count` values of a `wp.struct` from `fields` by name; other fields are zero."""
    data = np.zeros(count, dtype=struct.numpy_dtype())
    for name, values in fields.items():
        field = data[name]
        if name == "corners":  # of an element, which may have too many
            field = field[:, : values.shape[1]]
        field[:] = values
    return data
