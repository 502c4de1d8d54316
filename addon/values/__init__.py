# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that users set: declared, painted and holding properties, presets, preferences."""
