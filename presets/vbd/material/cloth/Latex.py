# SPDX-License-Identifier: GPL-3.0-or-later
"""Latex sheet, 0.4 mm, as worn and as in balloons.

Young's modulus: natural rubber of 30 Shore A, 1.1 MPa (0.9 to 1.2) by Gent's hardness formula
(1958) and Lindley, Engineering Design with Natural Rubber; 950 kg/m³. Flexural rigidity E t³/(12 (1
− ν²)), with the true Poisson's ratio of 0.5. Loss factor 0.05, at 10 Hz 0.8 ms. Friction on dry
skin and glass is 1 and more. Handbook values.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "neo_hookean"
vbd.thickness = 0.0004
vbd.youngs_modulus = 440.0 / vbd.thickness
vbd.poisson_ratio = 0.49
vbd.density = 0.38
vbd.bending_stiffness = 7.8e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.0
vbd.damping = 0.0008
vbd.bending_damping = 0.0
vbd.use_friction = True
vbd.friction = 1.0
vbd.drag = 1.2
vbd.air_friction = 0.02
