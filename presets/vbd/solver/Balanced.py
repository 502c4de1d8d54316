# SPDX-License-Identifier: GPL-3.0-or-later
"""The defaults of the solver."""

import bpy

vbd = bpy.context.scene.vbd
vbd.substeps = 4
vbd.iterations = 20
vbd.coarse_correction = True
vbd.relaxation = 1.5
vbd.acceleration = 0.0
vbd.line_search = False
vbd.initial_guess = "adaptive"
vbd.accuracy = 0.02
vbd.augmented = True
vbd.collision_interval = 5
