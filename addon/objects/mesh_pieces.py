# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of a mesh: Voronoi cells of a closed one, or its loose parts."""

import bmesh
import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

# Face layer with the number of the piece on the other side, 0 on the outer surface.
BEHIND = "vbd_behind"
# Trials to find a seed inside of the mesh, per piece.
TRIALS = 200
# Corners of a piece are one where they are nearer than this fraction of its size: an edge as short
# as the rounding of its ends has no direction.
SAME = 1e-5
# Loose parts nearer to each other than this many gaps are neighbors.
NEAR = 2.0


def seeds_in(mesh, count, seed):
    """Random points [count, 3] inside of a closed mesh, in its own space; fewer if it is thin."""
    random = np.random.default_rng(seed)
    points = np.array([vertex.co for vertex in mesh.vertices])
    low, high = points.min(axis=0), points.max(axis=0)
    tree = _tree(mesh)
    found = []
    for place in random.uniform(low, high, (TRIALS * count, 3)):
        if _is_inside(tree, place):
            found.append(place)
            if len(found) == count:
                break
    return np.array(found).reshape(-1, 3)


def _tree(mesh):
    polygons = [list(polygon.vertices) for polygon in mesh.polygons]
    return BVHTree.FromPolygons([vertex.co for vertex in mesh.vertices], polygons)


def _is_inside(tree, place):
    """Return whether a ray from a place leaves a closed surface an odd number of times."""
    hits, origin = 0, place
    direction = np.array([0.577, 0.211, 0.789])
    while True:
        location, _normal, _index, _distance = tree.ray_cast(origin, direction)
        if location is None:
            return hits % 2 == 1
        hits += 1
        origin = np.array(location) + 1e-6 * direction


def voronoi_cells(mesh, seeds, gap):
    """The cells of a closed mesh, by the number of their seed: new meshes with the layer `BEHIND`.

    Every cut is `gap` wide. Lengths are those of the mesh's own space.
    """
    cells = {}
    for number, seed in enumerate(seeds):
        work = bmesh.new()
        work.from_mesh(mesh)
        layer = work.faces.layers.int.new(BEHIND)
        order = np.argsort(np.linalg.norm(seeds - seed, axis=1))[1:]
        for other in order:
            away = seeds[other] - seed
            distance = np.linalg.norm(away)
            reach = max((np.linalg.norm(np.array(v.co) - seed) for v in work.verts), default=0.0)
            if 0.5 * distance > reach:
                break
            normal = away / distance
            place = seed + (0.5 * distance - 0.5 * gap) * normal
            _cut(work, place, normal, layer, other + 1, SAME * reach)
        if len(work.faces):
            cells[number] = _made(work, mesh)
        work.free()
    return cells


def _cut(work, place, normal, layer, behind, tolerance):
    """Remove what lies beyond a plane, and close the hole with faces that face `behind`. Corners
    nearer to the plane or to each other than a `tolerance` become one.
    """
    parts = [*work.verts, *work.edges, *work.faces]
    cut = bmesh.ops.bisect_plane(
        work, geom=parts, plane_co=place, plane_no=normal, dist=tolerance, clear_outer=True
    )["geom_cut"]
    corners = [part for part in cut if isinstance(part, bmesh.types.BMVert)]
    bmesh.ops.remove_doubles(work, verts=corners, dist=tolerance)
    edges = [edge for edge in work.edges if edge.is_boundary]
    if not edges:
        return
    for face in _filled(work, edges, normal):
        face[layer] = behind


def _filled(work, edges, normal):
    """New faces in a plane, inside boundary edges; one face in a single loop, which the next cuts
    leave with few corners. A face that fills it already is all that is left, and is removed.
    """
    loop = _loop(edges)
    if loop is None:
        made = bmesh.ops.triangle_fill(work, edges=edges, use_beauty=True, normal=normal)["geom"]
        return [part for part in made if isinstance(part, bmesh.types.BMFace)]
    flat = work.faces.get(loop)
    if flat is not None:  # nothing is left but a face in the plane
        bmesh.ops.delete(work, geom=[flat], context="FACES")
        return []
    face = work.faces.new(loop)
    face.normal_update()
    if face.normal.dot(normal) < 0.0:
        face.normal_flip()
    return [face]


def _loop(edges):
    """The vertices of boundary edges in order, or None where they are no single loop."""
    around = {}
    for edge in edges:
        for vertex in edge.verts:
            around.setdefault(vertex, []).append(edge.other_vert(vertex))
    if any(len(others) != 2 for others in around.values()):
        return None
    loop = [edges[0].verts[0], edges[0].verts[1]]
    while len(loop) <= len(around):
        one, other = around[loop[-1]]
        loop.append(other if one is loop[-2] else one)
        if loop[-1] is loop[0]:
            break
    return loop[:-1] if len(loop) == len(around) + 1 and loop[-1] is loop[0] else None


def volume_of(mesh):
    """Volume of a closed mesh in its own space."""
    work = bmesh.new()
    work.from_mesh(mesh)
    volume = abs(work.calc_volume())
    work.free()
    return volume


def neighbors_of_cells(cells):
    """Pairs of Voronoi cells with the area between them: (number, smaller number, area), in their
    own space.
    """
    for number, mesh in cells.items():
        layer, areas = mesh.attributes[BEHIND].data, {}
        for polygon in mesh.polygons:
            other = layer[polygon.index].value - 1
            if 0 <= other < number:
                areas[other] = areas.get(other, 0.0) + polygon.area
        yield from ((number, other, area) for other, area in sorted(areas.items()))


def loose_parts(mesh):
    """The loose parts of a mesh, by number: new meshes; none of a mesh that is one part."""
    work = bmesh.new()
    work.from_mesh(mesh)
    work.verts.ensure_lookup_table()
    part, count = np.full(len(work.verts), -1), 0
    for start in work.verts:
        if part[start.index] >= 0:
            continue
        waiting = [start]
        while waiting:
            vertex = waiting.pop()
            if part[vertex.index] < 0:
                part[vertex.index] = count
                waiting += [edge.other_vert(vertex) for edge in vertex.link_edges]
        count += 1
    work.free()
    return {number: _part(mesh, part == number) for number in range(count)} if count > 1 else {}


def _part(mesh, kept):
    work = bmesh.new()
    work.from_mesh(mesh)
    work.verts.ensure_lookup_table()
    lost = [vertex for vertex in work.verts if not kept[vertex.index]]
    bmesh.ops.delete(work, geom=lost, context="VERTS")
    made = _made(work, mesh)
    work.free()
    return made


def _made(work, mesh):
    """A new mesh with the geometry of a `bmesh`, and the name and materials of another mesh."""
    made = bpy.data.meshes.new(mesh.name)
    work.to_mesh(made)
    for material in mesh.materials:
        made.materials.append(material)
    return made


def neighbors_of_parts(parts, gap):
    """Pairs of loose parts that are near each other, with an area: a sixth of the surface of the
    smaller one. Returns (number, smaller number, area), in their own space.
    """
    trees = {number: _tree(mesh) for number, mesh in parts.items()}
    surfaces = {n: sum(face.area for face in mesh.polygons) for n, mesh in parts.items()}
    for number, mesh in parts.items():
        for other in parts:
            if other < number and _are_near(mesh, parts[other], trees[number], trees[other], gap):
                yield number, other, min(surfaces[number], surfaces[other]) / 6.0


def _are_near(mesh, other, tree, other_tree, gap):
    near = NEAR * gap
    for points, within in ((mesh.vertices, other_tree), (other.vertices, tree)):
        if any(within.find_nearest(v.co, near)[0] is not None for v in points):
            return True
    return False
