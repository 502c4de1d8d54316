# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes for the experiments with contact; points are [vertex, 3] in metres.

Surfaces are (points, triangles) that face outwards, bodies are (points, tets) of positive volume.
"""

from pathlib import Path

import numpy as np

from vbd.benchmarks.experiments.quasistatic_scenes import block

GOLDEN = 0.5 * (1.0 + 5.0**0.5)


def read_tets(folder, name):
    """Points and tets of `name`.t, turned to have z up. The meshes are not in the repository."""
    lines = [line.split() for line in (Path(folder) / f"{name}.t").read_text().splitlines()]
    points = np.array([line[2:5] for line in lines if line[:1] == ["Vertex"]], dtype=float)
    tets = np.array([line[2:6] for line in lines if line[:1] == ["Tet"]], dtype=int)
    return points[:, [0, 2, 1]] * [1.0, -1.0, 1.0], tets


def sheet(cells, size):
    """A rectangle in the xy plane, its center at the origin, with alternating diagonals."""
    columns, rows = np.array(cells) + 1
    y, x = np.meshgrid(np.linspace(-0.5, 0.5, rows), np.linspace(-0.5, 0.5, columns), indexing="ij")
    points = np.stack([x * size[0], y * size[1], np.zeros_like(x)], axis=-1).reshape(-1, 3)
    return points, grid_triangles(rows, columns)


def grid_triangles(rows, columns, around=False):
    """Triangles of a grid of vertices, row by row; `around` closes every row to a ring."""
    index = np.arange(rows * columns).reshape(rows, columns)
    if around:
        index = np.concatenate([index, index[:, :1]], axis=1)
    a, b = index[:-1, :-1].ravel(), index[:-1, 1:].ravel()
    c, d = index[1:, 1:].ravel(), index[1:, :-1].ravel()
    i, j = np.indices((rows - 1, index.shape[1] - 1)).reshape(2, -1)
    odd = ((i + j) % 2 == 1)[:, None, None]
    quads = np.stack([a, b, c, a, c, d], axis=1), np.stack([a, b, d, b, c, d], axis=1)
    return np.where(odd, *(q.reshape(-1, 2, 3) for q in quads[::-1])).reshape(-1, 3)


def cuboid(size, center=(0.0, 0.0, 0.0)):
    """The closed surface of an axis-aligned cuboid."""
    corner = np.array([[c & 1, c >> 1 & 1, c >> 2] for c in range(8)]) - 0.5
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    triangles = [t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])]
    return corner * np.array(size) + np.array(center), np.array(triangles)


def open_box(size, wall):
    """A box without a lid: `size` is that of its inside, whose floor has its center at the origin.

    The surface of the walls is closed.
    """
    outer, triangles = cuboid(np.array(size) + [2.0 * wall, 2.0 * wall, wall])
    outer[:, 2] += 0.5 * (size[2] + wall) - wall
    inner, _ = cuboid(size)
    inner[:, 2] += 0.5 * size[2]
    lid = (triangles >= 4).all(axis=1)
    rim = [
        t for a, b in ((4, 5), (5, 7), (7, 6), (6, 4)) for t in ([a, b, b + 8], [a, b + 8, a + 8])
    ]
    inside = triangles[~lid][:, ::-1] + 8
    return np.concatenate([outer, inner]), np.concatenate([triangles[~lid], inside, rim])


def icosphere(subdivisions, radius=1.0):
    """A sphere of 20 · 4ⁿ triangles round the origin."""
    corners = [(-1, GOLDEN), (1, GOLDEN), (-1, -GOLDEN), (1, -GOLDEN)]
    points = np.array(
        [[x, y, 0.0] for x, y in corners]
        + [[0.0, x, y] for x, y in corners]
        + [[y, 0.0, x] for x, y in corners]
    )
    near = np.linalg.norm(points[:, None] - points[None], axis=2) < 2.1
    triangles = np.array(
        [
            (a, b, c)
            for a in range(12)
            for b in range(a + 1, 12)
            for c in range(b + 1, 12)
            if near[a, b] and near[b, c] and near[a, c]
        ]
    )
    inwards = np.linalg.det(points[triangles]) < 0.0
    triangles[inwards] = triangles[inwards][:, ::-1]
    for _ in range(subdivisions):
        edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        unique, middle = np.unique(edges, axis=0, return_inverse=True)
        ab, bc, ca = middle.reshape(-1, 3).T + len(points)
        points = np.concatenate([points, points[unique].mean(axis=1)])
        a, b, c = triangles.T
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(part, axis=1) for part in parts])
    return radius * points / np.linalg.norm(points, axis=1)[:, None], triangles


def ball(radius, subdivisions=2, shells=4):
    """Tets of a ball: spheres inside each other round a vertex in the center, which comes first."""
    points, triangles = icosphere(subdivisions)
    count = len(points)
    levels = np.arange(1, shells + 1) / shells
    body = np.concatenate([[[0.0, 0.0, 0.0]], *(points * radius * level for level in levels)])
    hub = np.concatenate([np.zeros((len(triangles), 1), dtype=int), 1 + triangles], axis=1)
    # The order of its corners splits a prism between two spheres consistently with its neighbors.
    a, b, c = np.sort(triangles, axis=1).T + 1
    prisms = [
        (a, b, c, c + count),
        (a, b, b + count, c + count),
        (a, *(k + count for k in (a, b, c))),
    ]
    layer = np.concatenate([np.stack(tet, axis=1) for tet in prisms])
    tets = np.concatenate([hub, *(layer + k * count for k in range(shells - 1))])
    return body, upright(body, tets)


def upright(points, tets):
    """Tets with two corners exchanged where their volume is negative."""
    a, b, c, d = points[tets].swapaxes(0, 1)
    turned = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0.0
    return np.where(turned[:, None], tets[:, [0, 2, 1, 3]], tets)


def jack(size, thick=2, arm=3):
    """Tets of a cube with six arms; `thick` cells across an arm, `arm` of that width long."""
    cells = thick * (2 * arm + 1)
    points, tets = block((cells, cells, cells), (size, size, size))
    center = points[tets].mean(axis=1) / size
    inside = np.abs(center - 0.5) < 0.5 / (2 * arm + 1)
    tets = tets[inside.sum(axis=1) >= 2]
    used, tets = np.unique(tets, return_inverse=True)
    return points[used] - 0.5 * size, tets.reshape(-1, 4)


def torus(major, minor, count=36, sides=16):
    """A ring round the z axis."""
    u, v = np.meshgrid(*(np.arange(n) * 2.0 * np.pi / n for n in (count, sides)), indexing="ij")
    across = major + minor * np.cos(v)
    points = np.stack([across * np.cos(u), across * np.sin(u), minor * np.sin(v)], axis=-1)
    index = np.arange(count * sides).reshape(count, sides)
    a, b = index, np.roll(index, -1, axis=0)
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    triangles = np.concatenate(
        [np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))]
    )
    return points.reshape(-1, 3), triangles


def rings(centers, radius, sides):
    """Points [center · sides, 3] of circles round a curve, across it and not turned about it.

    Frames are carried from one center to the next by the smallest rotation.
    """
    tangent = np.gradient(centers, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    normal = np.cross(tangent[0], np.eye(3)[np.argmin(np.abs(tangent[0]))])
    angle = np.arange(sides)[:, None] * 2.0 * np.pi / sides
    found = []
    for center, along in zip(centers, tangent, strict=True):
        normal = normal - (normal @ along) * along
        normal /= np.linalg.norm(normal)
        other = np.cross(along, normal)
        found.append(center + radius * (np.cos(angle) * normal + np.sin(angle) * other))
    return np.concatenate(found)


def tube(centers, radius, sides):
    """The closed surface of a tube round a curve [center, 3], with flat ends."""
    count, centers = len(centers), np.asarray(centers)
    points = np.concatenate([rings(centers, radius, sides), centers[[0, -1]]])
    wall = grid_triangles(count, sides, around=True)
    k = np.arange(sides)
    ahead, last = (k + 1) % sides, (count - 1) * sides
    first = np.stack([ahead, k, np.full(sides, len(points) - 2)], axis=1)
    end = np.stack([last + k, last + ahead, np.full(sides, len(points) - 1)], axis=1)
    return points, np.concatenate([wall, first, end])


def tube_segments(count, sides):
    """The segment of the curve of `count` points that each triangle of its `tube` belongs to."""
    wall = np.repeat(np.arange(count - 1), 2 * sides)
    return np.concatenate([wall, np.zeros(sides, dtype=int), np.full(sides, count - 2)])


def even(curve, count):
    """`count` points on a polygon [point, 3], equally far from each other along it."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    at = np.linspace(0.0, way[-1], count)
    return np.stack([np.interp(at, way, axis) for axis in curve.T], axis=1)


