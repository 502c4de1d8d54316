# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton, plain shirting.

Mass 0.10 to 0.15 kg/m², thickness 0.2 to 0.35 mm. Along the threads E t is 8 to 16 kN/m (Kawabata,
hand evaluation standard, 1980); an isotropic sheet that stiff could not shear, so 1000 N/m is an
estimate. Flexural rigidity, warp 14 and weft 9 µN m: picked inside what Feng, Huang, Xu and Wang
measured at 0.12 to 0.16 kg/m² (ACM TOG 41(6), 2022). Friction on itself and membrane damping of
2 ms: estimates.
Stretch limit 5 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
Bend damping 100 ms: estimate, a loss factor of 0.6 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.00025
vbd.youngs_modulus = 1000.0 / vbd.thickness
vbd.poisson_ratio = 0.30
vbd.density = 0.13
vbd.bending_stiffness = 11.5e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.05
vbd.damping = 0.002
vbd.bending_damping = 0.1
vbd.use_friction = True
vbd.friction = 0.45
vbd.drag = 1.2
vbd.air_friction = 0.02
