# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished frames on disk: a folder with a header, a file per frame, and checkpoints.

A file is written under a temporary name and then renamed, so a crash, a kill or a full disk costs
at most the frame in flight. The header describes the input of the frames, so that stale ones are
recognized. Files may come from anywhere, so they are checked when they are read (cache_files.py).
"""

import json
import re
from dataclasses import asdict
from pathlib import Path

import numpy as np

from .cache_files import (
    MOST_HEADER,
    MOST_STATS,
    SEAL,
    StateFile,
    in_words,
    parsed,
    read_frame,
    read_points,
    refuse_other_bake,
    share,
    write_frame,
    write_state,
    write_whole,
)
from .cache_header import UNSEALED, Header, described
from .cache_lock import locked
from .fingerprint import Change, changed_bodies, changed_settings, plain
from .messages import message

HEADER = "header.json"
FRAME = "frame_{:06d}.f32"
STATE = "state_{:06d}.vbd"
STATS = "stats_{:06d}.json"
STATE_NAME = re.compile(r"state_(\d{6,9})\.vbd")


class Cache:
    """Frames of float32 [vertex, 3] arrays, one per object, counted from 0 (the input state)."""

    def __init__(self, folder, header):
        self.folder = Path(folder)
        self.header = header

    @classmethod
    def create(cls, folder, *, settings, bodies, fps, **known):
        """Make an empty cache in `folder`; frames of an earlier one are removed first.

        `known` are other fields of the `Header`.
        """
        try:
            _empty(folder)
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise in_words(error, message("cache.make"), folder) from error
        cache = cls(folder, Header(settings={}, bodies={}, fps=float(fps), **known))
        cache.describe(settings, bodies)
        return cache

    def describe(self, settings, bodies, **known):
        """Write the input of the following frames, and other fields of the header."""
        self.header.settings, self.header.bodies = plain(settings), described(bodies)
        self._write_header(**known)

    def note_edits(self, frame):
        """Note the first frame on which an edit acted, if none did before; 0 notes nothing."""
        if frame and not self.header.edited:
            self._write_header(edited=frame)

    def _write_header(self, **known):
        for name, value in known.items():
            setattr(self.header, name, value)
        values = asdict(self.header)
        if not self.header.edited:
            del values["edited"]  # earlier versions read caches without it
        write_whole(self.folder / HEADER, json.dumps(values, indent=1).encode())

    @classmethod
    def open(cls, folder):
        """Open the cache in `folder`; ValueError if there is none, or one of another format."""
        path = Path(folder) / HEADER
        try:
            if path.stat().st_size > MOST_HEADER:
                raise ValueError(message("cache.header_long"))
            values = parsed(path.read_bytes())
        except OSError as error:
            raise ValueError(message("cache.unreadable", folder=folder, error=error)) from error
        if values is None:
            raise ValueError(message("cache.header_cut", folder=folder))
        try:
            header = Header.checked(values)
            header.body_table()
        except ValueError as error:
            raise ValueError(message("cache.unusable", folder=folder, error=error)) from error
        return cls(folder, header)

    @property
    def is_sealed(self):
        """True if frames have checksums."""
        return self.header.format != UNSEALED

    @property
    def frame_bytes(self):
        """Size of one frame file."""
        return 12 * sum(self.header.vertex_counts) + self.is_sealed * SEAL.size

    def refuse_other_bake(self):
        """Raise OSError if another bake has replaced this cache in its folder."""
        refuse_other_bake(self.folder / HEADER, self.header.bake)

    def write(self, index, positions):
        """Write frame `index`: one float32 [vertex, 3] array per object."""
        counts, known = [len(points) for points in positions], self.header.vertex_counts
        if counts != known:
            raise ValueError(message("script.cache_vertices", frame=index, now=counts, known=known))
        data = np.concatenate([np.asarray(points, dtype="<f4") for points in positions])
        self.refuse_other_bake()
        write_frame(self.folder / FRAME.format(index), index, data)

    def write_state(self, index, arrays, every=0):
        """Write the checkpoint after frame `index`.

        The previous one is deleted unless its frame is a multiple of `every`; 0 keeps one only.
        """
        write_state(self.folder / STATE.format(index), index, arrays)
        before = index - 1
        if not every or before % every:
            (self.folder / STATE.format(before)).unlink(missing_ok=True)

    def write_stats(self, index, numbers):
        """Write the statistics of frame `index`: anything that JSON has."""
        write_whole(self.folder / STATS.format(index), json.dumps(numbers).encode())

    def read_stats(self, index):
        """Return the statistics of frame `index`; None if they are missing or cannot be read."""
        path = self.folder / STATS.format(index)
        try:
            return parsed(path.read_bytes()) if path.stat().st_size <= MOST_STATS else None
        except OSError:
            return None

    def finished(self):
        """Return the number of frames up to the first that is missing or cut short."""
        count = 0
        while True:
            path = self.folder / FRAME.format(count)
            if not path.is_file() or path.stat().st_size != self.frame_bytes:
                return count
            count += 1

    def sound(self):
        """Return the number of frames up to the first with a wrong checksum; reads all of them."""
        for index in range(self.finished()):
            try:
                self.read(index)
            except (OSError, ValueError):
                return index
        return self.finished()

    def restart_points(self):
        """Frames after which the bake can resume, ascending."""
        last = self.finished() - 1
        names = (STATE_NAME.fullmatch(path.name) for path in self.folder.glob("state_*.vbd"))
        return sorted(frame for frame in (int(name[1]) for name in names if name) if frame <= last)

    def restart(self, index):
        """Return the checkpoint after frame `index`; ValueError if it is damaged."""
        try:
            return StateFile.open(self.folder / STATE.format(index), index)
        except OSError as error:
            raise ValueError(message("cache.no_point_after", frame=index)) from error

    def cut(self, index):
        """Remove everything after frame `index`, the last one first."""
        for pattern in ("state_*.vbd", "stats_*.json", "frame_*.f32"):
            for path in sorted(self.folder.glob(pattern), reverse=True):
                number = re.fullmatch(r"\w+_(\d{6,9})\.\w+", path.name)
                if number and int(number[1]) > index:
                    path.unlink()
        if index < self.header.edited:
            self._write_header(edited=0)

    def read(self, index):
        """Read frame `index`: one float32 [vertex, 3] array per object."""
        counts, path = self.header.vertex_counts, self.folder / FRAME.format(index)
        data = read_frame(path, index, sum(counts), self.is_sealed)
        return np.split(data, np.cumsum(counts)[:-1])

    def read_one(self, index, at):
        """Read one object of frame `index`, which has been read before: float32 [vertex, 3]."""
        counts = self.header.vertex_counts
        return read_points(self.folder / FRAME.format(index), sum(counts[:at]), counts[at])

    def changes(self, settings, bodies, device=""):
        """Return the `Change`s of the input since these frames were made."""
        names = list(changed_settings(self.header.settings, plain(settings)))
        names += changed_bodies(self.header.body_table(), described(bodies))
        if device and self.header.device and device != self.header.device:
            names.append(Change("The device", "", self.header.device, device))
        return names


def transfer(folder, to, keep):
    """Move the cache in `folder` to the folder `to` and replace that there; `keep` copies it.
    BlockingIOError, an OSError, if a bake writes into one of them.

    Files never change once they are written, so two folders of one disk share them.
    """
    with locked(to):
        _replace(folder, to)
    if not keep:
        remove(folder)


def _replace(folder, to):
    """Replace the cache in the folder `to` by that in `folder`; none is left there on failure."""
    _empty(to)
    try:
        for path in _files(folder):
            share(path, Path(to) / path.name)
    except OSError:
        _empty(to)
        raise


def remove(folder):
    """Delete the files of the cache in `folder`, and the folder if it is empty then.
    BlockingIOError, an OSError, if a bake writes into it.
    """
    if Path(folder).is_dir():
        with locked(folder):
            _empty(folder)


def _empty(folder):
    """Delete the files of the cache in `folder`."""
    for path in _files(folder):
        path.unlink(missing_ok=True)  # another bake may be at work in it


def _files(folder):
    """All files of the cache in `folder`, whole or partial."""
    patterns = (HEADER, "frame_*.f32", "state_*.vbd", "stats_*.json", "rest_shapes.vbd")
    return [
        p for pattern in patterns for end in ("", ".part") for p in Path(folder).glob(pattern + end)
    ]
