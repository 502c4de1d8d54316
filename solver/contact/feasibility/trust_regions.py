# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust regions: where vertices may go until contact pairs are sought again."""

from contextlib import contextmanager

import numpy as np
import warp as wp

from ...device.launches import play
from ...kernels.contact.feasibility import trust_regions as kernels
from ...kernels.contact.feasibility.trust_regions import NEXT, SOME, WHOLE

# A vertex may move this part of the contact offset more than it is expected to between searches...
SLACK = 0.25
# ... and never more than this part of the spacing of its mesh.
LONGEST_TRUST_RADIUS = 0.5
# Of that it has at least this part as slack, which makes lists hardly longer.
LEAST_SLACK = 0.1
# What trust radii have cut short gets this many times the slack after every search in a step.
MORE_SLACK = 4.0
# Rough cost of a region [ns].
REGION = 15.0


class TrustRegions:
    """The regions, on the device in `struct`; `is_lost` tells that nothing is known of them.

    Vertices go to `candidate`, and `cut` [vertex] is what has ended the last step of each.
    """

    def __init__(self, model, surface_struct, settings, candidate, cut):
        self.model, self.candidate, self.cut = model, candidate, cut
        self.struct, count = self._regions(surface_struct, settings), len(cut)
        self.is_lost = wp.ones(1, dtype=int, device=model.device)
        record, x = model.launches.record, model.x
        self.calm_down = record(kernels.calm_down, count, [x], [self.struct], REGION)
        self.look_ahead = record(kernels.look_ahead, count, [x], [self.struct])
        # What is left of the way is expected, and needs no more slack.
        self.approaching = self._settings(0, candidate, 1.0)
        self.searching = self._settings(model.free_count, model.inertial, MORE_SLACK)

    def _regions(self, surface_struct, settings):
        model, surface, regions = self.model, self.model.surface, kernels.Regions()
        largest = np.maximum(LONGEST_TRUST_RADIUS * surface.spacing, 2.0 * SLACK * surface.radius)
        largest[surface.spacing == 0.0] = np.inf  # no surface
        least = SLACK * surface.radius
        if not settings.is_accelerated:  # what extrapolates is better held back
            free = slice(model.free_count)  # animation goes where it is expected
            least[free] = np.maximum(least[free], LEAST_SLACK * largest[free])
        if settings.quasistatic:
            least = np.full_like(largest, np.inf)
        regions.largest, regions.least_slack = (model.upload(a, float) for a in (largest, least))
        regions.slack, regions.x_found = wp.clone(regions.least_slack), wp.clone(model.x)
        regions.path, regions.radius = surface_struct.path, surface_struct.trust_radius
        regions.ahead, regions.renewed = surface_struct.ahead, surface_struct.renewed
        regions.spent, regions.reach = (wp.zeros_like(regions.slack) for _ in range(2))
        regions.any_renewed = wp.zeros(1, dtype=int, device=model.device)
        return regions

    def _settings(self, first_led, goal, growth):
        """Launches that set regions on the way to a goal, by who gets new ones."""
        model, points, record = self.model, self.model.surface.points, self.model.launches.record
        multiplier = model.contact_model.state.multiplier
        ways = [first_led, growth, model.x, goal, model.inertial, self.cut, multiplier]
        carried = [model.contact_model.embedding, model.x, multiplier]
        count, out = model.surface.point_start, [self.struct]
        return {
            who: [
                record(kernels.set_regions, count, [int(who), *ways], out, REGION),
                record(kernels.set_point_regions, len(points), [int(who), *carried], out),
                self.look_ahead,
            ]
            for who in (SOME, WHOLE, NEXT)
        }

    @property
    def kept(self):
        """Arrays that pass from one substep to the next, by name."""
        names = "trust_radius", "path", "x_found", "reach", "slack", "spent"
        regions = self.struct
        values = regions.radius, regions.path, regions.x_found, regions.reach
        arrays = dict(zip(names, (*values, regions.slack, regions.spent), strict=True))
        return {**arrays, "is_lost": self.is_lost}

    @property
    def any_renewed(self):
        """An array of one int: 1 if the last search gave any vertex a new region."""
        return self.struct.any_renewed

    def begin_approach(self, who):
        """Regions for the way to the candidates: of the WHOLE surface, or of what has used up its
        own or, in the NEXT step, will on that way.
        """
        self.any_renewed.zero_()
        play(self.approaching[who])

    def begin_search(self, who):
        """Regions for what lies ahead. What the last ones have cut short gets more slack."""
        self.any_renewed.zero_()
        play(self.searching[who])

    def lose(self):
        """Know nothing of regions any more, until they are set anew."""
        wp.copy(self.struct.x_found, self.model.x)
        self.struct.spent.zero_()
        self.is_lost.fill_(1)

    @contextmanager
    def without(self):
        """Within, everything is where it is and goes nowhere; behind that regions are as before."""
        regions = self.struct.radius, self.struct.path
        arrays = *regions, self.struct.x_found
        kept = [wp.clone(array) for array in arrays]
        for array in regions:
            array.zero_()
        wp.copy(self.struct.x_found, self.model.x)
        yield
        for array, values in zip(arrays, kept, strict=True):
            wp.copy(array, values)
