# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback of a bake: shape keys or a mesh cache, and restoring the state before it."""
