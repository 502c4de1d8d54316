# SPDX-License-Identifier: GPL-3.0-or-later
"""Report about contact: which bodies touched, how deep, and how many searches it took."""

import numpy as np

from ...solver.bodies import Collider, Deformable
from ...solver.messages import message
from ...solver.report.lengths import length
from ...solver.scene.thickness import collision_thickness
from .report import Line, listed

MILLIMETRE = 1e-3
# A contact is penetrating if it is deeper than this multiple of the contact distance.
PENETRATING = 1.5


def contact_distances(bodies, settings):
    """Smallest and largest contact distance [m] of the surfaces of a scene; (0, 0) without contact.

    `bodies` are all that `simulate` gets. The distance of two surfaces is the sum of their
    thicknesses; of a bound or the ground, that of the body.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.contact.surface import touch_table
    from ...solver.scene.analytic_colliders import AnalyticCollider

    deformable = [body for body in bodies if isinstance(body, Deformable)]
    colliders = [body for body in bodies if isinstance(body, Collider)]
    thicknesses = [*map(collision_thickness, deformable), *(c.thickness for c in colliders)]
    least_and_most = np.array([[np.min(some), np.max(some)] for some in thicknesses])
    pairs = least_and_most[:, None] + least_and_most
    kept = pairs[touch_table(deformable, colliders)]
    if settings.use_ground or any(isinstance(body, AnalyticCollider) for body in bodies):
        kept = np.concatenate([kept, least_and_most[: len(deformable)]])
    return (float(kept[:, 0].min()), float(kept[:, 1].max())) if len(kept) else (0.0, 0.0)


class ContactReport:
    """Gathers the contacts of the frames of a bake.

    `distances` [m] are those of `contact_distances`; `animated` is true if animation moves any of
    them. Without it nothing crosses later that did not touch at the start.
    """

    def __init__(self, distances=(0.0, 0.0), animated=True):
        self.animated = animated
        low, high = (f"{distance / MILLIMETRE:.3g}" for distance in distances)
        self.farthest = distances[1]
        self.distance = f"{low} mm" if low == high else f"{low} to {high} mm"
        self.last = self.deepest = self.entangled = self.first_entangled = None
        self.began_apart = False
        self.searches = 0
        self.touched, self.rooms = False, ()

    def take(self, solved):
        """Count a frame, a `Solved`."""
        stats = solved.stats
        self.began_apart |= self.animated and self.last is None and not stats.tangles
        self.last = solved
        self.searches += stats.searches
        self.touched |= bool(stats.contacts or stats.pairs)
        self.rooms = stats.rooms
        if stats.tangles:
            self.entangled = solved
            self.first_entangled = self.first_entangled or solved
        if self.deepest is None or stats.deepest > self.deepest.stats.deepest:
            self.deepest = solved

    def entanglement(self):
        """Lines about bodies that begin inside a collider, and about intersections at the end, or
        when the last one was resolved.
        """
        for names in self.rooms:
            one, other = names
            yield Line(text=message("report.inside", name=one, other=other), objects=names)
        if self.entangled is None:
            return
        found = self.entangled.stats.tangles
        names = tuple(dict.fromkeys(name for intersection in found for name in intersection.bodies))
        if self.entangled is not self.last:
            yield Line(text=self._untangled(names), objects=names)
            return
        who = _intersecting([intersection.bodies for intersection in found], names)
        name = "report.entangled_later" if self.began_apart else "report.entangled"
        yield Line(text=message(name, who=who), warns=True, objects=names)

    def _untangled(self, names):
        """A `Line` about objects that were entangled, and until when; those that began apart were
        moved there by animation.
        """
        who = " and ".join(names) if len(names) == 2 else listed(names)
        known = {"names": who, "count": len(names), "frame": self.entangled.scene_frame}
        if self.began_apart:
            first = self.first_entangled.scene_frame
            return message("report.untangled_later", first=first, **known)
        return message("report.untangled", **known)

    def penetration(self, name):
        """A `Line` about the deepest body, if it is still inside of the ground or a collider at the
        end.
        """
        # Vertices in front of a surface are never deeper than the contact distance.
        if self.last is None or self.last is self.entangled:
            return
        if self.last.stats.deepest > PENETRATING * self.farthest > 0.0:
            yield Line(
                text=message("report.still_deep", name=name, depth=self._depth(self.last)),
                warns=True,
                objects=(name,),
            )

    def numbers(self):
        """Sentences with numbers for users who want details; without contact only intersections."""
        if not self.touched:
            return self._intersections()
        stats = self.last.stats
        return [
            *self._intersections(),
            message("statistics.touching", vertices=stats.contacts),
            message("statistics.pairs", pairs=stats.pairs),
            message("statistics.deepest", depth=self._depth(self.deepest), distance=self.distance),
            message("statistics.truncated", vertices=stats.truncated),
            message("statistics.searches", searches=self.searches),
        ]

    def lines(self):
        """Lines about the last and the deepest frame; without contact only about intersections."""
        if not self.touched:
            return self._intersections()
        stats = self.last.stats
        return [
            *self._intersections(),
            message(
                "statistics.last_frame",
                frame=self.last.scene_frame,
                contacts=stats.contacts,
                pairs=stats.pairs,
                depth=self._depth(self.last),
                truncated=stats.truncated,
            ),
            message(
                "statistics.deepest_frame",
                frame=self.deepest.scene_frame,
                deepest=self._depth(self.deepest),
                distance=self.distance,
                searches=self.searches,
            ),
        ]

    def _intersections(self):
        """The intersections that remain, or when the last one was resolved."""
        if self.entangled is None:
            return []
        if self.entangled is self.last:
            return [str(intersection) for intersection in self.last.stats.tangles]
        return [message("statistics.untangled", frame=self.entangled.scene_frame)]

    def _depth(self, solved):
        return length(solved.stats.deepest)


def _intersecting(couples, names):
    """Intersecting pairs of bodies in words; `couples` index `names`."""
    who = next((name for name in names if all(name in couple for couple in couples)), None)
    if who is None:
        return message("report.pass_each_other", names=listed(names))
    if all(other == who != one for one, other in couples):
        return message("report.pass", names=listed([one for one, _ in couples]), name=who)
    others = [one if other == who else other for one, other in couples]
    others = listed(["itself" if name == who else name for name in others])
    return message("report.passes", name=who, others=others)
