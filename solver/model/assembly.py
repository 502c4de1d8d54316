# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies joined into one set of NumPy arrays, in solver order.

float64, metres relative to the bodies' common origin, so that float32 keeps its digits later.
"""

from dataclasses import dataclass, fields
from itertools import pairwise, product

import numpy as np

from .. import elements
from ..bodies import Cells, Cloth, Solid
from ..elements.body_constants import per_vertex
from ..elements.element_kind import Columns
from ..elements.solid_moduli import lame_of
from ..messages import message
from ..scene.attachments import Rows, join
from ..scene.thickness import collision_thickness
from ..topology.coloring import chessboard_colors, vertex_order
from ..topology.graphs import unique_edges
from .air_surfaces import shown_area
from .masses import vertex_mass
from .penalties import spring_penalty
from .tearing import vertex_index


@dataclass
class JoinedTets(Columns):
    """All tets of a scene with Lamé's constants [Pa]."""

    lame_mu: np.ndarray
    lame_lam: np.ndarray


@dataclass
class CellMesh(Columns):
    """All cells of a scene with Lamé's constants [Pa]; `part` is the filled fraction of each."""

    lame_mu: np.ndarray
    lame_lam: np.ndarray
    part: np.ndarray


@dataclass
class JoinedTriangles(Columns):
    """All triangles of cloth with their shear stiffness [N/m]."""

    shear: np.ndarray


@dataclass
class Edges(Columns):
    """All edges of rods."""


@dataclass
class Assembly:
    """One scene. Vertices are in solver order; `vertices` has the numbers of each body's vertices.

    `tets`, `cells`, `triangles` and `edges` are the meshes of bodies; those of cloth that tears
    stay as in the beginning. `elements` has the `Columns` of every kind in use, by its name, and
    `owner` the body [element] of each.
    """

    origin: np.ndarray
    vertices: list
    color_start: np.ndarray
    points: np.ndarray
    rest_points: np.ndarray
    velocities: np.ndarray
    parent: np.ndarray
    """The vertex of which each vertex is a duplicate, for future tears, or itself."""
    mass: np.ndarray
    friction: np.ndarray
    static_friction: np.ndarray
    thickness: np.ndarray
    drag: np.ndarray
    air_friction: np.ndarray
    shown: np.ndarray
    field_weights: list  # of every body
    keyed: set  # names of the values of materials that change in time
    attachments: Rows
    tets: JoinedTets
    cells: CellMesh
    triangles: JoinedTriangles
    edges: Edges
    mesh_edges: np.ndarray
    """Pairs of vertices that share a tet, cell, triangle or edge of a mesh, int32 [pair, 2]."""
    kinds: tuple
    elements: dict
    owner: dict
    components: tuple = ((), None)
    """Corners of elements, and the connected components that they make (components.py)."""

    @property
    def free_count(self):
        """Number of free vertices; the pinned ones follow behind them."""
        return int(self.color_start[-1])

    @property
    def solids(self):
        """Meshes of bodies with a volume: all tets, and all cells."""
        return self.tets, self.cells

    def replace(self, kind, number, change):
        """Replace the `Columns` of a kind in body `number` by `change(columns)`."""
        columns, owner = self.elements[kind.name], self.owner[kind.name]
        bodies = np.unique(owner)
        blocks = [columns[owner == body] for body in bodies]
        blocks = [
            change(block) if body == number else block
            for body, block in zip(bodies, blocks, strict=True)
        ]
        self.elements[kind.name] = joined(blocks)
        self.owner[kind.name] = np.repeat(bodies, [len(block) for block in blocks])

    def held_from_outside(self):
        """Return the mask [vertex] of vertices pinned or tied to space by attachment or element."""
        held = np.zeros(len(self.points), dtype=bool)
        held[self.free_count :] = True
        rows = self.attachments
        held[rows.corners[(rows.weights != 0.0) & rows.to_space()[:, None]]] = True
        for kind in self.kinds:
            if kind.to_space:
                held[self.elements[kind.name].corners] = True
        return held

    def corners(self):
        """Return the corners of the elements of every kind, [element, corner] each."""
        return [columns.corners for columns in self.elements.values()]


def joined(blocks):
    """Return the `Columns` of one kind over all bodies."""
    if len(blocks) == 1:
        return blocks[0]
    struct = type(blocks[0])
    columns = (np.concatenate([getattr(p, f.name) for p in blocks]) for f in fields(struct))
    return struct(*columns)


def known_colors(body):
    """Return the given colors [vertex] of a body's vertices, -1 where coloring must find one."""
    if isinstance(body, Cells):
        return chessboard_colors(body.rest_points, body.cells)
    return np.full(len(body.points), -1)


def mesh_of(body):
    """Return the `JoinedTets`, `CellMesh`, `JoinedTriangles` or `Edges` of a body."""
    if isinstance(body, Solid):
        return JoinedTets(body.tets, *lame_of(body))
    if isinstance(body, Cells):
        return CellMesh(body.cells, *lame_of(body), body.filling.part)
    if isinstance(body, Cloth):
        return JoinedTriangles(body.triangles, elements.triangles.shear_stiffness(body))
    return Edges(body.edges)


NO_MESH = {
    JoinedTets: JoinedTets(np.zeros((0, 4), np.int32), np.zeros(0), np.zeros(0)),
    CellMesh: CellMesh(np.zeros((0, 8), np.int32), np.zeros(0), np.zeros(0), np.zeros(0)),
    JoinedTriangles: JoinedTriangles(np.zeros((0, 3), np.int32), np.zeros(0)),
    Edges: Edges(np.zeros((0, 2), np.int32)),
}


