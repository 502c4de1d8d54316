# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic cord, 3 mm: rubber threads in a braided cover.

Young's modulus of the gross section: natural rubber of 50 Shore A, 2.4 MPa by Gent's hardness
formula (1958), 1050 kg/m³, loss factor 0.08, at 10 Hz 1.3 ms; handbook values. The cover stops a
real one at about twice its length, which this material does not. Friction, and the bending factor
of threads that slide: estimates.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.thickness = 0.003
vbd.youngs_modulus = 2.4e6
vbd.density = 0.0074
vbd.damping = 0.0013
vbd.bending_factor = 0.05
vbd.crease_radius = 0.0
vbd.use_friction = True
vbd.friction = 0.5
