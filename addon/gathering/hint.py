# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of a bake that warn of nothing."""

from ...solver.messages import Message


class Hint(Message):
    """A note about what is as it should be most of the time."""

    def __init__(self, text):
        self.operator = getattr(text, "operator", "")