def overhand(count, length):
    """An open trefoil with straight ends along x, as a polygon of `count` points.

    Shastri's polynomial trefoil, x = t³ − 3t, y = t⁴ − 4t², z = t⁵ − 10t, laid out along x.
    """
    t = np.linspace(-2.15, 2.15, 4000)
    curve = np.stack([(t**5 - 10.0 * t) / 8.0, t**3 - 3.0 * t, t**4 - 4.0 * t * t], axis=1)
    out = 4.0 * np.array([[1.0, 0.0, 0.0]])
    points = even(np.concatenate([curve[:1] - out, curve, curve[-1:] + out]), count)
    points -= points.mean(axis=0)
    return points * length / np.linalg.norm(np.diff(points, axis=0), axis=1).sum()


def bent(way, angle, elbow):
    """A curve in the xz plane: along x, an arc of length `elbow` turning by `angle`, straight on.

    `way` [m] are arc lengths along it; the arc begins at 0. Returns points [place, 3].
    """
    turned = np.clip(way, 0.0, elbow) * angle / elbow
    beyond = np.maximum(way - elbow, 0.0)
    # sin(φ)/φ forms stay finite for a straight arm.
    part = np.clip(way, 0.0, elbow)
    x = part * np.sinc(turned / np.pi) + np.minimum(way, 0.0) + beyond * np.cos(angle)
    z = part * np.sin(0.5 * turned) * np.sinc(0.5 * turned / np.pi) + beyond * np.sin(angle)
    return np.stack([x, np.zeros_like(x), z], axis=1)


def turned_about_x(points, angle):
    """Points turned about the x axis by an angle [rad], one for all or one each."""
    x, y, z = points.T
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([x, c * y - s * z, s * y + c * z], axis=1)
