# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry sand: quartz, 2,650 kg/m³. Grains do not roll here, so their friction is less than the 0.5
that is measured (Mitchell and Soga, Fundamentals of Soil Behavior, 2005): a column falls into a
heap of 28°, near the 30 to 34° of poured sand.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2650.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 0.0
vbd.damping = 0.0
vbd.use_friction = True
vbd.friction = 0.4
