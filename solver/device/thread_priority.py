# SPDX-License-Identifier: GPL-3.0-or-later
"""Priority of threads: what solves behind a window gives way to what draws it.

Linux has a nice value for each thread, Windows a level. On macOS classes of service would also move
threads to the slow cores, so that there all keep their priority.
"""

import ctypes
import os
import sys
from threading import get_native_id

# What is added: to the nice value on Linux, to the level on Windows (0: normal, -1: below it).
LOWER = {"linux": 10, "win32": -1}


def give_way():
    """Let the calling thread run when others of the process leave it time."""
    if sys.platform in LOWER:
        take(own() + LOWER[sys.platform])


def own():
    """The priority of the calling thread, as its system has it; None where it has none."""
    if sys.platform == "linux":
        return os.getpriority(os.PRIO_PROCESS, get_native_id())
    if sys.platform == "win32":
        kernel32, thread = _windows()
        return kernel32.GetThreadPriority(thread)
    return None


def take(priority):
    """Give the calling thread the priority of another: Windows does not hand it down to threads
    that are started.
    """
    if priority == own():
        return
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), priority)
    elif sys.platform == "win32":
        kernel32, thread = _windows()
        kernel32.SetThreadPriority(thread, priority)


def _windows():
    """The functions of Windows, and the handle of the calling thread."""
    kernel32 = ctypes.windll.kernel32
    kernel32.GetCurrentThread.restype = ctypes.c_void_p
    return kernel32, ctypes.c_void_p(kernel32.GetCurrentThread())
