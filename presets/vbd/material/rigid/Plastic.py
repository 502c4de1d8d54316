# SPDX-License-Identifier: GPL-3.0-or-later
"""Hard plastic such as ABS.

Density: 1020 to 1080 kg/m³, and friction on itself, 0.3 to 0.4: Osswald, Materials Science of
Polymers for Engineers.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 1050.0
vbd.use_friction = True
vbd.friction = 0.35
