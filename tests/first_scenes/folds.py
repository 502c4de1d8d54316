# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of folds in cloth: creased and crumpled fractions."""

import numpy as np

# In a crease so sharp the faces are a quarter of their length apart at their far ends.
CREASE = 165.0
# A mesh carries a fold over two faces or more, which bend the same way. A face whose opposite edges
# fold in opposite directions, both by more than this, is crumpled.
OPPOSITE = 30.0


def fold_angles(mesh, points):
    """Angle [degree] between the normals of two faces, by the vertices of the edge they share, with
    the vertices at points [vertex, 3]: 0 where the sheet is flat, near 180 where a face lies on
    its neighbor, below 0 where it folds to the back.
    """
    faces = [face.vertices[:] for face in mesh.polygons]
    middles = np.array([points[[*face]].mean(axis=0) for face in faces])
    normals = np.array([_normal(points[[*face]]) for face in faces])
    beside, found = {}, {}
    for index, face in enumerate(mesh.polygons):
        for edge in face.edge_keys:
            beside.setdefault(edge, []).append(index)
    for edge, both in beside.items():
        if len(both) == 2:
            one, other = both
            angle = np.degrees(np.arccos(np.clip(normals[one] @ normals[other], -1.0, 1.0)))
            found[edge] = angle * np.sign((middles[one] - middles[other]) @ normals[one])
    return found


def _normal(corners):
    """Normal of a face that need not be flat."""
    normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    return normal / np.linalg.norm(normal)


def creased(mesh, points):
    """Fraction of the edges between two faces that are folded by more than CREASE."""
    return float(np.mean(np.abs(list(fold_angles(mesh, points).values())) > CREASE))


def crumpled(mesh, points):
    """Fraction of the pairs of opposite edges of quads between which the sheet is crumpled."""
    angles = fold_angles(mesh, points)
    pairs = []
    for face in mesh.polygons:
        keys = face.edge_keys
        if len(keys) == 4:
            pairs += [(angles.get(keys[k]), angles.get(keys[k + 2])) for k in (0, 1)]
    pairs = np.array([pair for pair in pairs if None not in pair])
    folded = np.abs(pairs).min(axis=1) > OPPOSITE
    return float(np.mean(folded & (pairs.prod(axis=1) < 0.0)))
