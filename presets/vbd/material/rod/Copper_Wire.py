# SPDX-License-Identifier: GPL-3.0-or-later
"""Copper wire, 1 mm, annealed.

Young's modulus 117 GPa, 8960 kg/m³, Poisson's ratio 0.34, yields at a strain of 0.05 % (60 MPa), so
that it keeps all bends below a radius of 1 m: handbook values. Friction: estimate. Does not
stretch, so give it many iterations.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.thickness = 0.001
vbd.youngs_modulus = 1.17e11
vbd.density = 0.00704
vbd.damping = 0.0
vbd.poisson_ratio = 0.34
vbd.bending_factor = 1.0
vbd.crease_radius = 1.0
vbd.flow_time = 0.0
vbd.use_friction = True
vbd.friction = 0.5
