# SPDX-License-Identifier: GPL-3.0-or-later
"""Ice near its melting point.

Density and friction of ice on ice, 0.02 to 0.05: Petrenko and Whitworth, Physics of Ice.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 917.0
vbd.use_friction = True
vbd.friction = 0.03
