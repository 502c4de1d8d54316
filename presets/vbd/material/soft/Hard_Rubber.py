# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural rubber, 70 Shore A, as of tires and soles.

Young's modulus (5.5 to 7.4 MPa): 5.5 MPa by Gent's hardness formula (1958), 7.35 MPa by Lindley,
Engineering Design with Natural Rubber. True Poisson's ratio 0.4997, nearer to which a bake needs
many more iterations. Loss factor 0.15 (0.1 to 0.3 with carbon black), at 10 Hz 2.4 ms. Friction on
dry concrete. Handbook values.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 6.5e6
vbd.poisson_ratio = 0.49
vbd.density = 1150.0
vbd.yield_strain = 0.0
vbd.damping = 0.0024
vbd.use_friction = True
vbd.friction = 0.8
