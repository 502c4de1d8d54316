# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton, plain shirting, with its warp along U of the UV map.

Mass 0.10 to 0.15 kg/m², thickness 0.2 to 0.35 mm. E t, warp 11 and weft 8 kN/m (8 to 16), and
G t = 60 N/m (40 to 80): Kawabata, hand evaluation standard, 1980. Poisson's ratio between the
0.39 and 0.25 that Zhang measured past the crimp (2019). Flexural rigidity, warp 14 and weft 9 µN m:
picked inside what Feng, Huang, Xu and Wang measured at 0.12 to 0.16 kg/m² (ACM TOG 41(6), 2022).
Friction on itself and membrane damping of 2 ms: estimates. Hardly stretches along its threads, so
give it many iterations.
Bend damping 100 ms: estimate, a loss factor of 0.6 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "orthotropic"
vbd.thickness = 0.00025
vbd.youngs_modulus = 11000.0 / vbd.thickness
vbd.weft_modulus = 8000.0 / vbd.thickness
vbd.shear_modulus = 60.0 / vbd.thickness
vbd.poisson_ratio = 0.30
vbd.density = 0.13
vbd.bending_stiffness = 14.0e-6
vbd.weft_bending = 9.0 / 14.0
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.0
vbd.damping = 0.002
vbd.bending_damping = 0.1
vbd.use_friction = True
vbd.friction = 0.45
vbd.drag = 1.2
vbd.air_friction = 0.02
