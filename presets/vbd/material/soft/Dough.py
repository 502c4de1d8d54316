# SPDX-License-Identifier: GPL-3.0-or-later
"""Dough of wheat flour, not risen.

Young's modulus: three times the storage modulus of 10 kPa and loss factor of 0.3 to 0.4, at 10 Hz
5.6 ms: Dobraszczyk and Morgenstern, Rheology and the breadmaking process, J. Cereal Science 38
(2003). Density, Poisson's ratio, the strain and the time at which it flows, and friction:
estimates.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 3.0e4
vbd.poisson_ratio = 0.45
vbd.density = 1200.0
vbd.yield_strain = 0.03
vbd.flow_time = 0.2
vbd.damping = 0.0056
vbd.use_friction = True
vbd.friction = 0.8
