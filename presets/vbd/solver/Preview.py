# SPDX-License-Identifier: GPL-3.0-or-later
"""Half the steps and iterations of Balanced, with less than half of its accuracy: for timing and
layout. Fine folds and impacts lag."""

import bpy

vbd = bpy.context.scene.vbd
vbd.substeps = 2
vbd.iterations = 10
vbd.coarse_correction = True
vbd.relaxation = 1.5
vbd.acceleration = 0.0
vbd.line_search = False
vbd.initial_guess = "adaptive"
vbd.accuracy = 0.05
vbd.augmented = True
vbd.collision_interval = 5
