# SPDX-License-Identifier: GPL-3.0-or-later
"""Velvet, apparel.

Mass 0.20 to 0.40 kg/m². Flexural rigidity, warp 25 and weft 15 µN m: picked inside what Feng,
Huang, Xu and Wang measured at 0.25 to 0.30 kg/m² (ACM TOG 41(6), 2022). Stretch stiffness,
thickness with the pile, friction on itself (0.4 to 0.9, by the direction of the pile) and membrane
damping of 4 ms: estimates.
Stretch limit 6 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
Bend damping 100 ms: estimate, a loss factor of 0.6 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.0012
vbd.youngs_modulus = 800.0 / vbd.thickness
vbd.poisson_ratio = 0.30
vbd.density = 0.30
vbd.bending_stiffness = 20.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.06
vbd.damping = 0.004
vbd.bending_damping = 0.1
vbd.use_friction = True
vbd.friction = 0.6
vbd.drag = 1.2
vbd.air_friction = 0.02
