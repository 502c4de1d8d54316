# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of tets from files of other programs, one module per format. Files are not trusted."""
