# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of every frame of a bake: statistics of the solver, and the shape of every object.

They lie in the cache, a file per frame, so they move with the bake and stay complete after it is
resumed. Files may come from anywhere: entries that are not numbers are left out.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...solver.bodies import RigidBody, Rod
from ...solver.messages import message
from ..objects.measures import (
    area,
    edge_stretch,
    enclosed_volume,
    inside_out,
    is_closed,
    lengths,
    triangle_stretch,
)

MILLIMETRE = 1e-3
# At most this many places are saved for drawing, with about the digits of float32: enough to locate
# them.
MOST_PLACES, DIGITS = 1000, 7
# Kinds of saved places, and the count of numbers of each: a point [m], and for contacts a normal.
PLACES = {"contacts_at": 6, "inside_out": 3, "stuck": 3}

# Columns of a frame: name, unit, and the value from a `Statistics`.
FRAME_COLUMNS = {
    "seconds": ("s", lambda stats: stats.seconds),
    "iterations": ("", lambda stats: stats.iterations),
    "converged": ("", lambda stats: int(stats.verdict == "converged")),
    "residual": ("", lambda stats: stats.residual),
    "error": ("mm", lambda stats: stats.error / MILLIMETRE),
    "kinetic_energy": ("J", lambda stats: stats.kinetic_energy),
    "elastic_energy": ("J", lambda stats: stats.elastic_energy),
    "gravitational_energy": ("J", lambda stats: stats.gravitational_energy),
    "contact_energy": ("J", lambda stats: stats.contact_energy),
    "contacts": ("", lambda stats: stats.contacts),
    "pairs": ("", lambda stats: stats.pairs),
    "deepest": ("mm", lambda stats: stats.deepest / MILLIMETRE),
    "intersections": ("", lambda stats: len(stats.tangles)),
    "inverted": ("", lambda stats: stats.inverted),
    "rejected": ("", lambda stats: stats.rejected),
    "broken": ("", lambda stats: stats.broken),
}
# Columns of an object; `x`, `y`, `z` are the mean of its vertices, and the speed is that of the
# mean. The error is the estimated error of its positions.
OBJECT_UNITS = {
    "x": "m",
    "y": "m",
    "z": "m",
    "speed": "m/s",
    "stretch": "",
    "length": "m",
    "area": "m2",
    "volume": "m3",
    "error": "mm",
}


def numbers_of(stats):
    """The saved numbers of a `Statistics` of a frame."""
    return {name: finite(read(stats)) for name, (_, read) in FRAME_COLUMNS.items()}


def places_of(places):
    """The saved places of the `Places` of a frame."""
    return {
        "contacts_at": _listed(np.hstack([places.contacts, places.normals])),
        "stuck": _listed(places.stuck),
    }


