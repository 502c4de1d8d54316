# SPDX-License-Identifier: GPL-3.0-or-later
"""Polyurethane foam, open cells, as in cushions.

Young's modulus (20 to 100 kPa) from the density (18 to 45 kg/m³): 45 MPa times the square of the
solid fraction gives 28 kPa (Gibson and Ashby, Cellular Solids). Loss factor 0.2 from the
rebound of a ball (Polyurethane Foam Association, InTouch 11(1)), at 10 Hz 3.2 ms. Pressed far, real
foam collapses, which this material does not. Friction on cloth: estimate.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 4.0e4
vbd.poisson_ratio = 0.30
vbd.density = 30.0
vbd.yield_strain = 0.0
vbd.damping = 0.0032
vbd.use_friction = True
vbd.friction = 0.6
