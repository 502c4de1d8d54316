# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending and twisting of rods, and their directors (kernels/elements/rods.py, directors.py)."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..bodies import Rod
from ..kernels.elements import directors as director_kernels
from ..kernels.elements import rods as kernels
from ..kernels.elements.creases import bend_flowed
from ..kernels.elements.section_frame import FOLDED
from ..topology.meshes import unit
from .body_constants import crease_curvature, damping_time, per_element
from .element_kind import Columns, ElementKind, Plastic
from .springs import rest_lengths
from .vertex_records import damped, in_vertex_order

# Up to so many edges that meet, all pairs bend against each other; of more, each with the first.
MOST_PAIRED = 8
# Over-relaxation of rods: with 1.5 a slack rope that swings gains energy.
RELAXATION = 1.3


@dataclass
class Bends(Plastic):
    """Stiffness B/l and C/l [N m], strain at rest [bend, 3] and damping time [s] of two edges (a,
    b) and (b, c) each, with their directors: corners a, b, c, p, q. `limit` is a |κ|.
    """

    bending: np.ndarray
    twisting: np.ndarray
    rest: np.ndarray
    damping_time: np.ndarray


@dataclass
class Directors(Columns):
    """Distance from the edge [m] and stiffness [N/m] of directors: corners a, b, p."""

    distance: np.ndarray
    stiffness: np.ndarray


def meeting_edges(edges):
    """Pairs of edges that meet [pair, 2], their common vertex [pair], and the share of their
    stiffness that each pair takes [pair].
    """
    ends = edges.ravel()
    order = np.argsort(ends, kind="stable")
    of_end, vertex = order // 2, ends[order]
    first = np.searchsorted(vertex, vertex)  # the first end at the same vertex
    valence = np.bincount(ends)[vertex]
    hub, rank = valence > MOST_PAIRED, np.arange(len(ends)) - first
    last = np.flatnonzero(hub & (rank > 0))
    pairs, share = [np.stack([first[last], last], axis=1)], [np.ones(len(last))]
    for step in range(1, MOST_PAIRED):
        last = np.flatnonzero(~hub & (rank >= step))
        pairs.append(np.stack([last - step, last], axis=1))
        share.append(2.0 / valence[last])
    pairs = np.concatenate(pairs)
    return of_end[pairs], vertex[pairs[:, 0]], np.concatenate(share)


def bend_corners(rod, pairs, vertex):
    """The corners (a, b, c, p, q) of pairs of edges [pair, 2] that meet at `vertex` [pair]."""
    other = rod.edges[pairs].sum(axis=2) - vertex[:, None]
    return np.column_stack([other[:, 0], vertex, other[:, 1], rod.directors[pairs]])


def bend_strains(points, corners):
    """κ₁, κ₂ and m [rad] of bends [bend, 3]."""
    a, b, c, p, q = (points[corners[:, k]] for k in range(5))
    s, t = unit(b - a), unit(c - b)
    u, v = p - 0.5 * (a + b), q - 0.5 * (b + c)
    u = unit(u - np.einsum("ei,ei->e", u, s)[:, None] * s)
    v = unit(v - np.einsum("ei,ei->e", v, t)[:, None] * t)
    axis, cosine = np.cross(s, t), np.einsum("ei,ei->e", s, t)
    opening = np.maximum(1.0 + cosine, FOLDED)
    carried = cosine[:, None] * u + np.cross(axis, u)
    carried += (np.einsum("ei,ei->e", axis, u) / opening)[:, None] * axis
    sine = np.einsum("ei,ei->e", np.cross(carried, v), t)
    return np.stack(
        [
            np.einsum("ei,ei->e", np.cross(s, u) + np.cross(t, v), axis) / opening,
            -np.einsum("ei,ei->e", u + v, axis) / opening,
            np.arctan2(sine, np.einsum("ei,ei->e", carried, v)),
        ],
        axis=1,
    )


def bending_stiffness(rod):
    """B = factor · E I [N m²] of every edge, I = π d⁴/64 of a round section."""
    m = rod.material
    diameter = per_element(rod, "thickness", m.thickness)
    modulus = per_element(rod, "Young's modulus", m.youngs_modulus)
    factor = per_element(rod, "bending factor", m.bending_factor)
    return factor * modulus * np.pi * diameter**4 / 64.0


