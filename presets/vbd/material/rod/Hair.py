# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of some 200 human hairs each, 1.2 mm.

A hair of 80 µm: Young's modulus 3.9 GPa and 1,320 kg/m³ (Robbins, Chemical and Physical Behavior of
Human Hair, 2012), so it bends with 7.8e-9 N m² and weighs 6.6 mg/m. Two hundred, which slide
along each other, weigh and bend two hundred times as much, and hang over as one does. The modulus
of the lock is far less than its own: nobody sees hair stretch, and the solver needs fewer
iterations.
Loss factor 0.3 (at 3 Hz 16 ms) and friction: estimates.
"""

import bpy

vbd = bpy.context.object.vbd
vbd.thickness = 0.0012
vbd.youngs_modulus = 2.0e7
vbd.density = 0.0013
vbd.damping = 0.016
vbd.bending_factor = 0.77
vbd.drag = 1.0
vbd.crease_radius = 0.0
vbd.use_friction = True
vbd.friction = 0.3
