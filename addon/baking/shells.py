# SPDX-License-Identifier: GPL-3.0-or-later
"""Solidify behind a bake: its shell may intersect what the simulated surface lies on, since contact
does not know the shell.
"""

from dataclasses import dataclass

import numpy as np

from ...solver.bodies import Collider, Rod
from ...solver.lattice.pinned_corners import normals_of
from ...solver.messages import message
from ...solver.report.lengths import length
from ...solver.scene.thickness import collision_thickness
from ..objects.identity import present
from ..objects.modifiers import simulation_point
from .frame_numbers import elements_of
from .report import Line

# Number of contacts to sample in the last frame: enough to find their side, and each searches for
# the nearest of all vertices.
MOST = 64
# A side with a smaller fraction of the contacts is not the one that the object lies on.
SOME = 0.1
# A shell is reported if it is thicker than this multiple of the contact distance.
SHOWS = 1.1


@dataclass
class Shell:
    """The `name` of a Solidify, and the thickness [m] of its shell on both `sides`: inside, against
    the normals, and outside.
    """

    name: str
    sides: tuple[float, float]


def shell_of(ob):
    """The `Shell` that a modifier makes of the baked result; None without one."""
    for modifier in simulation_point(ob)[1]:
        if modifier.type == "SOLIDIFY" and not modifier.use_rim_only:
            scale = abs(np.linalg.det(np.array(ob.matrix_world)[:3, :3])) ** (1.0 / 3.0)
            thickness, offset = scale * modifier.thickness, modifier.offset
            inside, outside = 0.5 * thickness * (1.0 - offset), 0.5 * thickness * (1.0 + offset)
            return Shell(
                modifier.name, (inside, outside) if thickness > 0.0 else (-outside, -inside)
            )
    return None


class ShellReport:
    """Checks the last frame of a `Gathered` scene."""

    def __init__(self, gathered):
        self.gathered = gathered
        self.last = None

    def take(self, frame, positions, places):
        """Remember a frame: `positions` of all bodies, [vertex, 3] each, in m, and its `Places`."""
        self.last = positions, self.gathered.poses(frame), places

    def lines(self):
        """`Line`s about shells that are thicker than the contact distance."""
        if self.last is None or not len(self.last[2].contacts):
            return
        positions, poses, places = self.last
        pairs = zip(self.gathered.targets, self.gathered.simulated(), strict=True)
        for (target, body), x, pose in zip(pairs, positions, poses, strict=True):
            ob = present(target.key)
            shell = None if ob is None or isinstance(body, Rod) else shell_of(ob)
            if shell is None:
                continue
            room = self._clearance(body)
            points, triangles = target.visible(x, pose), elements_of((target, body))
            touched = touched_sides(points, triangles, places, room)
            deepest = max(np.multiply(shell.sides, touched))
            if deepest > SHOWS * room:
                yield self._line(ob.name, shell, touched, deepest, room)

    def _clearance(self, body):
        """The largest contact distance between a body and others [m]."""
        bodies = self.gathered.bodies
        others = [other.thickness for other in bodies if isinstance(other, Collider)]
        others += map(collision_thickness, self.gathered.simulated())
        return float(np.max(collision_thickness(body)) + max(map(np.max, others)))

    def _line(self, name, shell, touched, deepest, room):
        known = {"name": name, "modifier": shell.name, "deepest": length(deepest)}
        known["room"] = length(room)
        if all(touched):
            half = length(0.5 * sum(shell.sides))
            text = message("report.shell_both_sides", thickness=half, **known)
        else:
            text = message("report.shell", offset=1 if touched[0] else -1, **known)
        return Line(text=text, objects=(name,))


def touched_sides(points, triangles, places, clearance):
    """Return for inside and outside whether a surface, points [vertex, 3] and triangles [triangle,
    3], is touched there by the `Places` of a frame; `clearance` [m] is the distance to others.
    """
    normals = normals_of(points, triangles)
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    sides = points[triangles[:, 1]] - points[triangles[:, 0]]
    reach = np.median(np.linalg.norm(sides, axis=1)) + clearance
    some = np.linspace(0, len(places.contacts) - 1, min(len(places.contacts), MOST)).astype(int)
    inside = outside = 0
    for place, push in zip(places.contacts[some], places.normals[some], strict=True):
        gap = np.linalg.norm(points - place, axis=1)
        near = int(gap.argmin())
        if gap[near] > reach:
            continue  # a contact of others
        # Contact pushes the surface itself, or else the body beside it away.
        height = (place - points[near]) @ normals[near]
        is_pushed = abs(height) < 0.5 * clearance
        if (push @ normals[near] > 0.0) == is_pushed:
            inside += 1
        else:
            outside += 1
    least = max(1.0, SOME * (inside + outside))
    return inside >= least, outside >= least