def bends_of(body, settings):
    """The bends of a rod that resists bending.

    A vertex takes half of each of its edges. Pinned edges do not bend: a clamp ends at its last
    vertex. Where more than two edges meet, pairs share the stiffness. C = G J = B/(1 + ν) for round
    sections.
    """
    if not isinstance(body, Rod) or not body.is_elastic:
        return None
    pairs, vertex, share = meeting_edges(body.edges)
    length, stiffness = rest_lengths(body), bending_stiffness(body)
    bends = length.copy()
    if body.pins is not None:
        bends[np.isin(body.edges, body.pins.indices).all(axis=1)] = 0.0
    span = 0.5 * bends[pairs].sum(axis=1)
    span = np.where(span > 0.0, span, 0.5 * length[pairs].sum(axis=1))
    bending = share * stiffness[pairs].mean(axis=1) / span
    ratio = per_element(body, "Poisson's ratio", body.material.poisson_ratio)
    twisting = bending / (1.0 + ratio[pairs].mean(axis=1))
    corners = bend_corners(body, pairs, vertex)
    rest = bend_strains(body.rest_points, corners)
    rest = np.zeros_like(rest) if body.material.rest_flat else rest
    time = damping_time(body, settings)[pairs].mean(axis=1)
    limit = crease_curvature(body)[pairs].mean(axis=1) * span
    plastic = limit, np.full(len(pairs), body.material.flow_time), np.arange(len(pairs))
    return Bends(corners, *plastic, bending, twisting, rest, time)[bending > 0.0]


def directors_of(body, _settings):
    """The directors of a rod that resists bending, about as stiff as its bends."""
    if not isinstance(body, Rod) or not body.is_elastic:
        return None
    corners = np.column_stack([body.edges, body.directors])
    a, b, p = (body.rest_points[corners[:, k]] for k in range(3))
    distance = np.linalg.norm(p - 0.5 * (a + b), axis=1)
    stiffness = 0.5 * bending_stiffness(body) / (rest_lengths(body) * distance**2)
    return Directors(corners, distance, stiffness)


def steady_relaxation(bends):
    """The largest ω [bend] with which rods lose energy as they should."""
    return np.full(len(bends), RELAXATION)


def seen_from_corners(columns):
    """The corners of elements, and the number of each, for every record [element, corner]."""
    corners = columns.corners
    count = corners.shape[1]
    every = np.broadcast_to(corners[:, None], (len(corners), count, count))
    return {"corners": every, "corner": np.broadcast_to(np.arange(count), corners.shape)}


def bend_columns(_points, bends, h):
    """Fields of `Bend` for steps of length h [s]."""
    ratio = bends.damping_time / h
    return {
        "bending": damped(bends.bending, ratio)[0],
        "twisting": damped(bends.twisting, ratio)[0],
    }


def bend_records(points, bends, h):
    """Records for steps of length h [s]."""
    columns = seen_from_corners(bends) | bend_columns(points, bends, h)
    blend = damped(bends.bending, bends.damping_time / h)[1]
    return in_vertex_order(
        len(points), kernels.BendRecord, bends.corners, columns, bends.rest, blend
    )


def director_columns(_points, directors, _h=None):
    """Fields of `Director`."""
    return {"distance": directors.distance, "stiffness": directors.stiffness}


def director_records(points, directors, _h):
    """Records of directors."""
    columns = seen_from_corners(directors) | director_columns(points, directors)
    return in_vertex_order(len(points), director_kernels.DirectorRecord, directors.corners, columns)


BENDS = ElementKind(
    name="bends",
    corners=5,
    columns=4,
    cost=100.0,
    of_body=bends_of,
    records=bend_records,
    element_columns=bend_columns,
    exact_columns=lambda _points, bends: {
        "rest": bends.rest,
        "bending": bends.bending,
        "twisting": bends.twisting,
    },
    relaxation=steady_relaxation,
    record=kernels.BendRecord,
    rest=wp.vec3,
    force_hessian=kernels.bend_force_hessian,
    moved_rest=kernels.bend_moved_rest,
    flowed=bend_flowed,
    element=kernels.Bend,
    gradient=kernels.bend_gradient,
    weight=kernels.bend_weight,
    stress=kernels.bend_stress,
    squares=3,
    square=kernels.bend_square,
    slope=kernels.bend_slope,
    exact=kernels.ExactBend,
    energy=kernels.bend_energy,
)
DIRECTORS = ElementKind(
    name="directors",
    corners=3,
    columns=2,
    cost=30.0,
    of_body=directors_of,
    records=director_records,
    element_columns=director_columns,
    exact_columns=director_columns,
    record=director_kernels.DirectorRecord,
    force_hessian=director_kernels.director_force_hessian,
    element=director_kernels.Director,
    gradient=director_kernels.director_gradient,
    weight=director_kernels.director_weight,
    stress=director_kernels.director_stress,
    squares=2,
    square=director_kernels.director_square,
    slope=director_kernels.director_slope,
    exact=director_kernels.ExactDirector,
    energy=director_kernels.director_energy,
)
