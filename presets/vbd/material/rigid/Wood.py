# SPDX-License-Identifier: GPL-3.0-or-later
"""Pine or spruce, dry.

Density: Wood Handbook, USDA Forest Products Laboratory (2010), 400 to 600 kg/m³. Friction of wood
on wood, 0.3 to 0.5: Bowden and Tabor, The Friction and Lubrication of Solids.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 500.0
vbd.use_friction = True
vbd.friction = 0.4
