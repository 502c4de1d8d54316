# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be set: properties made from the solver's declarations, what is painted and what holds,
presets, and the preferences."""
