# SPDX-License-Identifier: GPL-3.0-or-later
"""Draped and hanging cloth at many resolutions, beside Blender's own cloth."""
