# SPDX-License-Identifier: GPL-3.0-or-later
"""What an object of Blender is: its mesh, curve or tets, its modifiers; does it take part?"""
