# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the solver and of materials: the one place for defaults, ranges, units and texts.

Every number is declared once with `number()`. The solver checks values against its range, and the
Blender properties use its declaration.
"""

from .material import Material
from .settings import SETTLING, Settings, acceleration, check_friction

__all__ = ("SETTLING", "Material", "Settings", "acceleration", "check_friction")
