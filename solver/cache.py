# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished frames on disk: a folder with one header and one file per frame.

A frame is written under a temporary name and then renamed, so a crash, a kill or a full disk costs
at most the frame in flight. The header holds what the frames were made from, so that they can be
told from stale ones.
"""

import hashlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

FORMAT = 1
HEADER = "header.json"
FRAME = "frame_{:06d}.f32"
# What version 0.1 did not know counts only where it is used: caches of that version stay known.
LATER = {"bending_factor": 0.0, "directors": None, "drag": 0.0, "air_friction": 0.02}


def fingerprint(body):
    """Hash of what shapes a body at its input state: mesh, material, pins (not their motion)."""
    digest = hashlib.sha256(type(body).__name__.encode())
    _add(digest, {name: value for name, value in vars(body).items() if name != "name"})
    return digest.hexdigest()


def _is_unused(value, default):
    """Whether a value is its default; Blender rounds that to float32."""
    if value is None or default is None:
        return value is default
    return np.size(value) == 1 and np.float32(value) == np.float32(default)


def _add(digest, value):
    """Feed a value into the hash; what varies in time counts with its state at time 0."""
    if callable(value):
        value = value(0.0)
    if isinstance(value, dict):
        for name, entry in value.items():
            if name in LATER and _is_unused(entry, LATER[name]):
                continue
            digest.update(name.encode())
            _add(digest, entry)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype} {value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, list | tuple):
        for entry in value:
            _add(digest, entry)
    elif hasattr(value, "__dict__"):
        _add(digest, vars(value))
    else:
        digest.update(repr(value).encode())


@dataclass(kw_only=True)
class Header:
    """What the frames of a cache are and what they were made from."""

    names: list[str]
    """Objects in the order of their points."""
    vertex_counts: list[int]
    settings: dict
    bodies: dict[str, str]
    """Fingerprint of every body, colliders included, by name."""
    fps: float
    frame_start: int
    """Scene frame of the input state, which is frame 0 here."""
    bake: str = ""
    """What the bake is known by, wherever its cache goes."""
    format: int = FORMAT


class Cache:
    """Frames of float32 [vertex, 3] arrays, one per object, counted from 0 (the input state)."""

    def __init__(self, folder, header):
        self.folder = Path(folder)
        self.header = header

    @classmethod
    def create(cls, folder, *, names, vertex_counts, settings, bodies, fps, frame_start, bake=""):
        """An empty cache in `folder`; frames of an earlier one are removed first."""
        remove(folder)
        Path(folder).mkdir(parents=True, exist_ok=True)
        header = Header(
            names=list(names),
            vertex_counts=[int(count) for count in vertex_counts],
            settings=_plain(settings),
            bodies={body.name: fingerprint(body) for body in bodies},
            fps=float(fps),
            frame_start=int(frame_start),
            bake=bake,
        )
        cache = cls(folder, header)
        cache._write(HEADER, json.dumps(asdict(header), indent=1).encode())
        return cache

    @classmethod
    def open(cls, folder):
        """The cache in `folder`; ValueError when there is none, or one of another format."""
        path = Path(folder) / HEADER
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ValueError(f"{folder} holds no readable cache ({error}); bake again") from error
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise ValueError(f"{folder} holds a cache of another format; bake again")
        try:
            return cls(folder, Header(**values))
        except TypeError as error:
            raise ValueError(f"{path} is not a complete header ({error}); bake again") from error

    @property
    def frame_bytes(self):
        """Size of one frame file."""
        return 12 * sum(self.header.vertex_counts)

    def write(self, index, positions):
        """Keep frame `index`: one float32 [vertex, 3] array per object."""
        counts = [len(points) for points in positions]
        if counts != self.header.vertex_counts:
            raise ValueError(
                f"frame {index} has {counts} vertices, the cache {self.header.vertex_counts}"
            )
        data = np.concatenate([np.asarray(points, dtype="<f4") for points in positions])
        self._write(FRAME.format(index), data.tobytes())

    def _write(self, name, data):
        partial = self.folder / (name + ".part")
        try:
            with open(partial, "wb") as file:
                file.write(data)
            os.replace(partial, self.folder / name)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise OSError(
                error.errno,
                f"cannot write {name} ({error.strerror}); free some space or choose another disk",
                str(self.folder),
            ) from error

    def finished(self):
        """How many frames are whole, from 0 up to the first that is missing or cut short."""
        count = 0
        while True:
            path = self.folder / FRAME.format(count)
            if not path.is_file() or path.stat().st_size != self.frame_bytes:
                return count
            count += 1

    def read(self, index):
        """Frame `index`: one float32 [vertex, 3] array per object."""
        data = np.fromfile(self.folder / FRAME.format(index), dtype="<f4")
        if data.nbytes != self.frame_bytes:
            raise ValueError(f"frame {index} in {self.folder} is cut short; bake again")
        return np.split(data.reshape(-1, 3), np.cumsum(self.header.vertex_counts)[:-1])

    def mismatch(self, settings, bodies):
        """Why these frames are not those of `settings` and `bodies`, or "" when they are."""
        # What a setting does that came later is off by default, as it was at the bake.
        before = {**_plain(type(settings)()), **self.header.settings}
        for name, value in _plain(settings).items():
            if before[name] != value:
                return f"{name} was {before[name]} and is {value}; bake again"
        now = {body.name: fingerprint(body) for body in bodies}
        for name in {**self.header.bodies, **now}:
            if name not in now:
                return f"{name} was part of the bake and is not any more; bake again"
            if name not in self.header.bodies:
                return f"{name} was not part of the bake; bake again"
            if now[name] != self.header.bodies[name]:
                return f"{name} has changed since the bake; bake again"
        return ""

    def matches(self, settings, bodies):
        """Whether these frames were made from `settings` and `bodies`."""
        return not self.mismatch(settings, bodies)


def _plain(settings):
    """Settings as JSON gives them back; the thread count changes no result and is left out."""
    values = {f.name: getattr(settings, f.name) for f in fields(settings) if f.name != "threads"}
    return json.loads(json.dumps(values))


def transfer(folder, to, keep):
    """Bring the cache in `folder` to the folder `to`, whose own is removed; `keep` leaves both.

    Frames never change once they are written, so two folders of one disk share them.
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
    patterns = (HEADER, HEADER + ".part", "frame_*.f32", "frame_*.f32.part")
    return [path for pattern in patterns for path in Path(folder).glob(pattern)]
