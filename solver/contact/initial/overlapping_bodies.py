# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions on two bodies that begin in each other, or on one that begins in itself.

| bodies | treatment |
|---|---|
| a body wholly inside of a closed collider | an enclosure: it stays there |
| a solid, and an open collider or its enclosure | WHOLE: it goes to one side, in its shape |
| the same, if anything holds the solid | ALONG: where they cross, it goes to that side |
| two open ones that lie in each other | ALONG: the same |
| other open ones, and an open one and itself | SHORTEN: the curve shrinks in which they meet |
| others, of which one at least is closed | OUT: vertices inside leave |
| two convex rigid bodies | APART: each as a whole, by the shortest way |
| a solid and itself | ALONE: its elasticity separates it (self_intersections.py) |

A sheet has no inside that would show how to leave it, and a body that leaves it upwards here and
downwards there is turned inside out. So a couple decides once to which side of it all of the other
goes, and keeps that side while it is entangled. An enclosed body is separate from the collider:
pushed out through the nearest faces it would be torn. But a body just under the skin of a collider
is meant to lie on it: cloth and rods, such as clothes of a character, unless all exits point down,
and solids if these point up.
"""

import numpy as np

from ...kernels.contact.feasibility.separating_planes import FLOOR
from ...messages import message
from ..surface import held_bodies
from .closed_meshes import query_inside
from .convex_bodies import ConvexBodies
from .edge_crossings import unit

ALONE, WHOLE, ALONG, SHORTEN, OUT, APART = range(6)
# A body halfway through a collider, its mean this near as a fraction of its size, goes up.
HALFWAY = 0.02
# A sheet has a direction where its normals agree by this fraction.
COMMON = 0.2
# Sheets lie in each other where their normals agree by this, on the mean of the crossings.
PARALLEL = 0.8
# A body just under the skin is nowhere deeper than this fraction of its own size, or of the
# collider's least extent where that is larger.
SKIN = 0.15
# Exits point up, or down, where the mean of their directions does by this.
AGREE = 0.5
# This fraction of an enclosed body is inside for certain, the rest may touch the walls.
MOST = 0.5


class OverlappingBodies:
    """The decisions: `method` [body, body]; `side` [body, body], 1 where the earlier body goes in
    front of the later one as that is wound, or -1; and `direction`, by (earlier, later), in which
    the earlier one goes, 0 where there is none. `enclosures` [body, body] is true where a body is
    in a collider, None before the first check. `meshes` are those of closed bodies, by their
    numbers.
    """

    state_name = "contact_couples"

    def __init__(self, model, meshes, up):
        self.model, self.surface, self.meshes, self.up = model, model.surface, meshes, up
        self.convex = ConvexBodies(model)
        self.held = held_bodies(model.assembly, self.surface.body)
        closed = self.surface.closed
        self.by_kind = np.where(closed[:, None] | closed, *np.int8([OUT, SHORTEN]))
        np.fill_diagonal(self.by_kind, np.where(closed, ALONE, SHORTEN))
        self.method, self.direction = self.by_kind, {}
        self.enclosures, self.side = None, np.zeros(closed.shape * 2, dtype=np.int8)

    def save(self):
        """Return the decisions, as arrays by name."""
        enclosures = np.zeros((0, 0), dtype=bool) if self.enclosures is None else self.enclosures
        return {"rooms": enclosures, "side": self.side}

    def restore(self, saved):
        """Take over what `save` has returned."""
        if saved["side"].shape != self.side.shape:
            raise ValueError(message("resume.bodies"))
        is_known = saved["rooms"].shape == self.side.shape
        self.enclosures = saved["rooms"].astype(bool) if is_known else None
        self.side = np.sign(saved["side"]).astype(np.int8)

    def named(self, names):
        """Return enclosed bodies and their enclosures, as pairs of these `names` [body]."""
        if self.enclosures is None:
            return ()
        return tuple(
            (names[body], names[enclosure]) for body, enclosure in np.argwhere(self.enclosures)
        )

    def is_penetrating(self, one, other):
        """Return whether `one` is a solid and `other` an open collider or its enclosure; numbers of
        bodies, any shape.
        """
        surface = self.surface
        is_open = ~surface.closed[other] | self.enclosures[one, other]
        return (other >= surface.body_count) & surface.closed[one] & is_open

    def find_enclosures(self, x):
        """Find once which body is in which enclosure, with vertices at x [vertex, 3]."""
        if self.enclosures is not None:
            return
        surface = self.surface
        self.enclosures = np.zeros_like(surface.may_touch)
        owner = surface.body[surface.vertices]
        for enclosure, (mesh, triangles) in self.meshes.items():
            meets = np.flatnonzero(surface.may_touch[enclosure, : surface.body_count])
            if enclosure < surface.body_count or not len(meets):
                continue
            mesh.refit()
            shell = x[surface.triangles[triangles]].reshape(-1, 3)
            apart = (x < shell.min(axis=0)) | (x > shell.max(axis=0))
            is_in = ~apart.any(axis=1)[surface.vertices]
            for body in meets[np.isin(meets, owner[is_in])].tolist():
                mine = surface.vertices[owner == body]
                self.enclosures[body, enclosure] = self._is_in(body, mesh, shell, mine, x)

    def _is_in(self, body, mesh, shell, mine, x):
        """Return whether a body's vertices `mine` are enclosed by a collider's points `shell`."""
        surface, points = self.surface, x[mine]
        is_inner, exits = query_inside(self.model, mesh, points)
        depth, radius = np.linalg.norm(exits, axis=1), surface.radius[mine]
        is_inner &= depth > FLOOR * radius
        if is_inner.mean() < MOST or not (is_inner | (depth <= radius)).all():
            return False
        size = max(np.ptp(points, axis=0).max(), np.ptp(shell, axis=0).min())
        upward = unit(exits).mean(axis=0) @ unit(self.up[None])[0]
        least = AGREE if surface.closed[body] else -AGREE
        return not (depth.max() <= SKIN * size and upward > least)

    def decide(self, found):
        """Decide on the treatment of all `Found` intersections."""
        before, self.side = self.side, np.zeros_like(self.side)
        self.method, self.direction = self.by_kind.copy(), {}
        for one, other in found.couples().tolist():
            is_penetrating = self.is_penetrating(one, other)
            if one != other and (is_penetrating or self.method[one, other] == SHORTEN):
                self._decide_side(found, one, other, before[one, other], is_penetrating)
            elif one != other and all(self.convex.includes(body, found.x) for body in (one, other)):
                self.direction[one, other] = self.convex.way_out(one, other, found.x)
                self.method[one, other] = self.method[other, one] = APART
            elif one != other and self.surface.closed[[one, other]].all():
                self.direction[one, other] = self._common_direction(found, one, other)

    def _decide_side(self, found, one, other, side, is_penetrating):
        """Decide to which `side` of a body an earlier one goes; 0 where that is not known yet."""
        points, normals, parallel = found.cuts(one, other)
        mean, agree = normals.mean(axis=0), is_penetrating or parallel >= PARALLEL
        normal = unit(mean[None])[0]
        if side == 0 and agree and np.linalg.norm(mean) >= COMMON:
            side = self._side(found.x, points, normal, one, other)
        if side != 0:
            self.side[one, other], self.direction[one, other] = side, side * normal
            what = WHOLE if is_penetrating and one not in self.held else ALONG
            self.method[one, other] = self.method[other, one] = what

    def _side(self, x, points, normal, one, other):
        """Return 1 where body `one` is in front of another on the average, else -1. A collider's
        place is given by the points [m] where the two cut each other.
        """
        used, is_collider = self.surface.vertices, other >= self.surface.body_count
        mine, theirs = (x[used[self.surface.body[used] == number]] for number in (one, other))
        theirs = points if is_collider else theirs
        height = (mine.mean(axis=0) - theirs.mean(axis=0)) @ normal
        if is_collider and abs(height) <= HALFWAY * np.ptp(mine, axis=0).max():
            height = normal @ self.up
        return 1 if height >= 0.0 else -1

    def _common_direction(self, found, one, other):
        """Return the direction in which one closed body leaves another fastest; 0 if none.

        The volume that two bodies share changes by the area vectors of the surface inside (Allard
        et al., "Volume Contact Constraints at Arbitrary Resolution", 2010).
        """
        mine, theirs = (
            self._area_vectors(found.x, (self.surface.body == a) & (found.inside == b + 1))
            for a, b in ((one, other), (other, one))
        )
        total = theirs.sum(axis=0) - mine.sum(axis=0)
        size = np.linalg.norm(np.concatenate([mine, theirs]), axis=1).sum()
        return unit(total[None])[0] * (np.linalg.norm(total) > COMMON * size)

    def _area_vectors(self, x, chosen):
        """Return area vectors [m²] of the surface at `chosen` vertices, bool [vertex]."""
        fraction = chosen[self.surface.triangles].sum(axis=1) / 6.0
        a, b, c = (x[corner] for corner in self.surface.triangles[fraction > 0.0].T)
        return fraction[fraction > 0.0, None] * np.cross(b - a, c - a)
