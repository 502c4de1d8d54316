# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn in the 3D viewports."""
