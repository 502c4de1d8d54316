# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures and checks of meshes. Every error names the body and the first element at fault."""

from itertools import combinations

import numpy as np

from ..messages import message
from .blocks import blocks
from .values import FARTHEST, as_array, numbers, shown

# A tet is flat if six times its volume is below this fraction of its longest edge cubed.
FLAT_TET = 1e-6
# A triangle is flat if twice its area is below this fraction of its longest edge squared.
FLAT_TRIANGLE = 1e-6
# The faces of a tet of positive volume and of a cell, by its corners, seen from outside.
FACES = {
    4: np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]),
    8: np.array(
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    ),
}
# Six tets of positive volume in a cell, by its corners.
KUHN = np.array(
    [[0, 1, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 3, 2, 7], [0, 5, 1, 7], [0, 6, 4, 7]]
)


def unit(vectors):
    """Vectors [..., 3] normalized to length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def finite_points(name, what, points):
    """Return `points` as float64 [n, 3]; refuses wrong shapes and numbers that are not finite."""
    points = np.array(numbers(name, what, points))
    if points.size == 0:
        points = points.reshape(0, 3)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(message("script.points_shape", name=name, what=what, shape=points.shape))
    bad = np.flatnonzero(~(np.abs(points) <= FARTHEST).all(axis=1))
    if len(bad):
        raise ValueError(
            message(
                "mesh.not_finite",
                name=name,
                count=len(bad),
                total=len(points),
                what=what,
                first=bad[0],
            )
        )
    return points


def checked_elements(name, what, elements, corners, vertex_count):
    """Return `elements` as int32 [m, corners]; refuses bad indices and repeated corners."""
    given, elements = elements, as_array(elements)
    if elements is None:
        known = {"what": f"{what}s", "value": shown(given)}
        raise ValueError(message("script.no_whole", name=name, **known))
    if elements.size == 0:
        elements = np.zeros((0, corners), dtype=np.int32)
    if elements.ndim != 2 or elements.shape[1] != corners or elements.dtype.kind not in "iu":
        raise ValueError(
            message(
                "script.elements_shape",
                name=name,
                what=what,
                shape=elements.shape,
                type=elements.dtype,
                corners=corners,
            )
        )
    outside = np.flatnonzero(((elements < 0) | (elements >= vertex_count)).any(axis=1))
    if len(outside):
        raise ValueError(
            message(
                "script.element_outside",
                name=name,
                what=what,
                element=outside[0],
                count=vertex_count,
            )
        )
    elements = elements.astype(np.int32)
    is_repeated = np.zeros(len(elements), dtype=bool)
    for one, other in combinations(elements.T, 2):
        is_repeated |= one == other
    repeated = np.flatnonzero(is_repeated)
    if len(repeated):
        raise ValueError(message("script.element_twice", name=name, what=what, element=repeated[0]))
    return elements


def refuse_loose_vertices(name, elements, vertex_count, what):
    used = np.zeros(vertex_count, dtype=bool)
    used[elements] = True
    loose = np.flatnonzero(~used)
    if len(loose):
        raise ValueError(
            message("mesh.loose", name=name, count=len(loose), what=what, first=loose[0])
        )


def cross(u, v):
    """The cross products of vectors [3, n] by components: NumPy's own is slower."""
    return np.stack(
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    )


def tet_edges(points, tets):
    """Edges of tets from corner 0 to corners 1, 2 and 3, [3, tet] each."""
    corners = [np.ascontiguousarray(points[corner].T) for corner in tets.T]
    return [corner - corners[0] for corner in corners[1:]]


def are_rows(some, elements):
    """True for `some` rows [row, n] that are among `elements` [element, n], in any order of their
    corners, bool [row].
    """
    wanted, given = (np.sort(rows, axis=1) for rows in (some, elements))
    # Only elements whose first corner is that of a row need to be compared.
    given = given[np.isin(given[:, 0], wanted[:, 0])]
    _, number = np.unique(np.concatenate([given, wanted]), axis=0, return_inverse=True)
    number = number.ravel()
    return np.isin(number[len(given) :], number[: len(given)])


def tet_volumes(points, tets):
    """Signed volumes [m³] of tets, shape [tet]."""
    volumes = np.empty(len(tets))
    for block in blocks(len(tets)):
        a, b, c = tet_edges(points, tets[block])
        volumes[block] = sum(a * cross(b, c)) / 6.0
    return volumes


def cell_volumes(points, cells):
    """Signed volumes [m³] of hexahedra, by the Jacobians at their centers, [cell]."""
    corners = points[cells].reshape(-1, 2, 2, 2, 3)  # along z, y, x
    x, y, z = (np.diff(corners, axis=axis).mean(axis=(1, 2, 3)) for axis in (3, 2, 1))
    return np.einsum("ij,ij->i", x, np.cross(y, z))


