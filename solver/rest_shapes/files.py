# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes on disk, beside the frames of a cache, which deletes and moves them with these."""

from pathlib import Path

from ..cache_files import StateFile, write_state
from .store import RestShapes

NAME = "rest_shapes.vbd"


def write_rest_shapes(folder, shapes):
    """Write `RestShapes`; OSError in words."""
    write_state(Path(folder) / NAME, 0, shapes.arrays())


def read_rest_shapes(folder):
    """Read the `RestShapes` in a folder; empty ones if they are missing or damaged."""
    try:
        return RestShapes.read(StateFile.open(Path(folder) / NAME, 0).load())
    except (OSError, ValueError):
        return RestShapes()
