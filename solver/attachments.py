# SPDX-License-Identifier: GPL-3.0-or-later
"""Public name of attachments for scripts: `from vbd.solver.attachments import Attachment`."""

from .model.soft_pins import soft_pins
from .scene.attachments import Attachment

__all__ = ["Attachment", "soft_pins"]
