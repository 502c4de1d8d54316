# SPDX-License-Identifier: GPL-3.0-or-later
"""Crushed rock: granite, 2,700 kg/m³. Grains do not roll here, so the friction is that of a heap of
about 31°: a little steeper than dry sand (estimate).
"""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2700.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 0.0
vbd.damping = 0.0
vbd.use_friction = True
vbd.friction = 0.45
