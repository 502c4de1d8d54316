# SPDX-License-Identifier: GPL-3.0-or-later
"""The elements of a scene on the device (kernels/elements/table.py)."""

import numpy as np

from ..elements.vertex_records import in_lanes, wide_start
from ..kernels.device.lanes import wide
from ..kernels.elements.rest_values import rest_kernel, wide_rest_kernel
from ..kernels.elements.table import elements_struct, table_struct


class ElementTable:
    """The elements of one kind: their `struct`, and the data by which damping moves rest values.

    `number` [element, corner] are the records of every element, `record_counts` [vertex] their
    number per vertex. With `lanes` records lie side by side if possible (kernels/device/lanes.py).
    `hand_over` uploads new structured values, and may keep their memory.
    """

    def __init__(self, kind, assembly, h, upload, lanes=False, hand_over=None):
        hand_over = hand_over or upload
        self.kind, self.columns = kind, assembly.elements[kind.name]
        records = kind.records(assembly.rest_points, self.columns, h)
        self.number, self.record_counts = records.number, np.diff(records.start)
        self.is_plastic = kind.flowed is not None and bool(np.isfinite(self.columns.limit).any())
        self.struct = table_struct(kind)()
        self.struct.start = upload(records.start, int)
        self.in_lanes = lanes and kind.in_lanes is not None
        if self.in_lanes:
            self._lay_in_lanes(records, upload, hand_over)
        else:
            self.struct.records = hand_over(records.data, kind.record)
        self.is_damped = kind.moved_rest is not None and bool(records.blend.any())
        if len(records.rest):
            self.struct.rest = upload(records.rest, kind.rest)
        if self.is_damped:
            self.undamped = upload(records.rest, kind.rest)
            self.blend = upload(records.blend, float)
        if kind.diagonal:
            self.struct.diagonal = upload(records.diagonal, float)

    def _lay_in_lanes(self, records, upload, hand_over):
        """Fill in the arrays of the table for lanes."""
        Wide = wide(self.kind.record)
        self.struct.wide_start = upload(wide_start(records.start), int)
        data = in_lanes(records.rows.reshape(-1), records.start, Wide, records.by_vertex)
        self.struct.wide_records = hand_over(data, Wide)
        if len(records.rest):
            Wide = wide(self.kind.rest)
            self.struct.wide_rest = upload(in_lanes(records.rest, records.start, Wide), Wide)

    @property
    def unmoved(self):
        """Rest values before damping moves them; plastic flow changes these."""
        return self.undamped if self.is_damped else self.struct.rest

    @property
    def moved(self):
        """Rest values that damping moves."""
        return [self.struct.rest, self.struct.wide_rest] if self.in_lanes else [self.struct.rest]

    @property
    def rest_kernel(self):
        """Kernel by which damping moves rest values."""
        return wide_rest_kernel(self.kind) if self.in_lanes else rest_kernel(self.kind)


def chained(kinds, tables):
    """Return the tables of several kinds in one struct, for the vertex kernels."""
    elements = elements_struct(kinds)()
    if kinds:
        elements.table = tables[kinds[0].name].struct
        elements.others = chained(kinds[1:], tables)
    return elements
