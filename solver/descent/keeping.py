# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts under the name that scripts know: `from vbd.solver.descent.keeping import Restart`."""

from .checkpoints import Restart

__all__ = ["Restart"]
