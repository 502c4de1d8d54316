# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard rubber.

Density: 1100 to 1200 kg/m³. Friction on dry, rough surfaces, about 1: Persson, Theory of rubber
friction and contact mechanics, J. Chem. Phys. 115 (2001).
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 1150.0
vbd.use_friction = True
vbd.friction = 1.0
