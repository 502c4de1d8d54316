# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletal muscle. Without Fibers Along, relaxed and across its fibers.

Young's modulus (3 to 100 kPa): between the shear modulus of 1.0 kPa in vivo (J Mech Behav Biomed
Mater, 2023) and 25 to 100 kPa by indentation (Ann Biomed Eng 43:641). Density: tissue table, Mech
Mater 44:174. True Poisson's ratio 0.4995, nearer to which a bake needs many more iterations. Loss
factor 0.25, at 10 Hz 4 ms, and friction inside a body: estimates. Along its fibers 447 kPa, of the
rabbit (Morrow, J Mech Behav Biomed Mater 3:124); active stress: Blemker, J Biomech 38:657.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.solid_model = "neo_hookean"
vbd.youngs_modulus = 1.0e4
vbd.poisson_ratio = 0.48
vbd.fiber_stiffness = 4.5e5
vbd.active_stress = 3e5
vbd.density = 1050.0
vbd.yield_strain = 0.0
vbd.damping = 0.004
vbd.use_friction = True
vbd.friction = 0.1
