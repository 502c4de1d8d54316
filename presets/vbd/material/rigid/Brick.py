# SPDX-License-Identifier: GPL-3.0-or-later
"""Fired clay brick.

Density of solid bricks, 1600 to 2000 kg/m³, and friction on each other, about 0.7: Hendry,
Structural Masonry.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 1800.0
vbd.use_friction = True
vbd.friction = 0.7
