# SPDX-License-Identifier: GPL-3.0-or-later
"""Silk, crepe or habotai.

Mass: 16 momme of 4.34 g/m². Stretch stiffness E t = 500 N/m: estimate, softer than the threads so
that the isotropic sheet can shear. Flexural rigidity, warp 2.5 and weft 1.5 µN m: picked inside
what Feng, Huang, Xu and Wang measured at 0.05 to 0.08 kg/m² (ACM TOG 41(6), 2022). Thickness,
friction on itself and membrane damping of 1 ms: estimates.
Stretch limit 5 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.00015
vbd.youngs_modulus = 500.0 / vbd.thickness
vbd.poisson_ratio = 0.35
vbd.density = 0.07
vbd.bending_stiffness = 2.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.05
vbd.damping = 0.001
vbd.bending_damping = 0.0
vbd.use_friction = True
vbd.friction = 0.25
vbd.drag = 1.2
vbd.air_friction = 0.02
