# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast shear waves are in solids: what they have crossed moves as one."""

import numpy as np

from ..topology.meshes import tet_volumes


def crossings(assembly, step_time):
    """How often shear waves cross each body within a substep [s], [body]; NaN for what is no solid.

    Their speed is √(μ V/m), with the least μ in the body.
    """
    count, points = len(assembly.vertices), assembly.rest_points
    of = np.zeros(len(points), dtype=np.int64)
    for number, vertices in enumerate(assembly.vertices):
        of[vertices] = number
    softest, volume = np.full(count, np.inf), np.zeros(count)
    tets, cells = assembly.solids
    sides = points[cells.corners[:, [1, 2, 4]]] - points[cells.corners[:, :1]]
    volumes = tet_volumes(points, tets.corners), np.abs(np.linalg.det(sides)) * cells.part
    for solids, volumes_of in zip(assembly.solids, volumes, strict=True):
        body = of[solids.corners[:, 0]]
        np.minimum.at(softest, body, solids.lame_mu)
        np.add.at(volume, body, volumes_of)
    mass = np.bincount(of, assembly.mass, minlength=count)
    result = np.full(count, np.nan)
    for number in np.flatnonzero(np.isfinite(softest)):
        size = np.ptp(points[assembly.vertices[number]], axis=0).max()
        speed = np.sqrt(softest[number] * volume[number] / mass[number])
        result[number] = step_time * speed / size
    return result
