# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending of soft bodies inside faces that are larger than their cells, where it is invisible.

Such a body touches with its faces divided (`contact_mesh`), but only the vertices of its mesh are
baked: the sides of a box with eight vertices stay flat when they bulge, and bodies on them seem to
hover or to intersect.
"""

import numpy as np

from ...solver.lattice.contact_mesh import LONGEST_EDGE, split_with_ends
from ...solver.lattice.lattice import embed
from ...solver.messages import message
from ...solver.report.lengths import length
from ..objects.identity import present
from ..objects.subdividing import cannot_subdivide, subdivider_of
from .report import Line, listed

# Bending is reported from this fraction of the longest side of a body on, ...
SHOWS = 0.02
# ... if it lasts for this fraction of the frames: an impact is short.
LASTS = 0.2


class WithinFaces:
    """Points between the vertices of a mesh: points [vertex, 3] in m, triangles [triangle, 3]."""

    def __init__(self, points, triangles, lattice):
        longest = LONGEST_EDGE * lattice.cell_size
        divided, _, self.ends = split_with_ends(points, triangles, longest)
        self.corners, self.weights = embed(divided[len(points) :], lattice)

    def largest_distance(self, positions, visible):
        """Largest distance of the points from the drawn faces [m].

        `positions` [vertex, 3] are those of the lattice, `visible` [vertex, 3] those of the mesh.
        """
        drawn = visible
        for ends in self.ends:
            drawn = np.concatenate([drawn, drawn[ends].mean(axis=1)])
        corners = positions[self.corners].astype(np.float64)
        points = np.einsum("pk,pki->pi", self.weights, corners)
        return float(np.linalg.norm(points - drawn[len(visible) :], axis=1).max(initial=0.0))


class FaceReport:
    """Measures how far the soft bodies of a `Gathered` scene bend within their faces."""

    def __init__(self, gathered):
        self.gathered = gathered
        self.within = None
        """`WithinFaces` of targets with large faces, by their number; made with the first frame."""
        self.distances = {}
        """Largest distance [m] in every frame for each of these targets."""

    def _large_faces(self):
        for number, target in enumerate(self.gathered.targets):
            if target.lattice is not None:
                within = WithinFaces(target.start_points(), target.faces, target.lattice)
                if within.ends:
                    yield number, within

    def take(self, frame, positions):
        """Count a frame: `positions` of all bodies, [vertex, 3] each, in m."""
        if self.within is None:
            self.within = dict(self._large_faces())
            self.distances = {number: [] for number in self.within}
        if not self.within:
            return
        poses = self.gathered.poses(frame)
        for number, within in self.within.items():
            visible = self.gathered.targets[number].visible(positions[number], poses[number])
            distance = within.largest_distance(positions[number], visible)
            self.distances[number].append(distance)

    def _size(self, number):
        """The longest side of a target [m]."""
        return float(np.ptp(self.gathered.targets[number].start_points(), axis=0).max())

    def lines(self):
        """A `Line` about the bodies whose faces do not show how they bend."""
        found = {
            ob: max(distances)
            for number, distances in self.distances.items()
            if _lasts(distances, SHOWS * self._size(number))
            and (ob := present(self.gathered.targets[number].key))
        }
        plain = [ob for ob in found if not cannot_subdivide(ob)]
        made = [ob for ob in found if ob not in plain]
        for objects in filter(None, (plain, made)):
            names = tuple(ob.name for ob in objects)
            text = message(
                "report.bends" if objects is plain else "report.bends_modifier",
                names=listed(names),
                count=len(names),
                deepest=length(max(found[ob] for ob in objects)),
            )
            has_button = objects is plain or any(map(subdivider_of, objects))
            yield Line(text=text, objects=names, operator=text.operator if has_button else "")


def _lasts(distances, shows):
    return np.count_nonzero(np.array(distances) > shows) > LASTS * len(distances)