def solid_volumes(points, elements):
    """Signed volumes [m³] of tets [element, 4] or cells [element, 8], [element]."""
    return (tet_volumes if elements.shape[1] == 4 else cell_volumes)(points, elements)


def signed_volumes(points, triangles, of, count):
    """Volumes [m³] inside `count` closed surfaces, with the surface `of` each triangle [triangle];
    negative if the triangles face inwards.
    """
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    return np.bincount(of, np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0, minlength=count)


def longest_edges(points, elements):
    """Length [m] of the longest edge of every element."""
    longest = np.zeros(len(elements))
    for block in blocks(len(elements)):
        corners = [points[corner] for corner in elements[block].T]
        for a, b in combinations(corners, 2):
            edge = a - b
            squared = np.einsum("ij,ij->i", edge, edge)
            np.maximum(longest[block], squared, out=longest[block])
    return np.sqrt(longest)


def first_edges(points, elements):
    """Length [m] of the edge between the first two corners of every element: the side of a cube."""
    return np.linalg.norm(points[elements[:, 1]] - points[elements[:, 0]], axis=1)


def triangle_areas(points, triangles):
    """Areas [m²] of triangles, shape [triangle]."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def are_flat(points, triangles):
    """True for triangles without area, bool [triangle]."""
    size = longest_edges(points, triangles)
    return 2.0 * triangle_areas(points, triangles) <= FLAT_TRIANGLE * size**2


def refuse_flat_triangles(name, points, triangles):
    flat = np.flatnonzero(are_flat(points, triangles))
    if len(flat):
        raise ValueError(
            message(
                "mesh.flat_triangles",
                name=name,
                count=len(flat),
                total=len(triangles),
                vertices=triangles[flat[0]].tolist(),
            )
        )


def tets_of_cells(cells):
    """Six tets for every cell [cell, 8], all around the diagonal of its corners 0 and 7; they
    conform to those of neighbors (Kuhn 1960).
    """
    return cells[:, KUHN].reshape(-1, 4)


def boundary_triangles(elements):
    """Faces that belong to one tet [element, 4] or cell [element, 8] only, facing outwards, int64
    [triangle, 3]; those of cells are divided in two.
    """
    of_element = FACES[elements.shape[1]]
    faces = elements[:, of_element].reshape(-1, of_element.shape[1])
    if len(faces):
        faces = faces[_are_single(faces)].astype(np.int64)
    halves = [[0, 1, 2], [0, 2, 3]][: of_element.shape[1] - 2]
    return faces[:, halves].reshape(-1, 3)


def _are_single(faces):
    """True for faces [face, 3 or 4] whose corners no other face has, bool [face]."""
    span, key = np.uint64(faces.max()) + np.uint64(1), np.empty(len(faces), dtype=np.uint64)
    for block in blocks(len(faces)):
        # Three corners identify a face: below 2.6 million vertices exactly, beyond as a hash of 64
        # bits, by which two of ten million faces are alike with a chance of 3 in a million.
        low, middle, high = np.sort(faces[block], axis=1).T[:3].astype(np.uint64)
        key[block] = (low * span + middle) * span + high
    ordered = np.sort(key, kind="stable")  # elements in the order of space come in long runs
    is_new = np.ones(len(key) + 1, dtype=bool)
    is_new[1:-1] = ordered[1:] != ordered[:-1]
    single = ordered[is_new[1:] & is_new[:-1]]
    # Most faces are inner ones, and few of those have the last bits of a single one.
    is_likely = np.zeros(1 << 22, dtype=bool)
    last = np.uint64(len(is_likely) - 1)
    is_likely[single & last] = True
    likely = np.flatnonzero(is_likely[key & last])
    is_single = np.zeros(len(key), dtype=bool)
    is_single[likely] = np.isin(key[likely], single)
    return is_single


def vertex_normals(points, triangles):
    """Return the unit normals of the vertices of triangles [point, 3], means of those of triangles
    weighted by their angles (Thürmer and Wüthrich 1998); 0 where they cancel.
    """
    corners = points[triangles]
    ahead, behind = (np.roll(corners, turn, axis=1) - corners for turn in (-1, 1))
    normals = np.cross(ahead, behind)
    angles = np.arctan2(np.linalg.norm(normals, axis=2), (ahead * behind).sum(axis=2))
    total = np.zeros(points.shape)
    np.add.at(total, triangles, angles[..., None] * unit(normals))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.divide(total, length, out=np.zeros(points.shape), where=length > 0.0)
