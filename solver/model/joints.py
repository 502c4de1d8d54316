# SPDX-License-Identifier: GPL-3.0-or-later
"""What elements and attachments join."""

import numpy as np

from ..topology.graphs import connected_components


def linkage_of(assembly):
    """The number [vertex] of the linkage that each vertex belongs to, that of its first vertex."""
    joints = [*assembly.corners(), assembly.attachments.corners]
    pairs = [corners[:, [0, k]] for corners in joints for k in range(1, corners.shape[1])]
    return connected_components(np.concatenate(pairs), len(assembly.points))
