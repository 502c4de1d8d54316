# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths in words, for reports."""

# From this length [m] on two digits in millimetres would need a power of ten.
A_TENTH = 0.0995


def length(metres):
    """Format a length [m] with two digits, in millimetres or metres."""
    return f"{metres:.2g} m" if metres >= A_TENTH else f"{1e3 * metres:.2g} mm"
