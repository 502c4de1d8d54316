# SPDX-License-Identifier: GPL-3.0-or-later
"""Canvas, 10 oz duck.

Mass: 33.9 g/m² per oz/yd². Flexural rigidity, warp 140 and weft 90 µN m: upper end of what Feng,
Huang, Xu and Wang measured at 0.25 to 0.8 kg/m² (ACM TOG 41(6), 2022). E t: a tenth of the 15 to 30
kN/m along the threads, so that the isotropic sheet can shear; that, thickness, friction on itself
and membrane damping of 3 ms are estimates.
Stretch limit 3 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
Bend damping 150 ms: estimate, a loss factor of 0.9 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.0006
vbd.youngs_modulus = 3000.0 / vbd.thickness
vbd.poisson_ratio = 0.20
vbd.density = 0.34
vbd.bending_stiffness = 115.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.03
vbd.damping = 0.003
vbd.bending_damping = 0.15
vbd.use_friction = True
vbd.friction = 0.5
vbd.drag = 1.2
vbd.air_friction = 0.02
