# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions by flags on the device: captured into a graph, or else read by the host.

A `flag` is a Warp array of one int. While a graph is captured the host reads nothing, and the
launches of each branch become part of the graph; otherwise the host reads the flag and branches.
"""

import warnings

import warp as wp

from ..messages import message


def can_capture(device):
    """Return whether graphs with decisions can be captured; warn on a GPU that cannot."""
    if device.is_cpu or wp.is_conditional_graph_supported():
        return True
    warnings.warn(
        message("progress.old_driver", device=device.name),
        stacklevel=2,
    )
    return False


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
