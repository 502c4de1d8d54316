# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments under the name that scripts know: `from vbd.solver.attachments import Attachment`."""

from .model.soft_pins import soft_pins
from .scene.attachments import Attachment

__all__ = ["Attachment", "soft_pins"]
