# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets of several kinds of mesh; points [vertex, 3] in metres, faces as triangles and quads."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import Delaunay

# Displacement of irregular vertices, and least distance between random ones, over the edge.
JITTER, APART = 0.25, 0.72


@dataclass
class Sheet:
    """A flat mesh: points [vertex, 3], triangles [triangle, 3], the faces as Blender has them
    (quads [face, 4] or triangles), and the vertices of its outer border in order.
    """

    points: np.ndarray
    triangles: np.ndarray
    faces: np.ndarray
    hem: np.ndarray


def split(quads, along_other):
    """Two triangles for each quad (a, b, c, d): with the diagonal a c, or b d where `along_other`
    [quad] is true.
    """
    a, b, c, d = quads.T
    one = np.stack([a, b, c, a, c, d], axis=1)
    other = np.stack([a, b, d, b, c, d], axis=1)
    return np.where(along_other[:, None], other, one).reshape(-1, 3)


def grid_quads(columns, rows, is_ring=False):
    """Quads (a, b, c, d) of a grid of `columns` by `rows` quads, with vertices numbered row by row,
    and the column + row of each quad. The columns of a ring close.
    """
    width = columns if is_ring else columns + 1
    row, column = (k.ravel() for k in np.indices((rows, columns)))
    right = (column + 1) % width
    corners = row * width + column, row * width + right
    quads = [*corners, (row + 1) * width + right, (row + 1) * width + column]
    return np.stack(quads, axis=1), row + column


def frame_of(columns, rows):
    """Border vertices of a grid in order, from its first vertex on."""
    index = np.arange((columns + 1) * (rows + 1)).reshape(rows + 1, columns + 1)
    sides = index[0, :-1], index[:-1, -1], index[-1, :0:-1], index[:0:-1, 0]
    return np.concatenate(sides)


def rectangle(columns, rows, size, diagonals="alternating"):
    """A sheet of `size` [m, m] round the origin in the plane z = 0."""
    x = np.linspace(-0.5 * size[0], 0.5 * size[0], columns + 1)
    y = np.linspace(-0.5 * size[1], 0.5 * size[1], rows + 1)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    points = np.column_stack([points, np.zeros(len(points))])
    quads, place = grid_quads(columns, rows)
    other = place % 2 == 1 if diagonals == "alternating" else np.zeros(len(quads), bool)
    return Sheet(points, split(quads, other), quads, frame_of(columns, rows))


def jittered(faces, size, seed=1):
    """A square sheet whose inner vertices are moved by up to a quarter of an edge."""
    sheet = rectangle(faces, faces, (size, size))
    inner = np.setdiff1d(np.arange(len(sheet.points)), sheet.hem)
    way = np.random.default_rng(seed).uniform(-1.0, 1.0, (len(inner), 2))
    sheet.points[inner, :2] += JITTER * size / faces * way
    return sheet


def of_points(plane, size):
    """The Delaunay triangulation of points [vertex, 2] that fill a square; slivers along straight
    sides are left out.
    """
    triangles = Delaunay(plane).simplices
    a, b, c = plane[triangles].swapaxes(0, 1)
    double = np.linalg.det(np.stack([b - a, c - a], axis=1))
    triangles = np.where(double[:, None] > 0.0, triangles, triangles[:, ::-1])
    triangles = triangles[np.abs(double) > 1e-9 * size**2]
    on_hem = np.flatnonzero(np.abs(plane).max(axis=1) > 0.5 * size - 1e-9)
    # The angle around the middle orders vertices along the sides of a square.
    hem = on_hem[np.argsort(np.arctan2(plane[on_hem, 1], plane[on_hem, 0]))]
    points = np.column_stack([plane, np.zeros(len(plane))])
    return Sheet(points, triangles, triangles, hem)


def equilateral(faces, size):
    """About as many vertices as a grid of faces², in rows of equilateral triangles."""
    edge = size / faces * np.sqrt(2.0 / np.sqrt(3.0))
    rows = round(size / (edge * np.sqrt(0.75)))
    columns = round(size / edge)
    step = size / columns
    plane = []
    for row, y in enumerate(np.linspace(-0.5 * size, 0.5 * size, rows + 1)):
        x = -0.5 * size + step * (np.arange(columns + 1) + 0.5 * (row % 2))
        x = x[x < 0.5 * size + 1e-9]
        if row % 2:
            x = np.concatenate([[-0.5 * size], x, [0.5 * size]])
        plane += [(a, y) for a in x]
    return of_points(np.array(plane), size)


def scattered(faces, size, seed=1):
    """About as many vertices as a grid of faces², at random places with a least distance between
    them, as a remesher leaves them; those of the border at equal distances.
    """
    random, edge = np.random.default_rng(seed), size / faces
    even = np.linspace(-0.5 * size, 0.5 * size, faces + 1)[:-1]
    side = np.full(faces, -0.5 * size)
    plane = [(even, side), (-side, even), (-even, -side), (side, -even)]
    kept = np.concatenate([np.stack(s, axis=1) for s in plane])
    trial = random.uniform(-0.5 * size + 0.5 * edge, 0.5 * size - 0.5 * edge, (40 * faces**2, 2))
    for point in trial:
        if (((kept - point) ** 2).sum(axis=1) > (APART * edge) ** 2).all():
            kept = np.vstack([kept, point])
    return of_points(kept, size)


def crossed(faces, size):
    """Quads with both diagonals, about as many vertices as a grid of faces²: edges go along the
    diagonals, too.
    """
    sheet = rectangle(round(faces / np.sqrt(2.0)), round(faces / np.sqrt(2.0)), (size, size))
    count, quads = len(sheet.points), sheet.faces
    middle = count + np.arange(len(quads))
    a, b, c, d = quads.T
    sides = (a, b, middle), (b, c, middle), (c, d, middle), (d, a, middle)
    triangles = np.concatenate([np.stack(side, axis=1) for side in sides])
    points = np.concatenate([sheet.points, sheet.points[quads].mean(axis=1)])
    return Sheet(points, triangles, triangles, sheet.hem)


SQUARES = {
    "alternating": lambda faces, size: rectangle(faces, faces, (size, size)),
    "parallel": lambda faces, size: rectangle(faces, faces, (size, size), "parallel"),
    "crossed": crossed,
    "jittered": jittered,
    "equilateral": equilateral,
    "scattered": scattered,
}


def annulus(faces, inner, outer):
    """A ring of faces² quads, twice as many around as a square would have."""
    around, rows = 2 * faces, faces // 2
    angle = 2.0 * np.pi * np.arange(around) / around
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(around)])
    points = (np.linspace(inner, outer, rows + 1)[:, None, None] * circle).reshape(-1, 3)
    quads, place = grid_quads(around, rows, is_ring=True)
    return Sheet(points, split(quads, place % 2 == 1), quads, np.arange(around) + rows * around)
