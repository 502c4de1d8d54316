# SPDX-License-Identifier: GPL-3.0-or-later
"""Sequential reading of an untrusted file, in text or binary."""

import re
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..messages import message

NO_NUMBERS = re.compile(rb"^[ \t]*[A-Za-z$]", re.MULTILINE)


class FileError(ValueError):
    """An error in the contents of a file, with a message for the user."""


class Source:
    """The bytes of a file and the position of the reader.

    `order`: byte order of its numbers, < or >; empty for text.
    """

    def __init__(self, data):
        self.data, self.at, self.order = data, 0, ""
        self.section = "line 1"
        self._text = None

    def line(self):
        """Read the next line, without its end and surrounding spaces."""
        end = self.data.find(b"\n", self.at)
        end = len(self.data) if end < 0 else end
        text, self.at = self.data[self.at : end], end + 1
        return text.decode("latin-1").strip()

    def find(self, word):
        """Go to the next line that begins with a word; return the words after it."""
        start = re.compile(rb"^[ \t]*" + re.escape(word.encode()) + rb"\b", re.MULTILINE)
        match = start.search(self.data, self.at)
        if match is None:
            raise FileError(message("tets.nothing_behind", word=word, section=self.section))
        self.at, self.section, self._text = match.end(), word, None
        return self.line().split()

    def numbers(self, count, kind):
        """Read numbers, int64 or float64 [count]. `kind` is their type in binary."""
        kind = np.dtype(kind)
        if self.order:
            values = self.items(count, kind)
        else:
            values, self._text = np.split(self.text(), [count])
            if len(values) != count:
                raise ValueError
        return values.astype(np.float64) if kind.kind == "f" else whole(values)

    def items(self, count, kind):
        """Read items [count] of binary data."""
        kind = np.dtype(kind).newbyteorder(self.order)
        if not 0 <= count <= (len(self.data) - self.at) // kind.itemsize:
            raise ValueError
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def text(self):
        """Numbers of text, float64 [number], up to the first line that begins with a word."""
        if self._text is None:
            end = NO_NUMBERS.search(self.data, self.at)
            end = end.start() if end else len(self.data)
            with warnings.catch_warnings():
                warnings.simplefilter("error", DeprecationWarning)
                self._text = np.fromstring(self.data[self.at : end], sep=" ")
            self.at = end
        return self._text


@contextmanager
def opened(path):
    """Open the `Source` of a file; all its errors become a ValueError with a message."""
    source = Source(Path(path).read_bytes())
    try:
        with np.errstate(all="ignore"):  # bad values are refused later
            yield source
    except FileError as error:
        raise ValueError(f"{path.name}: {error}") from None
    except (ValueError, LookupError, OverflowError, DeprecationWarning):
        raise ValueError(
            message("tets.numbers_damaged", path=path.name, section=source.section)
        ) from None


def whole(values):
    """Return numbers as int64; refuses fractions."""
    result = values.astype(np.int64)
    if (result != values).any():
        raise ValueError
    return result


def rows_of(numbers, wanted):
    """Rows of the points with the numbers `wanted` among `numbers` [row]; the shape is that of
    `wanted`.
    """
    order = np.argsort(numbers)
    ordered = numbers[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise FileError(message("tets.same_number"))
    at = np.minimum(np.searchsorted(ordered, wanted), len(numbers) - 1)
    if (ordered[at] != wanted).any():
        raise FileError(message("tets.no_point"))
    return order[at]
