# SPDX-License-Identifier: GPL-3.0-or-later
"""The largest stiffness that contacts of each vertex and embedded point may have."""

import numpy as np

from ..elements.tets import tet_gradients
from ..topology.blocks import blocks
from ..topology.graphs import connected_components
from ..topology.meshes import first_edges

# A contact is at most this many times as stiff as the vertices that it acts on.
STIFFEST = 30.0
# The same for grains: they have no elastic modes, so descent allows more.
STIFFEST_GRAIN = 100.0
# So many points of a rigid body share a load.
SHARED = 4.0


def stiffness_bound(assembly, settings):
    """Return the largest stiffness [N/m] that contacts of each vertex may have.

    A contact that is much stiffer than the bodies that it holds apart makes descent slow along the
    common motion of both, and float32 cannot resolve its depth. The bound is STIFFEST times inertia
    m/h² and, of solids, the elastic stiffness Σ (λ + 2μ) V |∇N|²; of a cell with side s that is
    3/(16 s²) at its center, and the modes of bending and twist add as much again.
    """
    tets, cells = assembly.solids
    elastic = np.empty(tets.corners.shape)
    for block in blocks(len(tets)):
        some = tets[block]
        volumes, gradients = tet_gradients(assembly.rest_points, some.corners)
        modulus = (some.lame_lam + 2.0 * some.lame_mu) * volumes
        elastic[block] = modulus[:, None] * (gradients**2).sum(axis=2)
    count = len(assembly.points)
    # `bincount` returns integers where there are no tets or cells.
    bound = np.zeros(count) + np.bincount(tets.corners.ravel(), elastic.ravel(), minlength=count)
    modulus = (cells.lame_lam + 2.0 * cells.lame_mu) * cells.part
    elastic = 0.375 * modulus * first_edges(assembly.rest_points, cells.corners)
    bound += np.bincount(cells.corners.ravel(), np.repeat(elastic, 8), minlength=count)
    if settings.quasistatic:
        bound[bound == 0.0] = np.inf
    else:
        bound += assembly.mass / settings.step_time**2
    # Kinematic vertices do not yield: only the other side bounds the stiffness.
    bound[assembly.free_count :] = np.inf
    factor = np.full(count, STIFFEST)
    factor[assembly.grains.corners] = STIFFEST_GRAIN
    return factor * bound


def bound_at_points(points, bound):
    """Return `stiffness_bound` of embedded points, whose corners share it with all near points."""
    point, corner, weight = points.parents()
    shared = np.bincount(corner, weight * weight, minlength=len(bound))
    yielding = np.abs(weight) * np.maximum(shared[corner], 1.0) / bound[corner]
    with np.errstate(divide="ignore"):
        return 1.0 / np.bincount(point, yielding, minlength=len(points))


def carried_mass(assembly):
    """Return the mass [vertex, kg] of the vertices of rigid bodies, with a part of all that
    attachments hold together: it may all rest on one of them.
    """
    joint = connected_components(assembly.attachments.joints(), len(assembly.points))
    together = np.bincount(joint, assembly.mass)[joint]
    joined = np.bincount(joint)[joint] > 1
    return np.where(joined, together / 4.0, assembly.mass)


def bound_of_rigid_points(points, mass, settings):
    """Return `stiffness_bound` of the points of rigid bodies: STIFFEST times their inertia, which
    SHARED of them share. At an arm r the inverse of that is h² (1 + |L⁻¹r|²)/m = 4 h² Σ β²/m.
    """
    yielding = 4.0 * (points.weights**2).sum(axis=1) / (4.0 * mass[points.corners[:, 0]])
    return STIFFEST / (SHARED * settings.step_time**2 * yielding)
