# SPDX-License-Identifier: GPL-3.0-or-later
"""Granite or paving stone.

Density of granite, 2600 to 2700 kg/m³, and friction of rock on rock, 0.6 to 0.85 (Byerlee's law):
Jaeger, Cook and Zimmerman, Fundamentals of Rock Mechanics.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.use_mass = False
vbd.density = 2650.0
vbd.use_friction = True
vbd.friction = 0.7
