# SPDX-License-Identifier: GPL-3.0-or-later
"""Gelatin, 10 % by weight.

Young's modulus (10 to 40 kPa): power law through the measurements of Bonavia, arXiv 2512.20502.
True Poisson's ratio 0.4999, nearer to which a bake needs many more iterations. Loss factor 0.10
(Okamoto 2011), at 10 Hz 1.6 ms. Friction on a plate: estimate.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 1.8e4
vbd.poisson_ratio = 0.48
vbd.density = 1030.0
vbd.yield_strain = 0.0
vbd.damping = 0.0016
vbd.use_friction = True
vbd.friction = 0.15
