# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies joined into one set of NumPy arrays, in solver order.

float64, metres relative to the bodies' common origin, so that float32 keeps its digits later.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from .. import elements
from ..elements.body_constants import per_vertex
from ..messages import message
from ..scene.attachment_rows import Rows, join
from ..scene.thickness import collision_thickness
from ..topology.coloring import vertex_order
from ..topology.graphs import unique_edges
from .air_surfaces import shown_area
from .known_colors import known_colors
from .masses import vertex_mass
from .meshes import (
    MESHES,
    NO_MESH,
    CellMesh,
    Edges,
    JoinedTets,
    JoinedTriangles,
    LoneVertices,
    mesh_of,
)
from .penalties import spring_penalty
from .rigid_set import RigidSet, rigid_set
from .tearing import vertex_index


@dataclass
class Assembly:
    """One scene. Vertices are in solver order; `vertices` has the numbers of each body's vertices.

    `tets`, `cells`, `triangles`, `edges` and `grains` are the meshes of bodies; those of cloth that
    tears stay as in the beginning. `elements` has the `Columns` of every kind in use, by its name,
    and `owner` the body [element] of each.
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
    grains: LoneVertices
    mesh_edges: np.ndarray
    """Pairs of vertices that share a tet, cell, triangle or edge of a mesh, int32 [pair, 2]."""
    kinds: tuple
    elements: dict
    owner: dict
    rigid: RigidSet  # their vertices are the last free ones
    components: tuple = ((), None)  # corners, and their connected components (components.py)

    @property
    def free_count(self):
        """Number of free vertices; the pinned ones follow behind them."""
        return int(self.color_start[-1])

    @property
    def rigid_start(self):
        """The first vertex of a rigid body; they end at `free_count`."""
        return self.free_count - 4 * len(self.rigid)

    @property
    def solids(self):
        """Meshes of bodies with a volume: all tets, and all cells."""
        return self.tets, self.cells

    @cached_property
    def layout(self):
        """The order of vertices in the solver, and identities of rows; neither changes."""
        order = np.concatenate(self.vertices).astype(np.int32)
        return {"order": order, "rows": self.attachments.identities(order)}

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
        """Return the corners of all elements [element, corner] by kind, and of rigid bodies."""
        rigid = [self.rigid.corners] if len(self.rigid) else []
        return [columns.corners for columns in self.elements.values()] + rigid


def joined(blocks):
    """Return the `Columns` of one kind over all bodies."""
    if len(blocks) == 1:
        return blocks[0]
    struct = type(blocks[0])
    columns = (np.concatenate([getattr(p, f.name) for p in blocks]) for f in fields(struct))
    return struct(*columns)


class _Collection:
    """Meshes and elements, collected body by body."""

    def __init__(self):
        self.meshes = {struct: [] for struct in NO_MESH}
        self.columns = {kind: [] for kind in elements.KINDS}
        self.owner = {kind: [] for kind in elements.KINDS}

    def add(self, number, body, offset, settings):
        """Add body `number`, whose vertices begin at `offset`."""
        mesh = mesh_of(body)
        if mesh is None:
            return
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
            **dict(zip(MESHES, meshes.values(), strict=True)),
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
    meshes = [made[name] for name in MESHES]
    rows = join(attachments, bodies, offsets[:-1])
    rigid = rigid_set(bodies, offsets, rows)
    edges = mesh_edges = unique_edges(*(mesh.corners for mesh in meshes), rigid.corners)
    joined_in_meshes = {id(mesh.corners) for mesh in meshes}
    others = [columns.corners for columns in made["elements"].values()]
    others = [corners for corners in others if id(corners) not in joined_in_meshes]
    if others or len(rows.corners):
        edges = unique_edges(mesh_edges, *others, rows.edges())
    begin(message("progress.colors"))
    known = [known_colors(body) for body in bodies]
    others = pinned | np.isin(np.arange(len(points)), rigid.corners)
    order, color_start = vertex_order(points, others, edges, parent, extended(known))
    order, color_start = rigid.inserted(order, color_start)
    number = np.argsort(order).astype(np.int32)
    renumber([*meshes, *made["elements"].values(), rows, rigid], number)

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
        rigid=rigid,
        **made,
    )
    if "springs" in assembly.elements:
        assembly.elements["springs"].penalty = spring_penalty(assembly, settings)
    return assembly
