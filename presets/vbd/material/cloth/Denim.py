# SPDX-License-Identifier: GPL-3.0-or-later
"""Denim, 11 oz.

Mass and, at small load, E t = 2.0 kN/m along the warp: Wang, O'Brien and Ramamoorthi (ACM TOG
30(4), 2011). Flexural rigidity, warp 60 and weft 35 µN m: picked between their 16 to 24 for a
stretch denim and the 189 that Feng, Huang, Xu and Wang measured at most (ACM TOG 41(6), 2022).
Thickness 0.6 to 1.0 mm, friction on itself and membrane damping of 3 ms: estimates.
Stretch limit 5 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
Bend damping 150 ms: estimate, a loss factor of 0.9 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.00075
vbd.youngs_modulus = 2000.0 / vbd.thickness
vbd.poisson_ratio = 0.25
vbd.density = 0.324
vbd.bending_stiffness = 47.5e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.05
vbd.damping = 0.003
vbd.bending_damping = 0.15
vbd.use_friction = True
vbd.friction = 0.5
vbd.drag = 1.2
vbd.air_friction = 0.02
