# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements of a scene on the device (kernels/elements/table.py)."""

import numpy as np

from ..kernels.elements.table import elements_struct, table_struct


class ElementTable:
    """The elements of one kind: their `struct`, and what damping needs to move its rest values.

    `number` [element, corner] are the records of every element, `record_counts` [vertex] those of
    every vertex.
    """

    def __init__(self, kind, assembly, h, upload):
        self.kind, self.columns = kind, assembly.elements[kind.name]
        records = kind.records(assembly.rest_points, self.columns, h)
        self.number, self.record_counts = records.number, np.diff(records.start)
        self.struct = table_struct(kind)()
        self.struct.start = upload(records.start, int)
        self.struct.records = upload(records.data, kind.record)
        self.is_damped = kind.moved_rest is not None and bool(records.blend.any())
        if kind.moved_rest is not None:
            self.struct.rest = upload(records.rest, kind.rest)
        if self.is_damped:
            self.undamped = upload(records.rest, kind.rest)
            self.blend = upload(records.blend, float)
        if kind.diagonal:
            self.struct.diagonal = upload(records.diagonal, float)


def chained(kinds, tables):
    """The tables of several kinds in one struct, for the vertex kernels."""
    elements = elements_struct(kinds)()
    if kinds:
        elements.table = tables[kinds[0].name].struct
        elements.others = chained(kinds[1:], tables)
    return elements
