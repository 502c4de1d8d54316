# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of a bake that warn of nothing."""


class Hint(str):
    """A note about what is as it should be most of the time."""

    __slots__ = ()
