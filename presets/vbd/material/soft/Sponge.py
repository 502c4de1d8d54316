# SPDX-License-Identifier: GPL-3.0-or-later
"""Bath sponge, dry: polyurethane foam with a sixtieth of its volume solid.

Young's modulus: 45 MPa times the square of that fraction (Gibson and Ashby, Cellular Solids). Loss
factor 0.2, as of other foam, at 10 Hz 3.2 ms. Pressed far, a real one collapses, which this
material does not. Poisson's ratio and friction: estimates.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 1.25e4
vbd.poisson_ratio = 0.25
vbd.density = 20.0
vbd.yield_strain = 0.0
vbd.damping = 0.0032
vbd.use_friction = True
vbd.friction = 0.6
