# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished frames on disk: a folder with a header, a file per frame, and states to go on from.

A file is written under a temporary name and then renamed, so a crash, a kill or a full disk costs
at most the frame in flight. The header holds what the frames were made from, so that they can be
told from stale ones. What is read may come from anywhere, and is checked first (cache_files.py).
"""

import json
import math
import os
import re
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from .cache_files import (
    MOST_HEADER,
    MOST_STATS,
    SEAL,
    StateFile,
    in_words,
    is_count,
    parsed,
    read_frame,
    write_frame,
    write_state,
    write_whole,
)
from .fingerprint import (
    Change,
    changed_bodies,
    changed_settings,
    fingerprint,
    plain,
    shape_of,
    values_of,
)

# Format 1, of version 0.1, has frames without checksums and no states.
FORMAT, UNSEALED = 2, 1
HEADER = "header.json"
FRAME = "frame_{:06d}.f32"
STATE = "state_{:06d}.vbd"
STATS = "stats_{:06d}.json"
STATE_NAME = re.compile(r"state_(\d{6,9})\.vbd")


@dataclass(kw_only=True)
class Header:
    """What the frames of a cache are and what they were made from."""

    names: list[str]
    """Objects in the order of their points."""
    vertex_counts: list[int]
    settings: dict
    bodies: dict
    """Of every body, colliders included, by name: hashes of "all" and of its "shape", and its
    "values" (fingerprint.py). By version 0.1 the hash of all, alone."""
    fps: float
    frame_start: int
    """Scene frame of the input state, which is frame 0 here."""
    frame_count: int = 0
    """Frames that the bake was to have, the input state not counted; 0 if unknown."""
    device: str = ""
    bake: str = ""
    """What the bake is known by, wherever its cache goes."""
    format: int = FORMAT

    @classmethod
    def checked(cls, values):
        """The header that was read; ValueError for what cannot be one."""
        if not isinstance(values, dict) or values.get("format") not in (FORMAT, UNSEALED):
            raise ValueError("it is of another format")
        required = {"names", "vertex_counts", "settings", "bodies", "fps", "frame_start"}
        if required - values.keys() or values.keys() - {f.name for f in fields(cls)}:
            raise ValueError("its header is not complete")
        header = cls(**values)
        counts, whole = header.vertex_counts, (header.frame_start, header.frame_count)
        numbers = isinstance(counts, list) and all(is_count(count) for count in counts)
        lists = numbers and isinstance(header.names, list) and len(header.names) == len(counts)
        texts = lists and all(isinstance(name, str) for name in header.names)
        texts = texts and isinstance(header.bake, str) and isinstance(header.device, str)
        tables = isinstance(header.settings, dict) and isinstance(header.bodies, dict)
        times = isinstance(header.fps, int | float) and 0.0 < header.fps < math.inf
        ints = all(type(number) is int and abs(number) < 1 << 31 for number in whole)
        if not (texts and tables and times and ints):
            raise ValueError("its header has values that cannot be")
        return header

    def body_table(self):
        """`bodies` as this version has them; ValueError for what cannot be."""
        table = {}
        for name, entry in self.bodies.items():
            entry = {"all": entry} if isinstance(entry, str) else entry
            values = isinstance(entry, dict) and entry.get("values", {})
            if not isinstance(values, dict) or not isinstance(entry.get("all"), str):
                raise ValueError("its header has values that cannot be")
            table[name] = entry
        return table


def described(bodies):
    """What a `Header` says of bodies."""
    return {
        body.name: {"all": fingerprint(body), "shape": shape_of(body), "values": values_of(body)}
        for body in bodies
    }


class Cache:
    """Frames of float32 [vertex, 3] arrays, one per object, counted from 0 (the input state)."""

    def __init__(self, folder, header):
        self.folder = Path(folder)
        self.header = header

    @classmethod
    def create(cls, folder, *, settings, bodies, fps, **known):
        """An empty cache in `folder`; frames of an earlier one are removed first.

        `known` are other fields of the `Header`.
        """
        try:
            remove(folder)
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise in_words(error, "make a cache", folder) from error
        cache = cls(folder, Header(settings={}, bodies={}, fps=float(fps), **known))
        cache.describe(settings, bodies)
        return cache

    def describe(self, settings, bodies, **known):
        """Write what the frames from now on are made from, and other fields of the header."""
        self.header.settings, self.header.bodies = plain(settings), described(bodies)
        for name, value in known.items():
            setattr(self.header, name, value)
        text = json.dumps(asdict(self.header), indent=1)
        write_whole(self.folder / HEADER, text.encode())

    @classmethod
    def open(cls, folder):
        """The cache in `folder`; ValueError when there is none, or one of another format."""
        path = Path(folder) / HEADER
        try:
            if path.stat().st_size > MOST_HEADER:
                raise ValueError("its header is too long to be one")
            values = parsed(path.read_bytes())
        except OSError as error:
            raise ValueError(f"{folder} holds no readable cache ({error}); bake again") from error
        if values is None:
            raise ValueError(f"{folder} holds no readable cache (its header is cut); bake again")
        try:
            header = Header.checked(values)
            header.body_table()
        except ValueError as error:
            raise ValueError(f"{folder} holds a cache that is of no use: {error}") from error
        return cls(folder, header)

    @property
    def is_sealed(self):
        """Whether frames have checksums."""
        return self.header.format != UNSEALED

    @property
    def frame_bytes(self):
        """Size of one frame file."""
        return 12 * sum(self.header.vertex_counts) + self.is_sealed * SEAL.size

    def write(self, index, positions):
        """Keep frame `index`: one float32 [vertex, 3] array per object."""
        counts = [len(points) for points in positions]
        if counts != self.header.vertex_counts:
            raise ValueError(
                f"frame {index} has {counts} vertices, the cache {self.header.vertex_counts}"
            )
        data = np.concatenate([np.asarray(points, dtype="<f4") for points in positions])
        write_frame(self.folder / FRAME.format(index), index, data)

    def write_state(self, index, arrays, every=0):
        """Keep what is needed to go on after frame `index`.

        That of the frame before goes, unless it is one of `every` so many; 0 keeps the last alone.
        """
        write_state(self.folder / STATE.format(index), index, arrays)
        before = index - 1
        if not every or before % every:
            (self.folder / STATE.format(before)).unlink(missing_ok=True)

    def write_stats(self, index, numbers):
        """Keep what frame `index` tells of itself: anything that JSON has."""
        write_whole(self.folder / STATS.format(index), json.dumps(numbers).encode())

    def read_stats(self, index):
        """What `write_stats` kept of frame `index`; None if there is nothing, or no sense in it."""
        path = self.folder / STATS.format(index)
        try:
            return parsed(path.read_bytes()) if path.stat().st_size <= MOST_STATS else None
        except OSError:
            return None

    def finished(self):
        """How many frames are whole, from 0 up to the first that is missing or cut short."""
        count = 0
        while True:
            path = self.folder / FRAME.format(count)
            if not path.is_file() or path.stat().st_size != self.frame_bytes:
                return count
            count += 1

    def sound(self):
        """The same by their checksums, which takes reading them."""
        for index in range(self.finished()):
            try:
                self.read(index)
            except (OSError, ValueError):
                return index
        return self.finished()

    def restart_points(self):
        """Frames after which the bake can go on, from the first to the last."""
        last = self.finished() - 1
        found = (STATE_NAME.fullmatch(path.name) for path in self.folder.glob("state_*.vbd"))
        return sorted(frame for frame in (int(name[1]) for name in found if name) if frame <= last)

    def restart(self, index):
        """What is needed to go on after frame `index`; ValueError when it is damaged."""
        try:
            return StateFile.open(self.folder / STATE.format(index), index)
        except OSError as error:
            raise ValueError(f"there is no restart point after frame {index}") from error

    def cut(self, index):
        """Remove all behind frame `index`, the last one first."""
        for pattern in ("state_*.vbd", "stats_*.json", "frame_*.f32"):
            for path in sorted(self.folder.glob(pattern), reverse=True):
                number = re.fullmatch(r"\w+_(\d{6,9})\.\w+", path.name)
                if number and int(number[1]) > index:
                    path.unlink()

    def read(self, index):
        """Frame `index`: one float32 [vertex, 3] array per object."""
        counts = self.header.vertex_counts
        path = self.folder / FRAME.format(index)
        data = read_frame(path, index, sum(counts), self.is_sealed)
        return np.split(data, np.cumsum(counts)[:-1])

    def changes(self, settings, bodies, device=""):
        """What these frames were not made from, a list of `Change`s."""
        found = list(changed_settings(self.header.settings, plain(settings)))
        found += changed_bodies(self.header.body_table(), described(bodies))
        if device and self.header.device and device != self.header.device:
            found.append(Change("The device", "", self.header.device, device))
        return found


def transfer(folder, to, keep):
    """Bring the cache in `folder` to the folder `to`, whose own is removed; `keep` leaves both.

    Files never change once they are written, so two folders of one disk share them.
    """
    remove(to)
    Path(to).mkdir(parents=True, exist_ok=True)
    try:
        for path in _files(folder):
            _share(path, Path(to) / path.name)
    except OSError:
        remove(to)
        raise
    if not keep:
        remove(folder)


def _share(path, other):
    try:
        os.link(path, other)
    except OSError:  # another disk, or one that cannot share
        shutil.copy2(path, other)


def remove(folder):
    """Delete the cache in `folder`, and nothing in it that is not ours."""
    for path in _files(folder):
        path.unlink()
    folder = Path(folder)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _files(folder):
    """All files of the cache in `folder`, whole or partial."""
    patterns = ("header.json", "frame_*.f32", "state_*.vbd", "stats_*.json")
    return [
        p for pattern in patterns for end in ("", ".part") for p in Path(folder).glob(pattern + end)
    ]
