# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of a cache: one process at a time writes into its folder.

The system releases the lock when the process ends, however it ends. Where the file system has no
locks, a bake only notices that another one has replaced its header (cache_files.py).
"""

import errno
import os
import socket
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from .cache_files import in_words
from .messages import message

LOCK = "lock"
# Errors of file systems that have no locks.
WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
# The byte that is locked on Windows, where nobody may read it meanwhile: behind the text.
FAR = 1 << 20
MOST_TEXT = 400


@contextmanager
def locked(folder):
    """Hold the lock of the cache in `folder`, which is made; BlockingIOError, an OSError, if
    another bake holds it. A folder that stays empty is removed at the end.
    """
    path = Path(folder) / LOCK
    left = [path.parent]
    if not path.parent.parent.exists():
        left.append(path.parent.parent)
    file = _acquired(path)
    try:
        yield
    finally:
        _release(file, path)
        for place in left:
            with suppress(OSError):  # there are frames, or other caches
                place.rmdir()


def _release(file, path):
    """Remove the lock where that is possible: the frames count, whatever happens to it."""
    with suppress(OSError), closing(file):
        if os.name == "nt":  # an open file cannot be removed there, nor one that the next bake has
            file.close()
            path.unlink(missing_ok=True)
        elif _is_at(file, path):
            path.unlink()


def _acquired(path):
    """The locked file at `path`, with the owner in it."""
    while True:
        file = _opened(path)
        try:
            _lock(file)
            if _is_at(file, path):
                file.seek(0)
                file.truncate()
                file.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
                return file
        except BlockingIOError as error:
            owner = "another process"
            with suppress(OSError), closing(file):  # some network drives let nobody read it
                file.seek(0)
                owner = file.read(MOST_TEXT).decode(errors="replace")
            text = message("cache.locked", owner=owner)
            raise BlockingIOError(error.errno, text, str(path.parent)) from error
        except OSError as error:
            file.close()
            raise in_words(error, message("cache.write", file=LOCK), path.parent) from error
        file.close()  # its last owner has removed it meanwhile


def _opened(path):
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise in_words(error, message("cache.make"), path.parent) from error
    return os.fdopen(descriptor, "r+b", buffering=0)


def _is_at(file, path):
    """Return whether an open file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _lock(file):
    """Lock an open file; BlockingIOError if another bake holds it, also one of this process."""
    if os.name == "nt":
        import msvcrt

        file.seek(FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
        return
    import fcntl

    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EACCES:  # of network drives
            raise BlockingIOError(error.errno, error.strerror) from error
        if error.errno not in WITHOUT_LOCKS:
            raise
