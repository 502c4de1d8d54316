# SPDX-License-Identifier: GPL-3.0-or-later
"""Connected components: vertices that elements and attachments join."""

from itertools import zip_longest

import numpy as np
import warp as wp

from ..kernels.descent import guess as kernels
from .chunks import chunked
from .joints import component_of

# Sums per chunk, and results per component.
SUMS = {
    "weight": wp.float64,
    "center": wp.vec3d,
    "motion": wp.vec3d,
    "push": wp.vec3d,
    "spin": wp.vec3d,
    "spread": wp.mat33d,
    "slope": wp.vec2d,
}
MOTIONS = {"turn": wp.mat33d, "shift": wp.vec3d, "alpha": float}


def find_components(assembly):
    """Return the component [free vertex], and the mask [component] of kinematically held ones."""
    corners = assembly.corners()
    known, found = assembly.components
    if found is None or any(a is not b for a, b in zip_longest(known, corners)):
        found = _find_components(assembly)
        assembly.components = corners, found
    return found


def _find_components(assembly):
    free, count = assembly.free_count, len(assembly.points)
    component = component_of(assembly)
    held = np.zeros(count, dtype=bool)
    held[component[assembly.held_from_outside()]] = True
    names, of = np.unique(component[:free], return_inverse=True)
    return of, held[names]


def make_components(assembly, device):
    """Return the `Components` of the free vertices on the device."""
    of, held = find_components(assembly)
    vertex, start, _owner, first = chunked(of, len(held))
    components = kernels.Components()
    for name, values in (
        ("vertex", vertex),
        ("chunk_start", start),
        ("first_chunk", first),
        ("held", held),
        ("of", of),
    ):
        setattr(components, name, wp.array(values.astype(np.int32), dtype=int, device=device))
    for kinds, count in ((SUMS, int(first[-1])), (MOTIONS, len(held))):
        for name, dtype in kinds.items():
            setattr(components, name, wp.zeros(count, dtype=dtype, device=device))
    return components
