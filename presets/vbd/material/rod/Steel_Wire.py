# SPDX-License-Identifier: GPL-3.0-or-later
"""Steel wire, 1 mm.

Young's modulus 200 to 210 GPa, 7850 kg/m³, Poisson's ratio and friction on dry steel 0.42 to 0.62:
handbook values. Its loss factor, 0.001, is none here. Does not stretch, so give it many iterations.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.thickness = 0.001
vbd.youngs_modulus = 2.05e11
vbd.density = 0.0062
vbd.damping = 0.0
vbd.poisson_ratio = 0.29
vbd.bending_factor = 1.0
vbd.crease_radius = 0.0
vbd.use_friction = True
vbd.friction = 0.5
