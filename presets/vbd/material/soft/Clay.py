# SPDX-License-Identifier: GPL-3.0-or-later
"""Clay, wet and very soft.

Young's modulus (2 to 15 MPa) and undrained shear strength (below 12 kPa): Bowles, Foundation
Analysis and Design, very soft clay. In a bar it yields at twice that strength, at a strain of
24 kPa/2 MPa. Density, Poisson's ratio, loss factor of 0.4, at 10 Hz 6.4 ms, and friction:
estimates.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 2.0e6
vbd.poisson_ratio = 0.45
vbd.density = 1800.0
vbd.yield_strain = 0.012
vbd.flow_time = 0.0
vbd.damping = 0.0064
vbd.use_friction = True
vbd.friction = 0.6
