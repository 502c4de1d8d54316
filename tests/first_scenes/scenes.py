# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as a beginner builds them: menu entries, a role, default settings.

Each function of these files builds one and gives `Expected`: the number of frames to bake, and the
result that anybody would see.
"""

import drape_scenes  # noqa: F401
import joint_scenes  # noqa: F401
import placed_scenes  # noqa: F401
import rigid_scenes  # noqa: F401
import rod_scenes  # noqa: F401
import sheet_scenes  # noqa: F401
import soft_scenes  # noqa: F401
from expected import SCENES

__all__ = ["SCENES"]
