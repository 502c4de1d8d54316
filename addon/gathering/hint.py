# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of a bake that warn of nothing."""

from ...solver.messages import Message


class Hint(Message):
    """A note about something that is usually correct."""

    def __init__(self, text):
        self.operator = getattr(text, "operator", "")