def _listed(rows):
    """Rows of numbers as lists, at most `MOST_PLACES` of them, evenly sampled."""
    chosen = rows[:: 1 + len(rows) // (MOST_PLACES + 1)]
    return [[float(f"{value:.{DIGITS}g}") for value in row] for row in chosen]


def finite(value):
    """A number as JSON has it, None for NaN and infinity."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


class Shapes:
    """Measures the objects of a `Gathered` scene in every frame."""

    def __init__(self, gathered):
        self.gathered = gathered
        self.start = [shown_points(body) for body in gathered.simulated()]
        self.rest = None

    def numbers(self, index, positions, stats=None):
        """The numbers of every object, given the positions of bodies [vertex, 3] in a frame and its
        `Statistics`; with inverted elements also their places.
        """
        objects, points, bodies = {}, [np.zeros((0, 3))], self.gathered.simulated()
        errors = stats.errors if stats else [None] * len(bodies)
        if self.rest is None:
            start = [target.start for target in self.gathered.targets]
            surfaces = self._surfaces(self.start, start, map(elements_of, self._pairs()))
            self.rest = list(surfaces)
        elements = [surface.elements for surface in self.rest]
        surfaces = self._surfaces(positions, self.gathered.poses(index), elements)
        for rest, now, error in zip(self.rest, surfaces, errors, strict=True):
            objects[now.name] = {name: finite(value) for name, value in now.compared(rest).items()}
            objects[now.name]["error"] = None if error is None else finite(error / MILLIMETRE)
        for body, x in zip(bodies, positions, strict=True):
            solid = body.elements.shape[1] > 3 and not isinstance(body, RigidBody)
            if stats and stats.inverted and solid:
                points.append(inside_out(x, body.elements))
        return {"objects": objects, "inside_out": _listed(np.concatenate(points))}

    def _pairs(self):
        return zip(self.gathered.targets, self.gathered.simulated(), strict=True)

    def _surfaces(self, positions, poses, elements):
        for (target, body), x, pose, own in zip(
            self._pairs(), positions, poses, elements, strict=True
        ):
            is_rod = isinstance(body, Rod)  # its directors come last
            points = x[: 1 + body.elements.max()] if is_rod else target.visible(x, pose)
            yield Surface(target.name, points, own)


def shown_points(body):
    """The points of a body as a frame has them [m]: those of a rigid one's mesh."""
    return body.mesh_points if isinstance(body, RigidBody) else body.points


def elements_of(pair):
    """Triangles or edges of the visible surface of a body."""
    target, body = pair
    if target.faces is not None:
        return target.faces
    if body.elements.shape[1] == 4:
        # Warp takes half a second to import; not while Blender starts.
        from ...solver.topology.meshes import boundary_triangles

        return boundary_triangles(body.elements)
    return body.elements


@dataclass
class Surface:
    """An object at one time: points in the world [m], and triangles, edges or grains."""

    name: str
    points: np.ndarray
    elements: np.ndarray

    @cached_property
    def is_closed(self):
        return self.elements.shape[1] == 3 and is_closed(self.elements)

    def compared(self, rest):
        """The saved numbers of the surface, by the columns that it has."""
        middle = self.points.mean(axis=0)
        numbers = {axis: float(value) for axis, value in zip("xyz", middle, strict=True)}
        if self.elements.shape[1] == 1:  # grains
            return numbers
        if self.elements.shape[1] == 2:
            stretch = edge_stretch(rest.points, self.points, self.elements)
            numbers["length"] = float(lengths(self.points, self.elements).sum())
        else:
            stretch = triangle_stretch(rest.points, self.points, self.elements)
            numbers["area"] = area(self.points, self.elements)
            if rest.is_closed:  # computed once
                numbers["volume"] = enclosed_volume(self.points, self.elements)
        return numbers | {"stretch": float(stretch.max(initial=0.0))}


def frames_of(cache):
    """The numbers of all whole frames of a `Cache`, a dict each; ValueError without any."""
    fps, frames = cache.header.fps, []
    for index in range(cache.finished()):
        frames.append(numbers_in(cache, index))
        _add_speeds(frames[-1]["objects"], frames[index - 1]["objects"] if index else {}, fps)
    if not any(frame["seconds"] is not None for frame in frames):
        raise ValueError(message("statistics.none"))
    return frames


def numbers_in(cache, index):
    """The numbers of a frame but for speeds, None for what is not known."""
    saved = cache.read_stats(index)
    saved = saved if isinstance(saved, dict) else {}
    numbers = {"frame": cache.header.frame_start + index}
    numbers |= {name: finite(saved.get(name)) for name in FRAME_COLUMNS}
    of = saved.get("objects")
    of = of if isinstance(of, dict) else {}
    return numbers | {"objects": {name: _object(of.get(name)) for name in cache.header.names}}


def _object(saved):
    saved = saved if isinstance(saved, dict) else {}
    return {name: finite(saved.get(name)) for name in OBJECT_UNITS}


def _add_speeds(objects, before, fps):
    """Add the speed of the center of every object since the frame before [m/s]."""
    for name, numbers in objects.items():
        now, then = ([of.get(name, {}).get(axis) for axis in "xyz"] for of in (objects, before))
        known = None not in now and None not in then
        numbers["speed"] = finite(fps * math.dist(now, then)) if known else None


def places_in(saved, name):
    """Saved places of a frame of a kind, one of `PLACES`; float64 [place, number]."""
    width = PLACES[name]
    rows = saved.get(name) if isinstance(saved, dict) else None
    rows = rows if isinstance(rows, list) else []
    good = [r for r in rows if isinstance(r, list) and len(r) == width]
    good = [r for r in good if None not in map(finite, r)]
    return np.array(good[:MOST_PLACES], np.float64).reshape(-1, width)
