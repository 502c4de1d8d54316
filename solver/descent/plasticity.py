# SPDX-License-Identifier: GPL-3.0-or-later
"""Plasticity: rest values of elements strained beyond their elastic limit (creases and dents)."""

import numpy as np

from ..device.launches import play
from ..elements.vertex_records import element_data
from ..kernels.elements.flow import flow_kernel
from ..kernels.elements.rest_values import to_lanes_kernel
from ..model.stage import RecordedStage


class Plasticity(RecordedStage):
    """Plastic flow of rest values at the strains of the last substep (kernels/elements/flow.py)."""

    state_name = "plasticity"

    def __init__(self, model):
        super().__init__(model)
        self.saved = model.plastic

    @staticmethod
    def is_needed(model):
        return bool(model.plastic)

    def record(self):
        tables = [self.model.tables[name] for name in self.model.plastic]
        self.launches = [self._flow(table) for table in tables]
        self.launches += [
            self._copy_to_lanes(table) for table in tables if table.in_lanes and not table.is_damped
        ]

    def _flow(self, table):
        """Return the launch of the flow of one kind of elements."""
        model, kind, columns = self.model, table.kind, table.columns
        h = model.settings.step_time
        data = element_data(kind, model.assembly.rest_points, columns, h, slice(None))
        with np.errstate(divide="ignore"):
            share = -np.expm1(-h / columns.flow_time)
        inputs = [
            model.upload(data, kind.element),
            model.upload(columns.state, int),
            model.upload(columns.limit, float),
            model.upload(share, float),
            model.upload(table.number, int),
            model.x_start,
        ]
        outputs = [model.plastic[kind.name], table.unmoved]
        cost = kind.cost * kind.corners
        return model.launches.record(flow_kernel(kind), len(columns), inputs, outputs, cost)

    def _copy_to_lanes(self, table):
        """Return the launch that copies the flowed rest values into lanes."""
        inputs, outputs = [table.struct, table.struct.rest], [table.struct.wide_rest]
        return self.model.launches.record(
            to_lanes_kernel(table.kind), self.model.free_count, inputs, outputs
        )

    def begin_step(self):
        play(self.launches)
