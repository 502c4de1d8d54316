# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions that lie on the device: captured into a graph, or read by the host where none is.

A `flag` is a Warp array of one int. While a graph is captured the host reads nothing, and what a
branch launches becomes part of the graph; otherwise the host reads the flag and goes that way.
"""

import warnings
from contextlib import contextmanager

import warp as wp

# The threads that share in the graph that is captured now (thread_team.py); None for one alone.
_crew = None


def can_capture(device):
    """Whether graphs with decisions can be captured; a warning tells of a GPU where not."""
    if device.is_cpu or wp.is_conditional_graph_supported():
        return True
    warnings.warn(
        f"the driver of {device.name} cannot decide in graphs (CUDA 12.4 can): "
        "every step of the solver asks Python, which is slower",
        stacklevel=2,
    )
    return False


@contextmanager
def shared_by(crew):
    """Let a `ThreadTeam` note what its threads do, while a graph is captured."""
    global _crew
    _crew = crew
    try:
        yield
    finally:
        _crew = None


def share(stages):
    """Do all parts of each of the `stages` side by side in the graph that is captured now; False
    when none is.
    """
    if _crew is not None:
        _crew.share(stages)
    return _crew is not None


def when(flag, then, otherwise=None):
    """Call `then` where the flag is not 0, else `otherwise`."""
    if _crew is not None:
        _crew.when(flag, then, otherwise)
    elif flag.device.is_capturing:
        wp.capture_if(flag, on_true=then, on_false=otherwise)
    elif flag.numpy()[0]:
        then()
    elif otherwise is not None:
        otherwise()


def repeat_while(flag, body):
    """Call `body` as long as the flag is not 0."""
    if _crew is not None:
        _crew.repeat_while(flag, body)
    elif flag.device.is_capturing:
        wp.capture_while(flag, body)
    else:
        while flag.numpy()[0]:
            body()
