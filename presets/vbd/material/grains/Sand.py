# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry sand: quartz, 2,650 kg/m³, with an angle of friction between grains of 26° (Mitchell and
Soga, Fundamentals of Soil Behavior, 2005). Without cohesion.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2650.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 0.0
vbd.damping = 0.0
vbd.use_friction = True
vbd.friction = 0.5
