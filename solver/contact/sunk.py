# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that begin in an open collider, such as a floor, are led out of it as a whole.

A sheet has no inside that would tell how to leave it, and what leaves it here upwards, there
downwards, is turned inside out. So a solid that nothing holds goes all to one side, without a
change of its shape, and no part of it touches that collider before it is out.
"""

import numpy as np

from ..kernels.contact.leading_out import pace
from .crossings import crossing_weights, unit
from .surface import held_bodies

# A solid is halfway through a sheet when its middle is as near as this part of its size.
HALFWAY = 0.02
# A sheet has a direction where its normals agree to this part.
COMMON = 0.2


class Sunk:
    """Decides where solids go; `rises` has the directions by (solid, collider), while entangled."""

    state_name = "contact_push_out"

    def __init__(self, model, settings):
        self.surface, self.step_time = model.surface, settings.step_time
        self.up = -np.asarray(settings.gravity, dtype=np.float64)
        self.rises = {}
        self.held = held_bodies(model.assembly, self.surface.body, self.surface.joint)

    def keep(self):
        """What was decided: couples of bodies, and where the solids go."""
        couples = np.array(list(self.rises), dtype=np.int64).reshape(-1, 2)
        return {"couples": couples, "rises": np.array(list(self.rises.values())).reshape(-1, 3)}

    def bring_back(self, kept):
        """Take what `keep` has returned."""
        couples = map(tuple, kept["couples"].tolist())
        self.rises = dict(zip(couples, kept["rises"], strict=True))

    def leads(self, one, other):
        """Whether the couples `one`, `other` of bodies, of any shape, are led by this."""
        both = np.stack([np.asarray(one), np.asarray(other)], axis=-1)
        led = np.zeros(both.shape[:-1], dtype=bool)
        for solid, collider in self.rises:
            led |= ((both == [solid, collider]) | (both == [collider, solid])).all(axis=-1)
        return led

    def decide(self, found, of_edge):
        """Know the couples of now, and yield for each its direction and how far it goes [m].

        `of_edge` is a triangle at each edge.
        """
        before, self.rises = self.rises, {}
        for solid, collider in self._couples(found):
            points, normals = self._cuts(found, of_edge, solid, collider)
            center = points.mean(axis=0)
            mine = self.surface.vertices[self.surface.body[self.surface.vertices] == solid]
            heights = found.x[mine] - center
            direction = before.get((solid, collider))
            if direction is None:
                direction = self._direction(heights, normals)
            if direction is None:
                continue
            self.rises[solid, collider] = direction
            path = max(-(heights @ direction).min(), 0.0) + self.surface.radius[mine].max()
            yield mine, collider, direction, pace(float(path), self.step_time)

    def _couples(self, found):
        """Pairs (solid, open collider) that cut each other, of solids that nothing holds."""
        surface = self.surface
        inner = surface.vertices[found.inside[surface.vertices] > 0]
        one = np.concatenate([surface.body[surface.edges[found.edge, 0]], surface.body[inner]])
        other = np.concatenate(
            [surface.body[surface.triangles[found.triangle, 0]], found.inside[inner] - 1]
        )
        couples = np.unique(np.sort(np.column_stack([one, other]), axis=1), axis=0)
        for solid, collider in couples.tolist():  # bodies are numbered before colliders
            if surface.is_sunk(solid, collider) and solid not in self.held:
                yield solid, collider

    def _cuts(self, found, of_edge, solid, collider):
        """Points where a solid and a collider cut each other [m], and normals of the collider."""
        surface, x = self.surface, found.x
        e_body = surface.body[surface.edges[found.edge, 0]]
        t_body = surface.body[surface.triangles[found.triangle, 0]]
        cuts = (e_body == solid) & (t_body == collider)
        cut_by = (e_body == collider) & (t_body == solid)
        edge, triangle = found.edge[cuts | cut_by], found.triangle[cuts | cut_by]
        ends = np.moveaxis(x[surface.edges[edge]], 1, 0)
        corners = np.moveaxis(x[surface.triangles[triangle]], 1, 0)
        along = crossing_weights(*ends, *corners)[0][:, None]
        inner = np.flatnonzero((found.inside == solid + 1) & (surface.body == collider))
        around = np.flatnonzero(np.isin(surface.triangles, inner).any(axis=1))
        sheet = np.concatenate([found.triangle[cuts], of_edge[found.edge[cut_by]], around])
        points = np.concatenate([ends[0] + along * (ends[1] - ends[0]), x[inner]])
        return points, surface.normals(x, np.unique(sheet[sheet >= 0]))

    def _direction(self, heights, normals):
        """Where a solid goes whose points are so high [point, 3] over where a sheet cuts it: to the
        side of its middle, or when it is halfway through upwards; None for a sheet that is bent
        too much.
        """
        mean = normals.mean(axis=0)
        if np.linalg.norm(mean) < COMMON:
            return None
        normal = unit(mean[None])[0]
        height = heights.mean(axis=0) @ normal
        if abs(height) <= HALFWAY * np.ptp(heights, axis=0).max():
            height = normal @ self.up
        return normal if height >= 0.0 else -normal
