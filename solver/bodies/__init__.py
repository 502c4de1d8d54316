# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies of a scene: plain NumPy data, checked on construction.

Points are in metres, shape [vertex, 3]. Every error names the body and the first element at fault.
"""

from .collider import Collider
from .deformable import Deformable, Pins
from .grains import Grains
from .points import PointsInTime, points_at
from .rigid import RigidBody
from .sheets import Cloth, Rod
from .solids import CELL_CORNERS, Cells, EmbeddedSurface, Filling, Solid, Volume

__all__ = (
    "CELL_CORNERS",
    "Cells",
    "Cloth",
    "Collider",
    "Deformable",
    "EmbeddedSurface",
    "Filling",
    "Grains",
    "Pins",
    "PointsInTime",
    "RigidBody",
    "Rod",
    "Solid",
    "Volume",
    "points_at",
)
