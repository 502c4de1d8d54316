# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions that lie on the device: captured into a graph, or read by the host where none is.

A `flag` is a Warp array of one int. While a graph is captured the host reads nothing, and what a
branch launches becomes part of the graph; otherwise the host reads the flag and goes that way.
"""

import warp as wp


def when(flag, then, otherwise=None):
    """Call `then` where the flag is not 0, else `otherwise`."""
    if flag.device.is_capturing:
        wp.capture_if(flag, on_true=then, on_false=otherwise)
    elif flag.numpy()[0]:
        then()
    elif otherwise is not None:
        otherwise()


def repeat_while(flag, body):
    """Call `body` as long as the flag is not 0."""
    if flag.device.is_capturing:
        wp.capture_while(flag, body)
    else:
        while flag.numpy()[0]:
            body()
