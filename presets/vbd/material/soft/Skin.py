# SPDX-License-Identifier: GPL-3.0-or-later
"""Skin.

Young's modulus (35 kPa to 2 MPa, by the method): 344 kPa under suction (Sutradhar and Miller,
breast skin elasticity). True Poisson's ratio 0.49. Friction, dry, on most solids: Derler and
Gerhardt, Tribol Lett 45; wet above 1. Loss factor 0.25, at 10 Hz 4 ms: estimate.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 3.0e5
vbd.poisson_ratio = 0.48
vbd.density = 1090.0
vbd.yield_strain = 0.0
vbd.damping = 0.004
vbd.use_friction = True
vbd.friction = 0.5
