# SPDX-License-Identifier: GPL-3.0-or-later
"""Paper, 80 g/m².

Thickness 0.1 mm, flexural rigidity E t³/12 of 500 along and 230 µN m across with E 6 and 2.8 GPa:
handbooks. E t: an eightieth of theirs, so that it converges; it still does not stretch to the eye.
Creases below 10 mm, where its surface is strained by 0.5 %, and damping of 1 ms: estimates.
Friction 0.3 to 0.5.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.0001
vbd.youngs_modulus = 5000.0 / vbd.thickness
vbd.poisson_ratio = 0.25
vbd.density = 0.08
vbd.bending_stiffness = 365.0e-6
vbd.crease_radius = 0.01
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.0
vbd.flow_time = 0.0
vbd.damping = 0.001
vbd.bending_damping = 0.0
vbd.use_friction = True
vbd.friction = 0.4
vbd.drag = 1.2
vbd.air_friction = 0.02
