# SPDX-License-Identifier: GPL-3.0-or-later
"""The force of an attachment is the slope of its energy, its block the curvature."""

import numpy as np
import pytest
import warp as wp

from vbd.solver.bodies import Rod
from vbd.solver.kernels.scene.attachments import Attachments, attachments_force_hessian
from vbd.solver.model.assembly import assemble
from vbd.solver.model.penalties import AttachmentRows
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Settings

POINTS = np.array([[0.0, 0.0, 0.0], [0.5, 0.1, 0.0], [0.9, -0.2, 0.4]])
STIFFNESS = 30.0


@wp.kernel
def evaluate(
    x: wp.array[wp.vec3],
    attachments: Attachments,
    # out
    force: wp.array[wp.vec3],
    hessian: wp.array[wp.mat33],
):
    i = wp.tid()
    f, h = attachments_force_hessian(i, x, attachments)
    force[i] = f
    hessian[i] = h


def gap(x):
    """C [m] of vertex 0 tied to the middle of vertices 1 and 2."""
    return x[0] - 0.5 * (x[1] + x[2])


def energy(x, stiffness, length):
    """E [J], in float64."""
    c = gap(x)
    if length:
        return 0.5 * STIFFNESS * (np.linalg.norm(c) - length) ** 2
    return 0.5 * c @ stiffness @ c


def force_and_block(length=0.0, **options):
    """Positions, forces [N] and blocks [N/m] of the three vertices."""
    rod = Rod(POINTS, [[0, 1], [1, 2]])
    tie = Attachment(rod, [0], STIFFNESS, other=rod, corners=[[1, 2]], length=length, **options)
    settings = Settings(augmented=False)
    assembly = assemble([rod], settings, [tie])
    rows = AttachmentRows(assembly, settings, "cpu")
    data = rows.struct.rows.numpy()
    data["length"] = length  # found by the step, without damping
    rows.struct.rows.assign(data)
    order = assembly.vertices[0]
    x = wp.array(assembly.points, dtype=wp.vec3, device="cpu")
    force = wp.zeros(3, dtype=wp.vec3, device="cpu")
    hessian = wp.zeros(3, dtype=wp.mat33, device="cpu")
    wp.launch(evaluate, 3, [x, rows.struct], [force, hessian], device="cpu")
    return assembly.points[order], force.numpy()[order], hessian.numpy()[order]


def derivatives(energy, points, i, step=1e-4):
    """Slope [3] and curvature [3, 3] of an energy where vertex i moves."""

    def at(move):
        moved = points.copy()
        moved[i] += move
        return energy(moved)

    axes = step * np.eye(3)
    slope = np.array([at(a) - at(-a) for a in axes]) / (2.0 * step)
    curvature = [[at(a + b) - at(a - b) - at(b - a) + at(-a - b) for a in axes] for b in axes]
    return slope, np.array(curvature) / (4.0 * step**2)


@pytest.mark.parametrize(
    ("normal", "length"),
    [(None, 0.0), ((0.6, 0.0, 0.8), 0.0), (None, 0.3), (None, 2.0)],
    ids=["every way alike", "along a normal", "stretched", "compressed"],
)
def test_force_and_block_are_slope_and_curvature_of_the_energy(normal, length):
    across = 7.0 if normal else STIFFNESS
    tangential = {"normal": normal, "tangential_stiffness": across} if normal else {}
    points, force, hessian = force_and_block(length, **tangential)
    n = np.zeros(3) if normal is None else np.array(normal)
    stiffness = across * np.eye(3) + (STIFFNESS - across) * np.outer(n, n)
    for i in range(3):
        slope, curvature = derivatives(lambda x: energy(x, stiffness, length), points, i)
        np.testing.assert_allclose(force[i], -slope, rtol=1e-5, atol=1e-5)
        # A compressed spring has a negative stiffness sideways; its magnitude, at most that along
        # it, replaces it.
        values, vectors = np.linalg.eigh(curvature)
        safe = vectors @ np.diag(np.minimum(np.abs(values), values.max())) @ vectors.T
        np.testing.assert_allclose(hessian[i], safe, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("length", [0.0, 0.3])
def test_what_gives_has_a_straight_energy_and_a_block_that_is_no_less(length):
    most = 0.25 * STIFFNESS * np.linalg.norm(gap(POINTS))

    def giving(x):
        stretch = np.linalg.norm(gap(x)) - length
        assert stretch > most / STIFFNESS
        return most * stretch - 0.5 * most**2 / STIFFNESS

    points, force, hessian = force_and_block(length, maximum_force=most)
    for i in range(3):
        slope, curvature = derivatives(giving, points, i)
        np.testing.assert_allclose(force[i], -slope, rtol=1e-5, atol=1e-5)
        assert np.linalg.eigvalsh(hessian[i] - curvature).min() > -1e-3