class _Collection:
    """Meshes and elements, collected body by body."""

    def __init__(self):
        self.meshes = {struct: [] for struct in NO_MESH}
        self.columns = {kind: [] for kind in elements.KINDS}
        self.owner = {kind: [] for kind in elements.KINDS}

    def add(self, number, body, offset, settings):
        """Add body `number`, whose vertices begin at `offset`."""
        mesh = mesh_of(body)
        mesh.corners = mesh.corners + np.int32(offset)
        self.meshes[type(mesh)].append(mesh)
        for kind in elements.KINDS:
            columns = kind.of_body(body, settings)
            if columns is not None and len(columns):
                columns.corners = columns.corners + np.int32(offset)
                self.columns[kind].append(columns)
                self.owner[kind].append(np.full(len(columns), number, dtype=np.int32))

    def joined(self):
        """Return the fields of an `Assembly` about meshes and elements."""
        kinds = tuple(kind for kind, blocks in self.columns.items() if blocks)
        meshes = {struct: joined(self.meshes[struct] or [none]) for struct, none in NO_MESH.items()}
        made = {kind.name: joined(self.columns[kind]) for kind in kinds}
        for columns, mesh in product(made.values(), meshes.values()):
            if np.array_equal(columns.corners, mesh.corners):
                columns.corners = mesh.corners  # one array of all tets saves memory and work
        return {
            **dict(zip(("tets", "cells", "triangles", "edges"), meshes.values(), strict=True)),
            "kinds": kinds,
            "elements": made,
            "owner": {kind.name: np.concatenate(self.owner[kind]) for kind in kinds},
        }


def middle(points):
    """Return the origin [m] of a scene's positions from its initial points [vertex, 3]."""
    return 0.5 * (points.min(axis=0) + points.max(axis=0))


def renumber(elements, number):
    """Give all `elements` the `number` [vertex] of their corners; shared arrays stay shared."""
    old = {id(one.corners): one.corners for one in elements}
    new = {key: number[corners] for key, corners in old.items()}
    for one in elements:
        one.corners = new[id(one.corners)]


def assemble(bodies, settings, attachments=(), begin=lambda text: None):
    """Join deformable bodies and their attachments into one `Assembly`. `begin(text)` is called
    before each part of the work.
    """
    begin(message("progress.bodies"))
    index = [vertex_index(body) for body in bodies]
    offsets = np.concatenate([[0], np.cumsum([len(i) for i in index])]).astype(np.int64)
    parent = np.concatenate([i + offset for i, offset in zip(index, offsets, strict=False)])

    def extended(values):
        """Return values per vertex of every body, duplicates included."""
        return np.concatenate([v[i] for v, i in zip(values, index, strict=True)])

    points = extended([body.points for body in bodies])
    origin = middle(points)
    pinned = np.zeros(len(points), dtype=bool)
    masses, blocks = [], _Collection()
    for at, (body, offset) in enumerate(zip(bodies, offsets[:-1], strict=True)):
        if body.pins is not None:
            pinned[offset + body.pins.indices] = True
        blocks.add(at, body, offset, settings)
        mass = vertex_mass(body)
        masses.append(np.append(mass, np.zeros(len(index[at]) - len(mass))))
    made = blocks.joined()
    meshes = [made[name] for name in ("tets", "cells", "triangles", "edges")]
    rows = join(attachments, bodies, offsets[:-1])
    edges = mesh_edges = unique_edges(*(mesh.corners for mesh in meshes))
    joined_in_meshes = {id(mesh.corners) for mesh in meshes}
    others = [columns.corners for columns in made["elements"].values()]
    others = [corners for corners in others if id(corners) not in joined_in_meshes]
    if others or len(rows.corners):
        edges = unique_edges(mesh_edges, *others, rows.edges())
    begin(message("progress.colors"))
    known = [known_colors(body) for body in bodies]
    order, color_start = vertex_order(points, pinned, edges, parent, extended(known))
    number = np.empty(len(points), dtype=np.int32)
    number[order] = np.arange(len(points))
    renumber([*meshes, *made["elements"].values(), rows], number)

    def ordered(values):
        return extended(values)[order]

    def spread(what, value_of):
        return ordered([per_vertex(body, what, value_of(body)) for body in bodies])

    def friction(body):
        own = body.material.friction
        return settings.friction if own is None else own

    assembly = Assembly(
        origin=origin,
        vertices=[number[a:b] for a, b in pairwise(offsets)],
        color_start=color_start,
        points=(points - origin)[order],
        rest_points=ordered([body.rest_points for body in bodies]),
        velocities=ordered([body.velocities for body in bodies]),
        parent=number[parent[order]],
        mass=np.concatenate(masses)[order],
        friction=spread("friction", friction),
        static_friction=spread("static friction", lambda body: body.material.static_friction),
        thickness=spread("collision thickness", collision_thickness),
        drag=spread("drag", lambda body: body.material.drag),
        air_friction=spread("air friction", lambda body: body.material.air_friction),
        shown=ordered([shown_area(body) for body in bodies]),
        field_weights=[body.field_weights for body in bodies],
        keyed={name for body in bodies for name in body.keyed or ()},
        attachments=rows,
        mesh_edges=number[mesh_edges],
        **made,
    )
    if "springs" in assembly.elements:
        assembly.elements["springs"].penalty = spring_penalty(assembly, settings)
    return assembly
