# SPDX-License-Identifier: GPL-3.0-or-later
"""Crushed rock: granite, 2,700 kg/m³. Its friction is an estimate: broken faces interlock."""

import bpy

vbd = bpy.context.object.vbd
vbd.density = 2700.0
vbd.youngs_modulus = 1.0e6
vbd.cohesion = 0.0
vbd.damping = 0.0
vbd.use_friction = True
vbd.friction = 0.7
