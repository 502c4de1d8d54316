# SPDX-License-Identifier: GPL-3.0-or-later
"""Wood, pine.

Density (400 to 600 kg/m³), Poisson's ratio and loss factor: USDA Wood Handbook, 2010. Young's
modulus is 0.5 GPa across the grain and 10 GPa along; 50 MPa looks rigid and takes fewer iterations.
Friction on wood, 0.25 to 0.5: handbook.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 5.0e7
vbd.poisson_ratio = 0.35
vbd.density = 500.0
vbd.yield_strain = 0.0
vbd.damping = 0.0002
vbd.use_friction = True
vbd.friction = 0.4
