# SPDX-License-Identifier: GPL-3.0-or-later
"""Soda-lime glass, 2,500 kg/m³, with the friction of dry glass, about 0.2 (estimate)."""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2500.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 0.0
vbd.damping = 0.0
vbd.use_friction = True
vbd.friction = 0.2
