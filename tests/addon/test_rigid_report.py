# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports, statistics and overlays of bakes with rigid bodies."""

import bpy
import pytest
from blender_scenes import baked, frames, slab

from vbd.addon.baking.convergence import ConvergenceReport
from vbd.addon.baking.sizes import size_line
