# SPDX-License-Identifier: GPL-3.0-or-later
"""Aggregates: patches of a body that the coarse correction moves as a whole, each affinely.

Seeds are spread over the edges of the mesh, each as far from the others as it can be. Every free
vertex joins the nearest seed; then seeds move to the middle of their patches, several times over.
A patch is displaced affinely: d_i = Σ_m z_m p_m(X_i) with the modes p = (1, ξ₁, ξ₂, ξ₃), where ξ is
X along the principal axes of the patch, scaled to a mean square of 1. Flat patches have no ξ₃,
straight ones no ξ₂ either.
"""

from dataclasses import dataclass

import numpy as np

from ..topology.blocks import blocks
from ..topology.graphs import connected_components, edge_index, stable_order, unique_edges
from .nearest_seeds import NearestSeeds

# The fewest aggregates of a small component, ...
FEWEST = 10
# ... unless it has fewer than this many vertices for each. Even a single aggregate removes most of
# the error of a stiff beam, because the beam can turn as a whole.
SMALL_PATCH = 25
# Slender bodies of cells bend at once with patches as long as this fraction of their width. (So
# would tets, whose patches are not chosen by length.)
SLENDER_PATCH = 0.6
# Among more components than these only the larger ones have patches.
MOST_COMPONENTS = 12000
# Each grain is a patch of its own where there are at most so many: all share a matrix then.
MOST_GRAINS = 320
# Number of times that seeds move to the middle of their patches.
ROUNDS = 5
# Edges of tets or cells that are this many times stiffer than the softest of the component count as
# shorter, so that patches end where materials change: a patch across would lock the soft side.
STIFF, SHORTER = 10.0, 0.3
# An extent below this fraction of the largest one counts as zero.
THIN = 1e-3


@dataclass(frozen=True)
class PatchSizes:
    """Vertices per aggregate of solids, sheets and rods, the most aggregates of a component, and
    the fewest vertices of sheets and rods with aggregates: smaller ones converge without, however
    stiff.
    """

    solid: int
    cloth: int
    rod: int
    most: int
    most_of_cloth: int
    smallest_cloth: int
    smallest_rod: int


# About eight cells across in a solid, six in a sheet, which has more folds. Cloth has a cheaper
# matrix for its size.
IN_MOTION = PatchSizes(512, 40, 8, 256, 512, 50, 4)
# Bodies at rest have no inertia to help: the patches carry all of the bending. A patch is straight,
# so a body of large patches is too stiff by as much as they are larger than the cells.
AT_REST = PatchSizes(16, 4, 3, 512, 768, 8, 3)


@dataclass
class Aggregates:
    """Patches of all bodies: `of` [vertex], the aggregate or -1, and `modes` [vertex, 4], its p.

    Per aggregate: `mesh_component`, the connected component by elements; `component`, the connected
    component by elements and attachments, numbered from 0 in ascending order; `mode_count`, and
    `slope` [aggregate, 4, 3], ∂p/∂X [1/m].
    """

    of: np.ndarray
    modes: np.ndarray
    mesh_component: np.ndarray
    component: np.ndarray
    mode_count: np.ndarray
    slope: np.ndarray

    def __len__(self):
        return len(self.component)


