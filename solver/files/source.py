# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that is read from its front, in text or binary, and believed in nothing."""

import re
from pathlib import Path

import numpy as np

# More than this is no mesh that can be simulated.
MOST_BYTES = 1 << 30
# Text is turned into numbers by pieces of about this many bytes, which bounds the memory.
PIECE = 1 << 16
# No number has more letters.
LONGEST_WORD = 400
SPACE = re.compile(rb"\s")


class Source:
    """The bytes of a file and how far they are read.

    What a file announces is compared with the bytes that are left before anything is made of it.
    Everything wrong is a ValueError that names the file and the line, or the byte in binary.
    """

    def __init__(self, data, name):
        self.data, self.name, self.at, self.binary = data, name, 0, False
        self.last = 0  # where what was read last stands

    @classmethod
    def of(cls, path):
        """All of a regular file; OSError where it cannot be read."""
        path = Path(path)
        if not path.is_file():
            raise ValueError(f"{path.name}: there is no such file in {path.parent}")
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path.name}: a file of more than {MOST_BYTES >> 20} MB is not read")
        return cls(path.read_bytes(), path.name)

    @property
    def left(self):
        return len(self.data) - self.at

    def fail(self, what, at=None):
        at = self.last if at is None else at
        lines = self.data.count(b"\n", 0, at) + 1
        place = f"byte {at}" if self.binary else f"line {lines}"
        raise ValueError(f"{self.name}, {place}: {what}")

    def drop_comments(self):
        """Take out what stands behind a # in a line."""
        self.data = re.sub(rb"#[^\n]*", b"", self.data)

    def line(self):
        """The next line, without its end and spaces around it."""
        end = self.data.find(b"\n", self.at)
        end = len(self.data) if end < 0 else end
        text, self.last = self.data[self.at : end], self.at
        self.at = min(end + 1, len(self.data))
        return text.decode("latin-1").strip()

    def find(self, pattern, what):
        """Go behind the next match of a pattern, which stands at the start of a line."""
        match = self.look_for(pattern)
        if match is None:
            self.fail(f"there is no {what} from here on")
        self.at = self.last = match.end()
        return match

    def look_for(self, pattern):
        return re.compile(rb"^[ \t]*" + pattern, re.MULTILINE).search(self.data, self.at)

    def count(self, what, least=0):
        """A number of things that comes next in the text."""
        (value,) = self.numbers(int, 1, f"number of {what}")
        if value < least:
            self.fail(f"{value} {what} are announced")
        return int(value)

    def numbers(self, kind, count, what):
        """The next `count` numbers of text, int64 or float64 [count] as `kind` is int or float."""
        self._believe(count, (self.left + 1) // 2, what)
        parts = [np.empty(0, np.int64 if kind is int else np.float64)]
        while count > 0:
            words, piece = self._words(count)
            if not words:
                self.fail(f"the file ends where {count} more {what} should come")
            parts.append(self._converted(kind, words, piece, what))
            count -= len(words)
        return np.concatenate(parts)

    def items(self, dtype, count, what):
        """The next `count` items of binary data, in the byte order of this machine."""
        dtype = np.dtype(dtype)
        self._believe(count, self.left // dtype.itemsize, what)
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.last, self.at = self.at, self.at + count * dtype.itemsize
        return values.astype(dtype.newbyteorder("="))

    def _believe(self, count, room, what):
        if not 0 <= count <= room:
            self.fail(f"{count} {what} are announced, and the file has room for {room} at most")

    def _words(self, most):
        """At most `most` words from a piece of the file that is left, and where it starts."""
        end, words = self.at, []
        while not words and end < len(self.data):  # else there were nothing but spaces
            start, end = end, min(end + min(PIECE, 32 * most), len(self.data))
            space = SPACE.search(self.data, end, end + LONGEST_WORD)
            if space is None and end + LONGEST_WORD < len(self.data):
                self.fail(f"a word of more than {LONGEST_WORD} letters is no number", end)
            end = space.start() if space else len(self.data)
            piece = self.data[start:end]
            words = piece.split(None, most)
        if len(words) > most:
            end -= len(words.pop())
        if not words:
            return [], None
        self.at = self.last = start + len(piece[: end - start].rstrip())
        return words, (start, piece)

    def _converted(self, kind, words, piece, what):
        try:
            return np.array([kind(word) for word in words], np.int64 if kind is int else np.float64)
        except (ValueError, OverflowError):
            index = next(k for k, word in enumerate(words) if not _is_number(kind, word))
            start, text = piece
            at = start + len(text) - len(text.split(None, index)[index])
            word = words[index][:20].decode("latin-1")
            whole = "a whole number" if kind is int else "a number"
            self.fail(f"{word!r} stands where {whole} of the {what} should", at)


def _is_number(kind, word):
    try:
        np.int64(kind(word)) if kind is int else kind(word)
    except (ValueError, OverflowError):
        return False
    return True


def rows_of(source, tags, wanted, what):
    """Which rows [same shape as wanted] have the numbers `wanted` among the `tags` [row]."""
    if len(tags) == 0:
        source.fail(f"there are no {what}")
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    twice = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(twice):
        source.fail(f"the number {float(ordered[twice[0]]):.0f} is given to two {what}")
    at = np.minimum(np.searchsorted(ordered, wanted), len(tags) - 1)
    missing = np.flatnonzero((ordered[at] != wanted).ravel())
    if len(missing):
        number = float(wanted.ravel()[missing[0]])
        source.fail(f"a tet uses the number {number:.0f}, which none of the {what} has")
    return order[at]
