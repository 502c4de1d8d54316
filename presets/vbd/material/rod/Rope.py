# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton rope, laid, 8 mm.

Young's modulus of the gross section (0.1 to 1 GPa), 800 kg/m³ gross, loss factor 0.2 (at 10 Hz
3.2 ms) and friction: estimates. So is the bending factor: fibers slide, and 8 mm of rope bend with
about 1e-3 N m². Hardly stretches, so give it many iterations.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.thickness = 0.008
vbd.youngs_modulus = 4.0e8
vbd.density = 0.040
vbd.damping = 0.0032
vbd.bending_factor = 0.01
vbd.crease_radius = 0.0
vbd.use_friction = True
vbd.friction = 0.4
