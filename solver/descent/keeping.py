# SPDX-License-Identifier: GPL-3.0-or-later
"""`Restart` under the module name that scripts use: vbd.solver.descent.keeping."""

from .checkpoints import Restart

__all__ = ["Restart"]
