# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that is read from its front, in text or binary, and is not trusted."""

import re
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

NO_NUMBERS = re.compile(rb"^[ \t]*[A-Za-z$]", re.MULTILINE)


class FileError(ValueError):
    """A sentence for the user about the contents of a file."""


class Source:
    """The bytes of a file and how far they are read.

    `order`: byte order of its numbers, < or >; empty where they are text.
    """

    def __init__(self, data):
        self.data, self.at, self.order = data, 0, ""
        self.section = "line 1"
        self._text = None

    def line(self):
        """The next line, without its end and spaces around it."""
        end = self.data.find(b"\n", self.at)
        end = len(self.data) if end < 0 else end
        text, self.at = self.data[self.at : end], end + 1
        return text.decode("latin-1").strip()

    def find(self, word):
        """Go to the next line that begins with a word; gives the words behind it."""
        start = re.compile(rb"^[ \t]*" + re.escape(word.encode()) + rb"\b", re.MULTILINE)
        match = start.search(self.data, self.at)
        if match is None:
            raise FileError(f"there is no {word} behind {self.section}")
        self.at, self.section, self._text = match.end(), word, None
        return self.line().split()

    def numbers(self, count, kind):
        """The next numbers, int64 or float64 [count]. `kind` is their type in binary."""
        kind = np.dtype(kind)
        if self.order:
            values = self.items(count, kind)
        else:
            values, self._text = np.split(self.text(), [count])
            if len(values) != count:
                raise ValueError
        return values.astype(np.float64) if kind.kind == "f" else whole(values)

    def items(self, count, kind):
        """The next items [count] of binary data."""
        kind = np.dtype(kind).newbyteorder(self.order)
        if not 0 <= count <= (len(self.data) - self.at) // kind.itemsize:
            raise ValueError
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def text(self):
        """Numbers of text, float64 [number], as far as lines begin with one."""
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
    """The `Source` of a file. Whatever is wrong with it is a ValueError with a sentence."""
    source = Source(Path(path).read_bytes())
    try:
        with np.errstate(all="ignore"):  # refused by their values
            yield source
    except FileError as error:
        raise ValueError(f"{path.name}: {error}") from None
    except (ValueError, LookupError, OverflowError, DeprecationWarning):
        raise ValueError(
            f"{path.name}: the numbers behind {source.section} are damaged or cut short"
        ) from None


def whole(values):
    """Numbers as int64; refuses fractions."""
    result = values.astype(np.int64)
    if (result != values).any():
        raise ValueError
    return result


def rows_of(numbers, wanted):
    """Rows [same shape as wanted] of the points that have the numbers `wanted` among `numbers`
    [row].
    """
    order = np.argsort(numbers)
    ordered = numbers[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise FileError("two points have the same number")
    at = np.minimum(np.searchsorted(ordered, wanted), len(numbers) - 1)
    if (ordered[at] != wanted).any():
        raise FileError("a tet uses a point that is not there")
    return order[at]
