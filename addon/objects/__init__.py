# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Blender: mesh, curve or tets, modifiers, and their role in the simulation."""
