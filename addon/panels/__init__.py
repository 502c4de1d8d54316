# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels, and the operators of their buttons."""
