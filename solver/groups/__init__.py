# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of bodies as a whole: propose a rigid motion, limit it, verify it."""
