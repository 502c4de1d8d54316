# SPDX-License-Identifier: GPL-3.0-or-later
"""Small meshes and bodies that tests share. Points are [vertex, 3] in metres."""

from pathlib import Path

import numpy as np
import pytest

from vbd.benchmarks.experiments.cells_shapes import KUHN
from vbd.solver.bodies import Cells, EmbeddedSurface, Solid
from vbd.solver.bodies.solids import CELL_CORNERS
from vbd.solver.lattice.lattice import embed, lattice
from vbd.solver.settings import Material

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

COTTON = Material(
    youngs_modulus=2e5,
    density=0.2,
    thickness=5e-4,
    bending_stiffness=1e-6,
    damping=1e-3,
    collision_thickness=0.01,
    self_contact=True,
)
UNIT_TET = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def box(cells, size=(1.0, 1.0, 1.0)):
    """A box of `cells` (x, y, z) cells, six tets each, with one corner at the origin."""
    points, hexahedra = cell_box(cells, size)
    return points, hexahedra[:, KUHN].reshape(-1, 4)


def cell_box(cells, size=(1.0, 1.0, 1.0)):
    """A box of `cells` (x, y, z) hexahedra, [cell, 8], with one corner at the origin."""
    n = np.array(cells) + 1
    z, y, x = np.meshgrid(*(np.arange(k) for k in n[::-1]), indexing="ij")
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3) / np.array(cells) * np.array(size)
    i, j, k = (a.ravel() for a in np.meshgrid(*(np.arange(c) for c in cells), indexing="ij"))
    corner = np.array([[c & 1, c >> 1 & 1, c >> 2] for c in range(8)])
    index = (i[:, None] + corner[:, 0]) + n[0] * (
        (j[:, None] + corner[:, 1]) + n[1] * (k[:, None] + corner[:, 2])
    )
    return points, index


def tet_ball(cells, radius):
    """A ball of tets around the origin: a cube of cells drawn onto a sphere."""
    points, tets = box((cells,) * 3, (2.0, 2.0, 2.0))
    points = points - 1.0
    size = np.linalg.norm(points, axis=1)
    points *= (np.abs(points).max(axis=1) / np.maximum(size, 1e-9))[:, None]
    return radius * points, tets


def grid(cells, size=1.0):
    """A square sheet in the xy plane, diagonals alternating, one corner at the origin."""
    n = cells + 1
    y, x = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    points = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3) * (size / cells)
    triangles = []
    for j in range(cells):
        for i in range(cells):
            a, b, c, d = j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i
            if (i + j) % 2:
                triangles += [[a, b, d], [b, c, d]]
            else:
                triangles += [[a, b, c], [a, c, d]]
    return points, np.array(triangles)


def chain(count, link):
    """Points and edges of a straight chain along x."""
    points = np.zeros((count, 3))
    points[:, 0] = np.arange(count) * link
    index = np.arange(count)
    return points, np.stack([index[:-1], index[1:]], axis=1)


def plane(size=10.0, height=0.0):
    """Two triangles that face up."""
    s = size / 2.0
    points = np.array([[-s, -s, height], [s, -s, height], [s, s, height], [-s, s, height]])
    return points, np.array([[0, 1, 2], [0, 2, 3]])


def block(size, center):
    """The closed surface of an axis-aligned block, faces outwards."""
    corner = np.array([[c & 1, c >> 1 & 1, c >> 2] for c in range(8)]) - 0.5
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    triangles = [t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])]
    return corner * np.array(size) + np.array(center), np.array(triangles)


def needles(spacing, count, height=0.6, half_width=0.05):
    """`count` by `count` closed pyramids that stand upright, their tips at the height 0."""
    foot = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    one = np.array([[half_width * x, half_width * y, -height] for x, y in foot] + [[0.0, 0.0, 0.0]])
    faces = np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4], [0, 2, 1], [0, 3, 2]])
    at = (np.arange(count) - 0.5 * (count - 1)) * spacing
    places = np.array([[x, y, 0.0] for x in at for y in at])
    points = (places[:, None] + one).reshape(-1, 3)
    triangles = (faces + 5 * np.arange(len(places))[:, None, None]).reshape(-1, 3)
    return points, triangles


def bar():
    """A bar of 1 m along x that lies on one of its long edges."""
    points, tets = box((4, 1, 1), (1.0, 0.1, 0.1))
    points = (points - [0.5, 0.05, 0.05]) @ rotation((1.0, 0.0, 0.0), np.pi / 4.0).T
    return points - [0.0, 0.0, points[:, 2].min()], tets


def wedge():
    """A triangular wedge of three tets, its edge down."""
    points = [[x, y, z] for y, z in ((0.0, 0.0), (-0.1, 0.2), (0.1, 0.2)) for x in (-0.5, 0.5)]
    return np.array(points), np.array([[0, 4, 2, 1], [2, 4, 3, 1], [4, 5, 3, 1]])


