# SPDX-License-Identifier: GPL-3.0-or-later
"""Nylon ripstop, of flags and parachutes.

Mass and thickness of type I: MIL-C-7020. Flexural rigidity, warp 2.5 and weft 1.5 µN m: picked
inside what Feng, Huang, Xu and Wang measured below 0.05 kg/m² (ACM TOG 41(6), 2022); coated cloth
is stiffer. Stretch stiffness, softer than the 25 kN/m of the threads so that the isotropic sheet
can shear, friction on itself and membrane damping of 1 ms: estimates.
Bend damping 50 ms: estimate, a loss factor of 0.3 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.000076
vbd.youngs_modulus = 1500.0 / vbd.thickness
vbd.poisson_ratio = 0.15
vbd.density = 0.037
vbd.bending_stiffness = 2.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.0
vbd.damping = 0.001
vbd.bending_damping = 0.05
vbd.use_friction = True
vbd.friction = 0.25
vbd.drag = 1.2
vbd.air_friction = 0.02