def make_aggregates(assembly, patches=IN_MOTION):
    """The `Aggregates` of all components that gain from them, with the sizes `patches`."""
    count, free = len(assembly.points), assembly.free_count
    sheets, rods = assembly.triangles.corners, assembly.edges.corners
    grains = assembly.grains.corners if len(assembly.grains) <= MOST_GRAINS else np.zeros(0, int)
    solids = [kind.corners for kind in assembly.solids]
    edges = assembly.mesh_edges
    if "directors" in assembly.elements:  # an edge and its director
        edges = unique_edges(edges, assembly.elements["directors"].corners)
    edges = among_free(free, edges)
    mesh_component_of = connected_components(edges, count)
    sizes = np.bincount(mesh_component_of)
    wanted = np.zeros(len(sizes), dtype=int)
    for corners, patch, smallest, most in (
        (rods, patches.rod, patches.smallest_rod, patches.most),
        (sheets, patches.cloth, patches.smallest_cloth, patches.most_of_cloth),
        (np.concatenate([c.ravel() for c in solids]), patches.solid, 1, patches.most),
        (grains, 1, 1, 1),
        (assembly.rigid.corners, patches.solid, 1, 1),
    ):
        mine = np.unique(mesh_component_of[corners])
        fewest = np.clip(sizes[mine] // min(patch, SMALL_PATCH), 1, FEWEST)
        found = np.clip(sizes[mine] // patch, fewest, most)
        wanted[mine] = np.where(sizes[mine] >= smallest, found, 0)
    chosen = np.flatnonzero(wanted)
    if len(chosen) > MOST_COMPONENTS:  # components of the same size: all or none
        wanted[sizes <= np.sort(sizes[chosen])[-MOST_COMPONENTS - 1]] = 0
    rest = assembly.rest_points
    lengths = edge_lengths(edges, rest, assembly.solids, mesh_component_of)
    nearest = NearestSeeds(edges, count, lengths)
    of, mesh_components = np.full(count, -1), []
    spacing = spacing_of_cells(mesh_component_of, assembly.cells.corners, edges, lengths)
    by_component = stable_order(mesh_component_of[:free])
    start = np.searchsorted(mesh_component_of[:free][by_component], np.arange(len(sizes) + 1))
    for number in np.flatnonzero(wanted):
        members = by_component[start[number] : start[number + 1]]
        most = min(wanted[number], len(members))
        if 0 < most < FEWEST and spacing[number] > 0.0:
            along = patches_along(nearest, members, spacing[number])
            most = min(max(most, along), len(members))
        if most:
            of[members] = len(mesh_components) + spread_patches(nearest, rest, members, most)
            mesh_components += [number] * most
    component_of_vertex = connected_components(
        np.concatenate([edges, among_free(free, assembly.attachments.edges())]), count
    )
    component_of = np.zeros(len(sizes), dtype=int)
    component_of[mesh_component_of] = component_of_vertex
    mesh_components = np.array(mesh_components, dtype=int)
    _, component = np.unique(component_of[mesh_components], return_inverse=True)
    order = np.argsort(component, kind="stable")
    rank = np.argsort(order)
    of[of >= 0] = rank[of[of >= 0]]
    modes, mode_count, slope = affine_modes(rest, of, len(mesh_components))
    duplicate = (assembly.parent != np.arange(count)) & (np.arange(count) < free)
    of[duplicate] = of[assembly.parent[duplicate]]
    modes[duplicate] = modes[assembly.parent[duplicate]]
    return Aggregates(of, modes, mesh_components[order], component[order], mode_count, slope)


def among_free(free, edges):
    """Select unique `edges` that join two free vertices, which are numbered below `free`."""
    one, other = edges.T
    return edges[(one < free) & (other < free) & (one != other)]


def edge_lengths(edges, points, solids, mesh_component_of):
    """Length [m] of every edge, shortened where only stiff tets or cells share it."""
    lengths = np.empty(len(edges))
    for block in blocks(len(edges)):
        one, other = edges[block].T
        lengths[block] = np.linalg.norm(points[one] - points[other], axis=1)
    softest = np.full(len(points), np.inf)
    mesh_component = [mesh_component_of[kind.corners[:, 0]] for kind in solids]
    for kind, mine in zip(solids, mesh_component, strict=True):
        np.minimum.at(softest, mine, kind.lame_mu)
    stiff = [
        kind.corners[kind.lame_mu > STIFF * softest[mine]]
        for kind, mine in zip(solids, mesh_component, strict=True)
    ]
    if not any(map(len, stiff)):
        return lengths
    shared = edge_index(unique_edges(*stiff), edges) >= 0
    return np.where(shared, SHORTER * lengths, lengths)


def spacing_of_cells(mesh_component_of, cells, edges, lengths):
    """Mean edge length [m] of every mesh component with cells, zero for others."""
    count = mesh_component_of.max(initial=-1) + 1
    of_edge = mesh_component_of[edges[:, 0]]
    mean = np.bincount(of_edge, lengths, count) / np.maximum(np.bincount(of_edge, None, count), 1)
    return np.where(np.isin(np.arange(count), mesh_component_of[cells]), mean, 0.0)


def end_of(nearest, members):
    """A vertex at an end of a connected set of vertices, as [1]; clears all seeds."""
    nearest.add(members[:1], 0)
    end = members[[np.argmax(nearest.distance[members])]]
    nearest.distance[members] = np.inf
    return end


def patches_along(nearest, members, spacing):
    """Number of patches that suits the length of connected vertices `spacing` [m] apart, at most
    `FEWEST`.
    """
    nearest.add(end_of(nearest, members), 0)
    length = nearest.distance[members].max() / spacing
    nearest.distance[members] = np.inf
    width = np.sqrt(len(members) / length) if length > 0.0 else np.inf
    return min(int(length / (SLENDER_PATCH * width)), FEWEST)


def spread_patches(nearest, points, members, wanted):
    """Patch number [member] of a connected set of vertices, `wanted` patches in all."""
    if wanted == 1:
        return np.zeros(len(members), dtype=int)
    (seed,) = end_of(nearest, members)  # not inside
    nearest.spread(members, wanted, seed)
    for _ in range(ROUNDS):
        nearest.center(members, points, wanted)
    return nearest.number[members]


def affine_modes(points, of, count):
    """Modes p [vertex, 4], their number [aggregate] and their slope [aggregate, 4, 3]."""
    modes = np.zeros((len(of), 4))
    modes[of >= 0, 0] = 1.0
    mode_count = np.ones(count, dtype=int)
    slope = np.zeros((count, 4, 3))
    by_patch = stable_order(of + 1)
    start = np.searchsorted(of[by_patch], np.arange(count + 1))
    for k in range(count):
        mine = by_patch[start[k] : start[k + 1]]
        arm = points[mine] - points[mine].mean(axis=0)
        spread, axes = np.linalg.eigh(arm.T @ arm / len(mine))
        spread, axes = spread[::-1], axes[:, ::-1].T
        is_thick = spread > THIN**2 * spread[0] if spread[0] > 0.0 else np.zeros(3, dtype=bool)
        mode_count[k] += is_thick.sum()
        slope[k, 1:][is_thick] = axes[is_thick] / np.sqrt(spread[is_thick])[:, None]
        modes[mine, 1:] = arm @ slope[k, 1:].T
    return modes, mode_count, slope


def with_points(aggregates, model):
    """`of` and `modes` of all entries of `model.x`.

    An embedded point belongs to the aggregate of the corner with the largest weight.
    """
    of = np.full(len(model.x), -1)
    modes = np.zeros((len(model.x), 4))
    count = len(aggregates.of)
    of[:count], modes[:count] = aggregates.of, aggregates.modes
    points, rest = model.surface.points, model.assembly.rest_points
    if len(points):
        main = np.argmax(points.weights, axis=1)
        corner = points.corners[np.arange(len(points)), main]
        offset = points.of(rest) - rest[corner]
        mine = of[model.kinematic_end :] = of[corner]
        modes[model.kinematic_end :] = modes[corner]
        modes[model.kinematic_end :] += np.einsum("pmi,pi->pm", aggregates.slope[mine], offset)
        modes[model.kinematic_end :][mine < 0] = 0.0
    return of, modes
