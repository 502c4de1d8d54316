# SPDX-License-Identifier: GPL-3.0-or-later
"""Wool suiting.

Mass 0.15 to 0.28 kg/m², flexural rigidity, warp 10 and weft 8 µN m: Kawabata, hand evaluation
standard, 1980, and De Boos and Tester, FAST manual, 1994. Along the threads E t is 2.5 to 8 kN/m;
an isotropic sheet that stiff could not shear, so 800 N/m is an estimate. Thickness, friction on
itself and membrane damping of 2 ms: estimates.
Stretch limit 6 %: estimate, after the 2 to 8 % by which woven fabric extends at 490 N/m
(Kawabata, hand evaluation standard, 1980).
Bend damping 50 ms: estimate, a loss factor of 0.3 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.0005
vbd.youngs_modulus = 800.0 / vbd.thickness
vbd.poisson_ratio = 0.35
vbd.density = 0.20
vbd.bending_stiffness = 9.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.06
vbd.damping = 0.002
vbd.bending_damping = 0.05
vbd.use_friction = True
vbd.friction = 0.4
vbd.drag = 1.2
vbd.air_friction = 0.02
