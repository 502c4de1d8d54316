# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures of a device in words."""

from contextlib import contextmanager

from ..messages import message


@contextmanager
def explained(device):
    """Translate errors of a GPU, and those of memory that is full, into messages for users."""
    try:
        yield
    except MemoryError as error:
        raise OSError(message("bake.out_of_memory")) from error
    except RuntimeError as error:
        if device.is_cuda:
            raise OSError(message("progress.gpu_failed", error=error)) from error
        if str(error).startswith("Failed to allocate"):  # the words of Warp
            raise OSError(message("bake.out_of_memory")) from error
        raise
