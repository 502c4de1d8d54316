# SPDX-License-Identifier: GPL-3.0-or-later
"""Fat, adipose tissue.

Young's modulus (1.6 to 4 kPa): shear modulus 0.75 kPa in vivo (J Mech Behav Biomed Mater, 2023),
0.53 kPa of the pig's (Sims, Biomech Model Mechanobiol 9:703). Density: tissue table, Mech Mater
44:174. True Poisson's ratio 0.4995, nearer to which a bake needs many more iterations. Loss factor
0.3, at 10 Hz 4.8 ms, and friction inside a body: estimates.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 2.3e3
vbd.poisson_ratio = 0.48
vbd.density = 950.0
vbd.yield_strain = 0.0
vbd.damping = 0.0048
vbd.use_friction = True
vbd.friction = 0.1
