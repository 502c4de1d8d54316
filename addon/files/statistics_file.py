# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a bake as a table for spreadsheets (.csv), or for scripts (.json)."""

import csv
import io
import json
from pathlib import Path

from ...solver.cache_files import write_whole
from ...solver.messages import message
from ..baking.frame_numbers import FRAME_COLUMNS, OBJECT_UNITS, PLACES, frames_of, places_in

SUFFIXES = (".csv", ".json")


def checked_path(path):
    """A path that statistics can be written to; ValueError for others."""
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(message("statistics.file_name", path=path.name))
    if not path.parent.is_dir():
        raise ValueError(message("statistics.no_folder", folder=path.parent))
    return path


def save(cache, path):
    """Write the numbers of all frames of a `Cache`, whole or not at all; returns the number of
    frames.
    """
    path, frames = checked_path(path), frames_of(cache)
    text = io.StringIO(newline="")
    if path.suffix.lower() == ".csv":
        csv.writer(text).writerows(table(frames))
    else:
        for index, frame in enumerate(frames):
            kept = cache.read_stats(index)
            frame |= {name: places_in(kept, name).tolist() for name in PLACES}
        json.dump(document(cache.header, frames), text, indent=1, allow_nan=False)
    write_whole(path, text.getvalue().encode())
    return len(frames)


def table(frames):
    """Rows of cells: the names of columns with their units, then one row per frame.

    The columns of the frame come first, then those of every object, with its name; columns that are
    empty for an object are left out.
    """
    columns = [("frame",), *((name,) for name in FRAME_COLUMNS)]
    for name in frames[0]["objects"]:
        for number in OBJECT_UNITS:
            if any(frame["objects"][name][number] is not None for frame in frames):
                columns.append((name, number))
    yield [_heading(*column) for column in columns]
    for frame in frames:
        yield [
            frame[column[0]] if len(column) == 1 else frame["objects"][column[0]][column[1]]
            for column in columns
        ]


def _heading(name, number=None):
    if number is None:
        unit, text = FRAME_COLUMNS.get(name, ("", None))[0], name
    else:
        unit, text = OBJECT_UNITS[number], f"{name}: {number}"
    return f"{text} [{unit}]" if unit else text


def document(header, frames):
    """All numbers of a bake, in the form of JSON."""
    units = {name: unit for name, (unit, _) in FRAME_COLUMNS.items() if unit}
    return {
        "bake": header.bake,
        "device": header.device,
        "fps": header.fps,
        "settings": header.settings,
        "units": units | {name: unit for name, unit in OBJECT_UNITS.items() if unit},
        "frames": frames,
    }
