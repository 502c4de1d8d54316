# SPDX-License-Identifier: GPL-3.0-or-later
"""Soda-lime glass, 2,500 kg/m³. Grains do not roll here, so the friction is that of a heap of about
22°, the angle of repose of glass beads (estimate).
"""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2500.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 0.0
vbd.damping = 0.0
vbd.use_friction = True
vbd.friction = 0.35
