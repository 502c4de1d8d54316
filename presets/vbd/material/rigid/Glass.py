# SPDX-License-Identifier: GPL-3.0-or-later
"""Window glass.

Density of soda-lime glass: Bansal and Doremus, Handbook of Glass Properties. Friction of glass on
glass with the usual traces of grease, 0.2 to 0.4: Bowden and Tabor, The Friction and Lubrication of
Solids.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 2500.0
vbd.use_friction = True
vbd.friction = 0.3