def roller(count, length, offset=0.0):
    """A closed roller of diameter 1 along y with `count` sides; `offset` of a side turns it."""
    angle = 2.0 * np.pi * (np.arange(count) + offset) / count
    ring = np.column_stack([np.cos(angle), np.zeros(count), np.sin(angle)]) * 0.5
    ends = np.array([[0.0, -0.5 * length, 0.0], [0.0, 0.5 * length, 0.0]])
    triangles = []
    for k in range(count):
        m = (k + 1) % count
        triangles += [[k, count + k, m], [m, count + k, count + m]]
        triangles += [[2 * count, k, m], [2 * count + 1, count + m, count + k]]
    return np.concatenate([ring + ends[0], ring + ends[1], ends]), np.array(triangles)


def bumpy_ball(size, rows=14):
    """A closed surface that is not convex: a sphere with bumps, about `size` [m] in diameter."""
    theta, phi = np.meshgrid(
        np.linspace(0.0, np.pi, rows + 1)[1:-1], np.linspace(0.0, 2.0 * np.pi, 2 * rows + 1)[:-1]
    )
    theta, phi = theta.T.ravel(), phi.T.ravel()
    radius = 0.5 * size * (1.0 + 0.15 * np.sin(4.0 * phi) * np.sin(theta) ** 2)
    ring = np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=1
    )
    points = np.concatenate([radius[:, None] * ring, [[0, 0, 0.5 * size], [0, 0, -0.5 * size]]])
    n, top = 2 * rows, len(ring)
    quads = [
        (r * n + k, (r + 1) * n + k, (r + 1) * n + (k + 1) % n, r * n + (k + 1) % n)
        for r in range(rows - 2)
        for k in range(n)
    ]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    triangles += [(top, k, (k + 1) % n) for k in range(n)]
    last = (rows - 2) * n
    triangles += [(top + 1, last + (k + 1) % n, last + k) for k in range(n)]
    return points, np.array(triangles)


def caged(points, triangles, resolution=5, **more):
    """A body of tets, six in every cell of a lattice, with contact on the surface inside it."""
    cells = lattice(points, triangles, resolution)
    corners, weights = embed(points, cells)
    inner = weights @ CELL_CORNERS
    # A tet goes from corner 0 of its cell to corner 7, along the axes in falling order of `inner`.
    order = np.argsort(-inner, axis=1, kind="stable")
    path = np.pad(np.cumsum(1 << order, axis=1), ((0, 0), (1, 0)))
    shares = -np.diff(np.take_along_axis(inner, order, axis=1), prepend=1.0, append=0.0)
    surface = EmbeddedSurface(np.take_along_axis(corners, path, axis=1), shares, triangles)
    material = Material(youngs_modulus=3e4, collision_thickness=0.004, friction=0.4)
    tets = cells.cells[:, KUHN].reshape(-1, 4)
    return Solid(cells.points, tets, material, surface=surface, **more)


def in_cells(points, triangles, resolution=5, material=None, **more):
    """A body of `Cells` with contact on the surface inside it."""
    cells = lattice(points, triangles, resolution)
    return Cells(
        cells.points,
        cells.cells,
        material or Material(youngs_modulus=3e4, collision_thickness=0.004, friction=0.4),
        surface=EmbeddedSurface(*embed(points, cells), triangles),
        **more,
    )


def rotation(axis, angle):
    """Rotation matrix [3, 3] about a unit axis by an angle [rad] (Rodrigues)."""
    x, y, z = axis
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def mesh_names():
    """Names of the tet meshes that lie beside the checkout."""
    return sorted(path.stem for path in DATA.glob("*.t"))


def tet_mesh(name):
    """Points and tets of a mesh that lies beside the checkout, scaled to a size of 1 m."""
    path = DATA / f"{name}.t"
    if not path.exists():
        pytest.skip(f"the mesh {name}.t is not beside this checkout")
    points, tets = [], []
    for line in path.read_text().splitlines():
        kind, *values = line.split() or [""]
        if kind == "Vertex":
            points.append([float(v) for v in values[1:4]])
        elif kind == "Tet":
            tets.append([int(v) for v in values[1:5]])
    points = np.array(points)
    return (points - points.mean(axis=0)) / np.ptp(points, axis=0).max(), np.array(tets)


def unit(v):
    return v / np.linalg.norm(v, axis=1)[:, None]


# Starts without anything of the shape.
RUINS = {
    "scattered over a sphere": lambda x, random: 0.5 * unit(random.standard_normal(x.shape)),
    "scattered in a box": lambda x, random: random.uniform(-0.5, 0.5, x.shape),
    "flat": lambda x, _random: x * [1.0, 1.0, 1e-4],
    "mirrored": lambda x, _random: x * [-1.0, 1.0, 1.0],
    "a line": lambda x, _random: x * [1e-3, 1e-3, 1.0],
}
