# SPDX-License-Identifier: GPL-3.0-or-later
"""Damp sand: quartz, with bonds of 1 kPa, as capillary bridges give (Richefeu et al., Shear
strength properties of wet granular materials, 2006). Their stiffness is an estimate; friction as
that of dry sand.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2650.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 1.0e3
vbd.damping = 0.002
vbd.use_friction = True
vbd.friction = 0.4
