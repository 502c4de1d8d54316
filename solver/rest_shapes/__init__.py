# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes whose equilibrium under gravity is the modeled shape (docs/method.md)."""
