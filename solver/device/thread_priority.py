# SPDX-License-Identifier: GPL-3.0-or-later
"""Thread priority: threads that solve behind a window give way to those that draw it.

Linux has a nice value for each thread, Windows a level. On macOS classes of service would also move
threads to the slow cores; there all threads keep their priority.
"""

import ctypes
import os
import sys
from threading import get_native_id

# Change of the nice value on Linux, of the level on Windows (0: normal, -1: below it).
LOWER = {"linux": 10, "win32": -1}


def give_way():
    """Lower the priority of the calling thread below that of other threads of the process."""
    if sys.platform in LOWER:
        take(own() + LOWER[sys.platform])


def own():
    """Return the priority of the calling thread in its system's terms; None where it has none."""
    if sys.platform == "linux":
        return os.getpriority(os.PRIO_PROCESS, get_native_id())
    if sys.platform == "win32":
        kernel32, thread = _windows()
        return kernel32.GetThreadPriority(thread)
    return None


def take(priority):
    """Give the calling thread the priority of another: on Windows new threads do not inherit it."""
    if priority == own():
        return
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, get_native_id(), priority)
    elif sys.platform == "win32":
        kernel32, thread = _windows()
        kernel32.SetThreadPriority(thread, priority)


def _windows():
    """Return the functions of Windows and the handle of the calling thread."""
    kernel32 = ctypes.windll.kernel32
    kernel32.GetCurrentThread.restype = ctypes.c_void_p
    return kernel32, ctypes.c_void_p(kernel32.GetCurrentThread())
