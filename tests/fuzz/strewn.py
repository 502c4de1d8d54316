# SPDX-License-Identifier: GPL-3.0-or-later
"""Grains above the bodies of a random scene, in some of them."""

import numpy as np

from vbd.solver.bodies import Collider, Deformable, Grains
from vbd.solver.settings import Material

# Part of the scenes that have grains, in a family whose kernels are used without them, too.
PART = 0.3
# Points of bodies within so many sizes aside are below the grains.
NEAR = 5.0


def strewn(random, size, bodies, settings):
    """Grains that fall on the `bodies` of a scene of that `size` [m], or None."""
    if random.random() > PART or settings.quasistatic:
        return None
    points = [getattr(b, "mesh_points", b.points) for b in bodies if isinstance(b, Deformable)]
    points += [np.reshape(b.points, (-1, 3)) for b in bodies if isinstance(b, Collider)]
    middle = points[0].mean(axis=0)
    points = np.concatenate(points)
    near = points[np.abs(points - middle)[:, :2].max(axis=1) < NEAR * size]
    count = int(random.integers(1, 13))
    radius = size * 10.0 ** random.uniform(-2.0, -0.5) * random.uniform(0.5, 1.0, count)
    side = int(np.ceil(np.sqrt(count)))
    place = np.column_stack([np.arange(count) % side, np.arange(count) // side, np.zeros(count)])
    apart = 2.0 * radius.max() * random.choice([1.0, 1.001, 1.2])
    low = np.append(middle[:2] - 0.5 * apart * (side - 1), near[:, 2].max() + 2.0 * radius.max())
    speed = size / settings.frame_time * random.choice([0.0, 0.1, 1.0, 5.0])
    return Grains(
        low + place * apart + random.choice([0.0, 1e-3]) * radius.max() * random.random((count, 3)),
        radius,
        Material(
            density=10.0 ** random.uniform(1.0, 4.0),
            youngs_modulus=10.0 ** random.uniform(3.0, 9.0),
            cohesion=random.choice([0.0, 10.0 ** random.uniform(1.0, 7.0)]),
        ),
        velocities=np.array([0.0, 0.0, -speed]),
        name="Grains",
    )
