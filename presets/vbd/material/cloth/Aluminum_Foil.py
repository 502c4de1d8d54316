# SPDX-License-Identifier: GPL-3.0-or-later
"""Aluminum foil for the kitchen, 16 µm.

E 70 GPa, 2700 kg/m³, Poisson's ratio 0.33, yields at a strain of 0.05 % when annealed (35 MPa):
handbook values. Flexural rigidity E t³/(12 (1 − ν²)); creases below 16 mm, where its surface is
strained by that. E t: a two-hundredth of theirs, so that it converges; it yields under the same
force, so at a strain of 11 %. Friction: estimate.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.000016
vbd.youngs_modulus = 5000.0 / vbd.thickness
vbd.poisson_ratio = 0.33
vbd.density = 0.043
vbd.bending_stiffness = 27.0e-6
vbd.crease_radius = 0.016
vbd.yield_strain = 0.11
vbd.maximum_stretch = 0.0
vbd.flow_time = 0.0
vbd.damping = 0.0
vbd.bending_damping = 0.0
vbd.use_friction = True
vbd.friction = 0.4
vbd.drag = 1.2
vbd.air_friction = 0.02
