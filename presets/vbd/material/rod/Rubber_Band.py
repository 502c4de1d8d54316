# SPDX-License-Identifier: GPL-3.0-or-later
"""Rubber band, 1 mm x 2 mm, as a round string of the same section.

Young's modulus (1 to 2 MPa): natural rubber of 30 to 40 Shore A, 950 kg/m³. Loss factor 0.05, at 10
Hz 0.8 ms. Friction on dry concrete. Handbook values. Its resistance to bending, tiny, is left out.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.thickness = 0.0016
vbd.youngs_modulus = 1.3e6
vbd.density = 0.0019
vbd.damping = 0.0008
vbd.bending_factor = 0.0
vbd.crease_radius = 0.0
vbd.use_friction = True
vbd.friction = 1.0
