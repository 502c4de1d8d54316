# SPDX-License-Identifier: GPL-3.0-or-later
"""What contact says about a frame: energy, pairs in touch, depth."""

import warp as wp

from ..kernels.contact import measure


class ContactMeasure:
    """Measures the pairs and the analytic colliders of a model."""

    def __init__(self, model):
        self.model = model
        if model.surface.can_touch:
            model.launches.expect(measure.measure_pairs)
        if model.has_analytic_colliders:
            model.launches.expect(measure.measure_colliders)

    def take(self):
        """(energy [J], touching pairs, deepest penetration of the contact distance [m]) of now."""
        model, run = self.model, self.model.launches.run
        energy, touching, deepest = self._of_pairs()
        if model.has_analytic_colliders:
            each, depth = self._results(len(model.x))
            for first, count in model.surface_ranges():
                inputs = [model.x, model.contact_model]
                run(measure.measure_colliders, count, inputs, [each, depth], first=first)
                mine = slice(first, first + count)
                energy += float(each.numpy()[mine].sum(dtype=float))
                deepest = max(deepest, float(depth.numpy()[mine].max()))
        return energy, touching, deepest

    def _of_pairs(self):
        model, lists = self.model, self.model.lists
        if not lists.count:
            return 0.0, 0, 0.0
        each, depth = self._results(lists.count)
        inputs = [model.x, lists.pairs, lists.touches, lists.state]
        model.launches.run(measure.measure_pairs, lists.count, inputs, [each, depth])
        each, depth = each.numpy(), depth.numpy()
        return float(each.sum(dtype=float)), int((each > 0.0).sum()), float(depth.max())

    def _results(self, count):
        """Room for an energy and a depth each."""
        return (wp.zeros(count, dtype=float, device=self.model.device) for _ in range(2))
