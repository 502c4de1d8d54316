# SPDX-License-Identifier: GPL-3.0-or-later
"""Steel, dry.

Density: ASM Metals Handbook. Friction of steel on steel in air, dry, 0.5 to 0.8: Bowden and Tabor,
The Friction and Lubrication of Solids; the lower end, since no surface is quite clean.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 7850.0
vbd.use_friction = True
vbd.friction = 0.5
