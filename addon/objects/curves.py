# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves: their control points, and the simulated points along them.

A spline is linear in its control points: points along it are S c. The simulation moves these, and
the new control points are R x, with R S = 1 on everything that shapes the spline: the result is a
curve again. Handles of Bézier points count as control points.
"""

from dataclasses import dataclass

import numpy as np

from ...solver.messages import message
from .hair import HairStrands, is_hair, read_strands, unusable_hair

# Edges between two control points: for a Bézier spline exactly as many as its handles can follow.
BEZIER_EDGES, NURBS_EDGES = 3, 2
# Weight of the ends of a NURBS spline relative to any other point.
END_WEIGHT = 1e3
ABREAST = ("co", "handle_left", "handle_right")


def is_curve(ob):
    """Return whether an object is a curve, or hair, and so a rod with a start and an end."""
    return ob.type == "CURVE" or is_hair(ob)


def is_simulated_as_points(ob):
    """Return whether an object is of a type that can have a role: a mesh or a curve."""
    return ob.type == "MESH" or is_curve(ob)


def is_pinned(ob):
    """Return whether an object has pins."""
    if is_curve(ob):
        return ob.vbd.pin_start or ob.vbd.pin_end
    return bool(ob.vbd.pin_group)


def point_count(ob):
    """Number of points of a baked object: vertices of a mesh, control points of a curve."""
    if is_hair(ob):
        return len(ob.data.points)
    if not is_curve(ob):
        return len(ob.data.vertices)
    return sum(len(controls(spline)) for spline in ob.data.splines)


def controls(spline):
    """(point, name) of all control points of a spline."""
    if spline.type == "BEZIER":
        return [(point, name) for point in spline.bezier_points for name in ABREAST]
    return [(point, "co") for point in spline.points]


def control_points(ob, depsgraph):
    """Control points of a curve [point, 3] under its current keys and hooks, float32, and the
    `StrandMotion` of hair on a surface, else None.
    """
    if is_hair(ob):
        return read_strands(ob, depsgraph)
    evaluated = ob.evaluated_get(depsgraph)
    curve = evaluated.to_curve(depsgraph, apply_modifiers=True)
    try:
        points = [
            tuple(getattr(point, name))[:3]
            for spline in curve.splines
            for point, name in controls(spline)
        ]
    finally:
        evaluated.to_curve_clear()
    return np.array(points, np.float32).reshape(-1, 3), None


def set_key(block, ob, points):
    """Give a shape key of a curve the control points [point, 3]."""
    at = 0
    number = 0
    for spline in ob.data.splines:
        bezier = spline.type == "BEZIER"
        for _ in spline.bezier_points if bezier else spline.points:
            for name in ABREAST if bezier else ("co",):
                setattr(block.data[number], name, points[at])
                at += 1
            number += 1


def key_points(block, ob):
    """The control points [point, 3] of a shape key of a curve, float32."""
    points, number = [], 0
    for spline in ob.data.splines:
        bezier = spline.type == "BEZIER"
        for _ in spline.bezier_points if bezier else spline.points:
            names = ABREAST if bezier else ("co",)
            points += [tuple(getattr(block.data[number], name))[:3] for name in names]
            number += 1
    return np.array(points, np.float32).reshape(-1, 3)


def set_points(curve, points):
    """Move the control points of a curve to `points` [point, 3]."""
    moved = (control for spline in curve.splines for control in controls(spline))
    for (point, name), place in zip(moved, points, strict=True):
        weight = tuple(getattr(point, name))[3:]  # of all but Bézier points
        setattr(point, name, (*place, *weight))
    curve.update_tag()


def free_handles(ob):
    """Let keys place the handles of all Bézier points; returns their types."""
    points = [p for s in ob.data.splines if s.type == "BEZIER" for p in s.bezier_points]
    types = [[p.handle_left_type, p.handle_right_type] for p in points]
    for point in points:
        point.handle_left_type = point.handle_right_type = "FREE"
    return types


def give_back_handles(ob, types):
    """Undo `free_handles`, if the number of points is unchanged."""
    points = [p for s in ob.data.splines if s.type == "BEZIER" for p in s.bezier_points]
    if len(points) == len(types):
        for point, (left, right) in zip(points, types, strict=True):
            point.handle_left_type, point.handle_right_type = left, right


def unusable_spline(ob):
    """The reason why a curve cannot be simulated, or None."""
    if is_hair(ob):
        return unusable_hair(ob)
    if ob.data.dimensions != "3D":
        return message("mesh.curve_2d")
    if not len(ob.data.splines):
        return message("mesh.curve_empty")
    for number, spline in enumerate(ob.data.splines):
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        if len(points) < 2:
            return message("mesh.spline_point", spline=number)
    return None


@dataclass
class Strand:
    """One spline: `first` and `count` of its control points, S [sample, control point] and R, and
    the radius [sample]. In a closed one the last sample is connected to the first.
    """

    first: int
    count: int
    samples: np.ndarray
    back: np.ndarray
    radius: np.ndarray
    closed: bool


def strands_of(ob, curve):
    """The splines of an evaluated `curve`, or the strands of hair."""
    return HairStrands(ob.data) if is_hair(ob) else Strands(curve)


class Strands:
    """The splines of a curve, and the edges [edge, 2] between the samples of all of them."""

    def __init__(self, curve):
        self.strands, first = [], 0
        for spline in curve.splines:
            self.strands.append(strand(spline, first))
            first += self.strands[-1].count
        sizes = [len(strand.samples) for strand in self.strands]
        self.start = np.concatenate([[0], np.cumsum(sizes)])
        self.edges = np.concatenate(
            [
                start
                + np.stack([np.arange(size), np.arange(1, size + 1) % size], axis=1)[
                    : size if strand.closed else size - 1
                ]
                for strand, start, size in zip(self.strands, self.start, sizes, strict=False)
            ]
        )
        self.radius = np.concatenate([strand.radius for strand in self.strands])

    def sampled(self, points):
        """Points along the splines [sample, 3] with the control points at `points`."""
        return np.concatenate(
            [s.samples @ points[s.first : s.first + s.count] for s in self.strands]
        )

    def controls(self, samples):
        """Control points [point, 3] for points along the splines."""
        parts = np.split(samples, self.start[1:-1])
        return np.concatenate([s.back @ part for s, part in zip(self.strands, parts, strict=True)])

    def ends(self, start, end):
        """Held samples: the first two of every spline, the last two of the open ones."""
        held = [first + np.arange(2) for first in self.start[:-1]] if start else []
        for strand, last in zip(self.strands, self.start[1:], strict=True):
            if end and not strand.closed:
                held.append(last - 1 - np.arange(2))
        return np.unique(np.concatenate(held)) if held else np.empty(0, int)


def strand(spline, first):
    """The `Strand` of a spline whose control points begin at `first`."""
    closed = spline.use_cyclic_u
    if spline.type == "BEZIER":
        samples, back, along = bezier(len(spline.bezier_points), closed)
        radius = np.array([point.radius for point in spline.bezier_points])
    else:
        radius = np.array([point.radius for point in spline.points])
        if spline.type == "NURBS" and len(radius) > 2:
            samples, along = nurbs(spline, closed)
            back = fitted(samples, closed)
        else:
            samples = back = along = np.eye(len(radius))
    return Strand(first, samples.shape[1], samples, back, along @ radius, closed)


def bezier(count, closed):
    """S, R and the weights [sample, anchor] of values at the anchors of a Bézier spline."""
    segments = count if closed else count - 1
    size = BEZIER_EDGES * segments + (not closed)
    samples, along = np.zeros((size, 3 * count)), np.zeros((size, count))
    for segment in range(segments):
        one, two = segment, (segment + 1) % count
        for k in range(BEZIER_EDGES + 1):
            u, row = k / BEZIER_EDGES, (BEZIER_EDGES * segment + k) % size
            weights = [(1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u * u * (1 - u), u**3]
            samples[row] = 0.0
            samples[row, [3 * one, 3 * one + 2, 3 * two + 1, 3 * two]] = weights
            along[row] = 0.0
            along[row, [one, two]] = 1 - u, u
    used = samples.any(axis=0)
    back = np.zeros(samples.T.shape)
    back[used] = np.linalg.pinv(samples[:, used])
    for handle in np.flatnonzero(~used):  # of an end: opposite to the other one
        anchor = handle - handle % 3
        back[handle] = 2.0 * back[anchor] - back[anchor + 3 - handle % 3]
    return samples, back, along


def fitted(samples, closed):
    """R of a NURBS spline: least squares with priority for its ends, which may be held."""
    weight = np.ones((len(samples), 1))
    if not closed:
        weight[[0, -1]] = END_WEIGHT
    return np.linalg.pinv(weight * samples) * weight.T


def nurbs(spline, closed):
    """S and the weights [sample, control point] of values at the points of a NURBS spline."""
    count, order = len(spline.points), min(spline.order_u, len(spline.points))
    knots = knot_vector(count, order, closed, spline.use_endpoint_u, spline.use_bezier_u)
    start, end = knots[order - 1], knots[count + order - 1 if closed else count]
    size = NURBS_EDGES * count if closed else NURBS_EDGES * (count - 1) + 1
    u = np.linspace(start, end, size, endpoint=not closed)
    basis = basis_functions(knots, order, u, end)
    samples = np.zeros((size, count))
    np.add.at(samples.T, np.arange(basis.shape[1]) % count, basis.T)
    samples *= [point.co[3] for point in spline.points]
    samples /= samples.sum(axis=1, keepdims=True)
    return samples, samples


def knot_vector(count, order, closed, endpoint, is_bezier):
    """The knots that Blender gives a NURBS spline of `count` points."""
    repeat = order - 1 if is_bezier else 1
    head = order - closed if endpoint else (min(2, repeat) if is_bezier else 1)
    tail = 2 * order - 1 if closed else (order if endpoint else 0)
    knots = np.zeros(count + (2 * order - 1 if closed else order))
    offset, current, left = int(endpoint and closed), 0.0, head
    if offset:
        current = 1.0
    for number in range(offset, len(knots) - tail):
        knots[number] = current
        left -= 1
        if left == 0:
            current, left = current + 1.0, repeat
    for number in range(tail):
        knots[len(knots) - tail + number] = current + knots[number] - knots[0]
    return knots


def basis_functions(knots, order, u, end):
    """B-splines of an order over some knots at u [sample, function] (Cox and de Boor)."""
    last = np.flatnonzero(knots < end).max()
    inside = (u[:, None] >= knots[:-1]) & (u[:, None] < knots[1:])
    inside[u >= end] = np.arange(len(knots) - 1) == last
    basis = inside.astype(float)
    for degree in range(1, order):
        rise, fall = np.zeros_like(basis[:, 1:]), np.zeros_like(basis[:, 1:])
        for k in range(basis.shape[1] - 1):
            one, two = knots[k + degree] - knots[k], knots[k + degree + 1] - knots[k + 1]
            if one > 0.0:
                rise[:, k] = (u - knots[k]) / one * basis[:, k]
            if two > 0.0:
                fall[:, k] = (knots[k + degree + 1] - u) / two * basis[:, k + 1]
        basis = rise + fall
    return basis
