# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing in the 3D viewports."""
