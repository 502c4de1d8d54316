# SPDX-License-Identifier: GPL-3.0-or-later
"""The header of a cache: names and sizes of its frames, and their input."""

import math
from dataclasses import dataclass, fields

from .cache_files import is_count
from .fingerprint import fingerprint, shape_of, values_of
from .messages import message

# Format 1, of version 0.1, has frames without checksums and no states.
FORMAT, UNSEALED = 2, 1


@dataclass(kw_only=True)
class Header:
    """Names and sizes of the frames of a cache, and their input."""

    names: list[str]
    """Objects in the order of their points."""
    vertex_counts: list[int]
    settings: dict
    bodies: dict
    """By name of every body, colliders included: hashes of "all" and of its "shape", and its
    "values" (fingerprint.py). Version 0.1 has the hash of all only."""
    fps: float
    frame_start: int
    """Scene frame of the input state, which is frame 0 here."""
    frame_count: int = 0
    """Planned number of frames, without the input state; 0 if unknown."""
    device: str = ""
    bake: str = ""
    """Identifier of the bake, wherever its cache goes."""
    format: int = FORMAT
    edited: int = 0
    """The first frame on which an edit acted (editing/edits.py); 0 if none did. From there on a
    bake of the input gives other frames."""

    @classmethod
    def checked(cls, values):
        """Return the header from parsed JSON; ValueError if it is not valid."""
        if not isinstance(values, dict) or values.get("format") not in (FORMAT, UNSEALED):
            raise ValueError(message("cache.other_format"))
        required = {"names", "vertex_counts", "settings", "bodies", "fps", "frame_start"}
        if required - values.keys() or values.keys() - {f.name for f in fields(cls)}:
            raise ValueError(message("cache.header_incomplete"))
        header = cls(**values)
        counts, whole = header.vertex_counts, (header.frame_start, header.frame_count)
        numbers = isinstance(counts, list) and all(is_count(count) for count in counts)
        lists = numbers and isinstance(header.names, list) and len(header.names) == len(counts)
        texts = lists and all(isinstance(name, str) for name in header.names)
        texts = texts and isinstance(header.bake, str) and isinstance(header.device, str)
        tables = isinstance(header.settings, dict) and isinstance(header.bodies, dict)
        whole = *whole, header.edited
        times = isinstance(header.fps, int | float) and 0.0 < header.fps < math.inf
        ints = all(type(number) is int and abs(number) < 1 << 31 for number in whole)
        if not (texts and tables and times and ints):
            raise ValueError(message("cache.header_impossible"))
        return header

    def body_table(self):
        """Return `bodies` in the layout of this version; ValueError if they are not valid."""
        table = {}
        for name, entry in self.bodies.items():
            entry = {"all": entry} if isinstance(entry, str) else entry
            values = isinstance(entry, dict) and entry.get("values", {})
            if not isinstance(values, dict) or not isinstance(entry.get("all"), str):
                raise ValueError(message("cache.header_impossible"))
            table[name] = entry
        return table


def described(bodies):
    """Return the entries of bodies in a `Header`."""
    return {
        body.name: {"all": fingerprint(body), "shape": shape_of(body), "values": values_of(body)}
        for body in bodies
    }
