# SPDX-License-Identifier: GPL-3.0-or-later
"""Half the work in time and half in space: for timing and layout, soft materials look softer."""

import bpy

vbd = bpy.context.scene.vbd
vbd.substeps = 2
vbd.iterations = 10
vbd.relaxation = 1.5
vbd.collision_interval = 5
