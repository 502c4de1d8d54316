# SPDX-License-Identifier: GPL-3.0-or-later
"""Clay, wet and very soft.

Young's modulus (2 to 15 MPa): Bowles, Foundation Analysis and Design, very soft clay. Density,
Poisson's ratio, loss factor of 0.4, at 10 Hz 6.4 ms, and friction: estimates. It springs back,
where real clay stays deformed: for short shots.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 2.0e6
vbd.poisson_ratio = 0.45
vbd.density = 1800.0
vbd.damping = 0.0064
vbd.use_friction = True
vbd.friction = 0.6
