# SPDX-License-Identifier: GPL-3.0-or-later
"""Jersey, T-shirt knit of cotton and polyester.

Mass, E t of 33 and 69 N/m at rest and flexural rigidity of 6 and 3.6 µN m: Wang, O'Brien and
Ramamoorthi, the interlock (ACM TOG 30(4), 2011). It stretches easily and stiffens when stretched
far: stretch limit 30 %, an estimate for a knit. Thickness, Poisson's ratio, friction on itself
and membrane damping of 4 ms: estimates.
Bend damping 100 ms: estimate, a loss factor of 0.6 at 1 Hz, for the hysteresis 2HB of
Kawabata's bending test.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.0006
vbd.youngs_modulus = 60.0 / vbd.thickness
vbd.poisson_ratio = 0.40
vbd.density = 0.187
vbd.bending_stiffness = 4.8e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.3
vbd.damping = 0.004
vbd.bending_damping = 0.1
vbd.use_friction = True
vbd.friction = 0.45
vbd.drag = 1.2
vbd.air_friction = 0.02
