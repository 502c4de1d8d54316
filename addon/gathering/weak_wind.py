# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind that is too weak to be visible: a sentence with a sufficient strength."""

import numpy as np

from ...solver.bodies import Cloth
from ...solver.messages import message

# Cloth that hangs in a wind of this fraction of its weight leans by 3°; with the second it flies.
FAINT, PLAIN = 0.05, 0.5


def notes(fields, bodies, settings):
    """Sentences about those of the `ForceField`s that blow, with constant strength and bodies."""
    gravity = float(np.linalg.norm(settings.gravity))
    winds = [f for f in fields if f.blows and not callable(f.numbers) and f.visibility is None]
    keyed = any(body.changes("drag", "density") for body in bodies)
    if not winds or not gravity or keyed:
        return
    loads = [_load(body, settings.air_density) / gravity for body in bodies]
    for wind in winds:
        speed = abs(wind.numbers.strength) + wind.numbers.noise
        part = max(loads) * speed**2
        if 0.0 < part < FAINT:
            yield (
                message("note.weak_wind", name=wind.name, percent=100.0 * part, factor=PLAIN / part)
            )


def _load(body, air_density):
    """Largest acceleration [m/s²] of a body by a wind of 1 m/s across it."""
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.model.air_surfaces import shown_area
    from ...solver.model.assembly import vertex_mass
    from ...solver.topology.meshes import triangle_areas

    if isinstance(body, Cloth):
        area = triangle_areas(body.rest_points, body.triangles).sum()
    else:
        area = shown_area(body).sum()
    drag = float(np.max(body.material.drag))
    return 0.5 * air_density * drag * float(area) / float(vertex_mass(body).sum())
