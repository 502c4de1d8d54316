# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of a bake that warn of nothing, and what buttons they get."""


class Hint(str):
    """A note about what is as it should be most of the time."""

    __slots__ = ()


class FaceHint(Hint):
    """A hint about faces that its object leaves out, which a button selects."""

    __slots__ = ()
