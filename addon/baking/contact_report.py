# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake says about contact: who touched, how deep, and what it took."""

import numpy as np

from ...solver.bodies import Collider, Deformable
from ...solver.report.lengths import length
from ...solver.scene.thickness import collision_thickness
from .report import Line, listed

MILLIMETRE = 1e-3
# Inside of something is what is deeper than so many times the distance that surfaces keep.
SUNK = 1.5


def contact_distances(bodies, settings):
    """Smallest and largest distance [m] that surfaces of a scene keep; (0, 0) if none may meet.

    `bodies` are all that `simulate` gets. Two surfaces keep the sum of their thicknesses, a bound
    or the ground that of the body.
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

    `distances` [m] are those of `contact_distances`.
    """

    def __init__(self, distances=(0.0, 0.0)):
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
        self.began_apart |= self.last is None and not stats.tangles
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
        """Lines about what begins inside of a collider, and about what passes through what at the
        end, or when that was over.
        """
        for names in self.rooms:
            what = "{} begins inside of {} and stays in it; move it out if it should not"
            yield Line(text=what.format(*names), objects=names)
        if self.entangled is None:
            return
        found = self.entangled.stats.tangles
        names = tuple(dict.fromkeys(name for intersection in found for name in intersection.bodies))
        if self.entangled is not self.last:
            who = " and ".join(names) if len(names) == 2 else listed(names)
            what = f"{who} were entangled" if len(names) > 1 else f"{who} was entangled with itself"
            until = f"until frame {self.entangled.scene_frame}; if that shows,"
            if self.began_apart:
                until = f"from frame {self.first_entangled.scene_frame} {until}"
            yield Line(text=f"{what} {until} {self._remedy('start apart')}", objects=names)
            return
        what = _who_passes([intersection.bodies for intersection in found], names)
        remedy = self._remedy("move apart what starts entangled")
        yield Line(text=f"{what}; {remedy}", warns=True, objects=names)

    def _remedy(self, at_start):
        """What helps against what is entangled; what began apart has been led there."""
        return (
            "keep apart what animation leads, pins and colliders" if self.began_apart else at_start
        )

    def sunk(self):
        """A `Line` about what is still inside of the ground or a collider at the end."""
        # What is in front of a surface is never deeper than the distance that it keeps.
        if self.last is None or self.last is self.entangled:
            return
        if self.last.stats.deepest > SUNK * self.farthest > 0.0:
            yield Line(
                text=f"Something is still {self._depth(self.last)} deep in the ground or in a "
                "collider; let it start outside",
                warns=True,
            )

    def numbers(self):
        """Sentences for those who want to know more; none if nothing has touched."""
        if not self.touched:
            return self._intersections()
        stats = self.last.stats
        return [
            *self._intersections(),
            f"Touching: {stats.contacts:,} vertices",
            f"Pairs: {stats.pairs:,}",
            f"Deepest: {self._depth(self.deepest)} of {self.distance}",
            f"Truncated: {stats.truncated:,} vertices",
            f"Searches: {self.searches:,}",
        ]

    def lines(self):
        """Lines about the last and the deepest frame; none if nothing has touched."""
        if not self.touched:
            return self._intersections()
        stats = self.last.stats
        return [
            *self._intersections(),
            f"Last frame {self.last.scene_frame}: {stats.contacts} vertices touch in "
            f"{stats.pairs} pairs, {self._depth(self.last)} deep, {stats.truncated} truncated",
            f"Deepest frame {self.deepest.scene_frame}: {self._depth(self.deepest)} of the contact "
            f"distance of {self.distance}; {self.searches} searches in all frames",
        ]

    def _intersections(self):
        """What still passes through what, or when the last intersection was gone."""
        if self.entangled is None:
            return []
        if self.entangled is self.last:
            return [str(intersection) for intersection in self.last.stats.tangles]
        return [f"Untangled after frame {self.entangled.scene_frame}"]

    def _depth(self, solved):
        return length(solved.stats.deepest)


def _who_passes(couples, names):
    """What passes through what, of couples of bodies and the names of all of these, in words."""
    who = next((name for name in names if all(name in couple for couple in couples)), None)
    if who is None:
        return f"{listed(names)} pass through each other"
    if all(other == who != one for one, other in couples):
        return f"{listed([one for one, _other in couples])} pass through {who}"
    others = [one if other == who else other for one, other in couples]
    return f"{who} passes through {listed(['itself' if n == who else n for n in others])}"
