# SPDX-License-Identifier: GPL-3.0-or-later
"""Leather, sheep garment.

Thickness 0.64 to 0.96 mm: Memon, Materials 14:4553, 2021, whose drape gives a flexural rigidity of
80 µN m. E t: a tenth of the 58 kN/m that Efendioglu measured in tension (ISO 3376, 2025), so that
the sheet folds in two directions. Friction on dry skin: Buchholz, Ergonomics 31:317, 1988, suede.
Membrane damping of 3 ms: estimate.
Stretch limit 10 %: estimate.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.membrane = "stvk"
vbd.thickness = 0.0008
vbd.youngs_modulus = 5000.0 / vbd.thickness
vbd.poisson_ratio = 0.40
vbd.density = 0.55
vbd.bending_stiffness = 80.0e-6
vbd.crease_radius = 0.0
vbd.yield_strain = 0.0
vbd.maximum_stretch = 0.1
vbd.damping = 0.003
vbd.bending_damping = 0.0
vbd.use_friction = True
vbd.friction = 0.5
vbd.drag = 1.2
vbd.air_friction = 0.02
