# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of a frame."""
