# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a cache, which are written whole or not at all.

Files are not trusted: sizes are checked before memory is allocated for them, then a checksum. No
code in them is ever run. All numbers are little-endian.
"""

import errno
import json
import os
import shutil
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .messages import message

# Follows the points of a frame: magic, number of the frame, and CRC-32 of everything before it.
SEAL = struct.Struct("<8sII")
FRAME_MAGIC = b"VBDframe"
# Precedes the arrays of a state: magic, its frame, sizes in bytes of the list of arrays and of the
# arrays, and the CRC-32 of both.
HEAD = struct.Struct("<8sIIQI")
STATE_MAGIC = b"VBDstat1"
KINDS = ("|u1", "|i1", "|b1", "<i4", "<i8", "<f4", "<f8")
# A list of arrays is a few kilobytes long, and headers and statistics not much longer.
MOST_LISTED, MOST_HEADER, MOST_STATS = 1 << 20, 1 << 24, 1 << 24
BLOCK = 1 << 22

ADVICE = {
    errno.ENOENT: "cache.folder_removed",
    errno.EACCES: "cache.forbidden",
    errno.EPERM: "cache.forbidden",
    errno.EROFS: "cache.read_only",
}


def write_whole(path, *chunks):
    """Write bytes to a temporary name, flush them to the disk, and rename; OSError in words."""
    temporary = path.with_name(path.name + ".part")
    try:
        with open(temporary, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        try:
            temporary.unlink(missing_ok=True)
        except OSError:
            pass  # the cause of the first error may prevent this as well
        raise in_words(error, message("cache.write", file=path.name), path.parent) from error


def share(path, other):
    """Give a file another name as well; copy it where that cannot be."""
    try:
        os.link(path, other)
    except OSError:  # another disk, or one that cannot share
        shutil.copy2(path, other)


def refuse_other_bake(header, bake):
    """Raise OSError if a header is by now that of another `bake`; an empty one is not compared."""
    try:
        values = parsed(header.read_bytes())
    except OSError:
        return  # the following write fails for the same reason
    if bake and isinstance(values, dict) and values.get("bake") != bake:
        raise OSError(message("cache.taken_over", folder=header.parent))


def in_words(error, what, folder):
    """Return an OSError that names the failed action, its cause, and what to do about it."""
    advice = message(ADVICE.get(error.errno, "cache.disk_full"))
    text = message("cache.cannot", what=what, reason=error.strerror, advice=advice)
    return OSError(error.errno, text, str(folder))


def write_frame(path, index, points):
    """Write frame `index`: float32 [point, 3]."""
    data = np.ascontiguousarray(points, dtype="<f4").tobytes()
    check = zlib.crc32(SEAL.pack(FRAME_MAGIC, index, 0), zlib.crc32(data))
    write_whole(path, data, SEAL.pack(FRAME_MAGIC, index, check))


def read_frame(path, index, count, sealed=True):
    """Read frame `index` of `count` points, float32 [point, 3]; ValueError if it is not whole."""
    size = 12 * count
    if path.stat().st_size != size + sealed * SEAL.size:
        raise ValueError(message("cache.frame_cut", frame=index, folder=path.parent))
    data = np.empty((count, 3), dtype="<f4")
    with open(path, "rb") as file:
        file.readinto(data)
        seal = file.read(SEAL.size)
    if sealed:
        check = zlib.crc32(SEAL.pack(FRAME_MAGIC, index, 0), zlib.crc32(data))
        if seal != SEAL.pack(FRAME_MAGIC, index, check):
            raise ValueError(message("cache.frame_damaged", frame=index, folder=path.parent))
    return data


def read_points(path, first, count):
    """Read some points of a frame that has been checked, float32 [point, 3]."""
    points = np.empty((count, 3), dtype="<f4")
    with open(path, "rb") as file:
        file.seek(first * points.strides[0])
        file.readinto(points)
    return points


def write_state(path, index, arrays):
    """Write the arrays of the state after frame `index`, by name."""
    arrays = {name: _little(array) for name, array in arrays.items()}
    listed = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    directory = json.dumps(listed).encode()
    chunks = [directory, *(array.tobytes() for array in arrays.values())]
    check, size = 0, sum(array.nbytes for array in arrays.values())
    for chunk in chunks:
        check = zlib.crc32(chunk, check)
    write_whole(path, HEAD.pack(STATE_MAGIC, index, len(directory), size, check), *chunks)


def _little(array):
    """An array that is contiguous and of one of the `KINDS`."""
    array = np.ascontiguousarray(array)
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


@dataclass(frozen=True)
class StateFile:
    """The state after a frame on disk, of which only the list of arrays has been read."""

    path: Path
    frame: int
    shapes: dict
    """Type and shape of every array, by name."""
    check: int

    @classmethod
    def open(cls, path, index):
        """Open the state after frame `index`; ValueError if it is not one, or not whole."""
        with open(path, "rb") as file:
            head = file.read(HEAD.size)
            size = os.fstat(file.fileno()).st_size
            if len(head) < HEAD.size or head[:8] != STATE_MAGIC:
                raise _damaged(path, message("cache.not_a_point"))
            _, frame, listed, stored, check = HEAD.unpack(head)
            if listed > MOST_LISTED or size != HEAD.size + listed + stored or frame != index:
                raise _damaged(path, message("cache.cut_short"))
            shapes = _shapes(path, file.read(listed))
        if sum(_bytes(*shape) for shape in shapes.values()) != stored:
            raise _damaged(path, message("cache.arrays_differ"))
        return cls(path, index, shapes, check)

    def load(self):
        """Read the arrays by name; ValueError if they are damaged."""
        stored = sum(_bytes(*shape) for shape in self.shapes.values())
        arrays, check = {}, 0
        with open(self.path, "rb") as file:
            left = os.fstat(file.fileno()).st_size - HEAD.size - stored
            file.seek(HEAD.size)
            check = zlib.crc32(file.read(left))
            for name, (kind, shape) in self.shapes.items():
                data = bytearray(_bytes(kind, shape))
                if file.readinto(data) != len(data):
                    raise _damaged(self.path, message("cache.cut_short"))
                check = zlib.crc32(data, check)
                arrays[name] = np.frombuffer(data, dtype=kind).reshape(shape)
        if check != self.check:
            raise _damaged(self.path, message("cache.checksum"))
        return arrays


def _damaged(path, why):
    return ValueError(
        message("cache.point_damaged", file=path.name, folder=path.parent, reason=why)
    )


def _bytes(kind, shape):
    size = np.dtype(kind).itemsize
    for length in shape:
        size *= length
    return size


def _shapes(path, directory):
    """{name: (type, shape)} from the list of arrays; ValueError if it is not valid."""
    listed = parsed(directory)
    shapes = {}
    for entry in listed if isinstance(listed, list) else [None]:
        if not (isinstance(entry, list) and len(entry) == 3 and isinstance(entry[0], str)):
            raise _damaged(path, message("cache.arrays_unreadable"))
        name, kind, shape = entry
        lengths = isinstance(shape, list) and len(shape) <= 4
        if kind not in KINDS or not lengths or not all(is_count(n) for n in shape):
            raise _damaged(path, message("cache.array_impossible"))
        shapes[name] = kind, tuple(shape)
    if len(shapes) != len(listed):
        raise _damaged(path, message("cache.array_twice"))
    return shapes


def parsed(data):
    """Return the value of a JSON text, or None if it cannot be parsed."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def is_count(value):
    """Return whether a value from a file is a whole number from 0 on, within reason."""
    return type(value) is int and 0 <= value < 1 << 40
