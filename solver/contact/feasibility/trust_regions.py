# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust regions: bounds of vertices' motion until the next search for contact pairs."""

from contextlib import contextmanager

import numpy as np
import warp as wp

from ...device.launches import play
from ...kernels.contact.feasibility import trust_regions as kernels
from ...kernels.contact.feasibility.trust_regions import NEXT, SOME, WHOLE

# Slack beyond the expected motion between searches, as a fraction of the contact offset.
SLACK = 0.25
# Largest trust radius, as a fraction of the spacing of the mesh.
LONGEST_TRUST_RADIUS = 0.5
# Least slack, as a fraction of that radius; it makes lists hardly longer.
LEAST_SLACK = 0.1
# Growth of the slack at every search in a step where the trust radius ended a step.
MORE_SLACK = 4.0
# Rough cost of a region [ns].
REGION = 15.0


class TrustRegions:
    """Trust regions, on the device in `struct`; `is_invalid` is 1 where they are unknown.

    Vertices go to `candidate`, and `cut` [vertex] is the limit that ended the last step of each.
    """

    def __init__(self, model, surface_struct, settings, candidate, cut):
        self.model, self.candidate, self.cut = model, candidate, cut
        self.struct, count = self._regions(surface_struct, settings), len(cut)
        self.is_invalid = wp.ones(1, dtype=int, device=model.device)
        record, x = model.launches.record, model.x
        self.shrink_slack = record(kernels.shrink_slack, count, [x], [self.struct], REGION)
        self.find_remaining_paths = record(kernels.find_remaining_paths, count, [x], [self.struct])
        # The rest of a path is expected, and needs no more slack.
        self.approaching = self._settings(0, candidate, 1.0)
        self.searching = self._settings(model.free_count, model.inertial, MORE_SLACK)

    def _regions(self, surface_struct, settings):
        model, surface, regions = self.model, self.model.surface, kernels.Regions()
        largest = np.maximum(LONGEST_TRUST_RADIUS * surface.spacing, 2.0 * SLACK * surface.radius)
        largest[surface.spacing == 0.0] = np.inf  # no surface
        least = SLACK * surface.radius
        if not settings.is_accelerated:  # extrapolation is better limited
            free = slice(model.free_count)  # animation goes where it is expected
            least[free] = np.maximum(least[free], LEAST_SLACK * largest[free])
        if settings.quasistatic:
            least = np.full_like(largest, np.inf)
        regions.largest, regions.least_slack = (model.upload(a, float) for a in (largest, least))
        regions.slack, regions.x_search = wp.clone(regions.least_slack), wp.clone(model.x)
        regions.path, regions.radius = surface_struct.path, surface_struct.trust_radius
        regions.remaining_path, regions.moved = surface_struct.remaining_path, surface_struct.moved
        regions.spent, regions.reach = (wp.zeros_like(regions.slack) for _ in range(2))
        regions.any_moved = wp.zeros(1, dtype=int, device=model.device)
        return regions

    def _settings(self, first_following, goal, growth):
        """Return launches that set regions on the way to a goal, by scope."""
        model, points, record = self.model, self.model.surface.points, self.model.launches.record
        multiplier = model.contact_model.state.multiplier
        inputs = [first_following, growth, model.x, goal, model.inertial, self.cut, multiplier]
        carried = [model.contact_model.embedding, model.x, multiplier]
        count, out = model.surface.point_start, [self.struct]
        of_points = [model.followers.skin, self.struct]
        return {
            scope: [
                record(kernels.set_regions, count, [int(scope), *inputs], out, REGION),
                record(kernels.set_point_regions, len(points), [int(scope), *carried], of_points),
                self.find_remaining_paths,
            ]
            for scope in (SOME, WHOLE, NEXT)
        }

    @property
    def saved(self):
        """Arrays that pass from one substep to the next, by name."""
        names = "trust_radius", "path", "x_found", "reach", "slack", "spent"
        regions = self.struct
        values = regions.radius, regions.path, regions.x_search, regions.reach
        arrays = dict(zip(names, (*values, regions.slack, regions.spent), strict=True))
        return {**arrays, "is_lost": self.is_invalid}

    @property
    def any_moved(self):
        """An array of one int: 1 if the last search gave any vertex a new region."""
        return self.struct.any_moved

    def begin_approach(self, scope):
        """Set regions for the way to the candidates: of the WHOLE surface, or of vertices that have
        used up their own or, in the NEXT step, will on that way.
        """
        self.any_moved.zero_()
        play(self.approaching[scope])

    def begin_search(self, scope):
        """Set regions for the motion ahead, with more slack where the last ones ended steps."""
        self.any_moved.zero_()
        play(self.searching[scope])

    def invalidate(self):
        """Mark all regions as unknown until they are set again."""
        wp.copy(self.struct.x_search, self.model.x)
        self.struct.spent.zero_()
        self.is_invalid.fill_(1)

    @contextmanager
    def without(self):
        """Shrink regions to the present positions within the context."""
        regions = self.struct.radius, self.struct.path
        arrays = *regions, self.struct.x_search
        saved = [wp.clone(array) for array in arrays]
        for array in regions:
            array.zero_()
        wp.copy(self.struct.x_search, self.model.x)
        yield
        for array, values in zip(arrays, saved, strict=True):
            wp.copy(array, values)
