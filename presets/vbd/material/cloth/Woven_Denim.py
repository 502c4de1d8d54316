# SPDX-License-Identifier: GPL-3.0-or-later
"""Denim, 11 oz, with its warp along U of the UV map.

Mass and G t = 84 N/m (27 to 84), E t at small load, warp 2.0 and weft 0.4 kN/m: Wang, O'Brien and
Ramamoorthi (ACM TOG 30(4), 2011), a stretch denim. Flexural rigidity, warp 60 and weft 35 µN m:
picked between their 16 to 24 and the 189 that Feng, Huang, Xu and Wang measured at most (ACM TOG
41(6), 2022). Thickness 0.6 to 1.0 mm, friction on itself and membrane damping of 3 ms: estimates.
Bend damping 150 ms: estimate, a loss factor of 0.9 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "orthotropic"
vbd.thickness = 0.00075
vbd.youngs_modulus = 2000.0 / vbd.thickness
vbd.weft_modulus = 400.0 / vbd.thickness
vbd.shear_modulus = 84.0 / vbd.thickness
vbd.poisson_ratio = 0.25
vbd.density = 0.324
vbd.bending_stiffness = 60.0e-6
vbd.weft_bending = 35.0 / 60.0
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.0
vbd.damping = 0.003
vbd.bending_damping = 0.15
vbd.use_friction = True
vbd.friction = 0.5
vbd.drag = 1.2
vbd.air_friction = 0.02
