# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural rubber, 30 Shore A.

Young's modulus (0.9 to 1.2 MPa): 1.14 MPa by Gent's hardness formula (1958), 0.92 MPa by Lindley,
Engineering Design with Natural Rubber. True Poisson's ratio 0.4997, nearer to which a bake needs
many more iterations. Loss factor 0.05, at 10 Hz 0.8 ms. Friction on dry concrete. Handbook values.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 1.1e6
vbd.poisson_ratio = 0.49
vbd.density = 950.0
vbd.yield_strain = 0.0
vbd.damping = 0.0008
vbd.use_friction = True
vbd.friction = 1.0
