# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes to a simulation between its frames, and pulls on its bodies."""

from .edits import Edits, PullSpring

__all__ = ["Edits", "PullSpring"]
