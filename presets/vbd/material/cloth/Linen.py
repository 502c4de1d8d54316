# SPDX-License-Identifier: GPL-3.0-or-later
"""Linen.

Mass 0.12 to 0.30 kg/m². Flexural rigidity, warp 30 and weft 20 µN m: upper half of what Feng,
Huang, Xu and Wang measured at 0.15 to 0.25 kg/m² (ACM TOG 41(6), 2022). E t: a tenth of that along
the threads, so that the isotropic sheet can shear; that, thickness, friction on itself and membrane
damping of 2 ms are estimates.
Stretch limit 4 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
Bend damping 150 ms: estimate, a loss factor of 0.9 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.00035
vbd.youngs_modulus = 1500.0 / vbd.thickness
vbd.poisson_ratio = 0.25
vbd.density = 0.19
vbd.bending_stiffness = 25.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.04
vbd.damping = 0.002
vbd.bending_damping = 0.15
vbd.use_friction = True
vbd.friction = 0.4
vbd.drag = 1.2
vbd.air_friction = 0.02
