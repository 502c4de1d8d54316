# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that a scene needs, estimated from its sizes: one that cannot fit is refused at once."""

import ctypes
import os
import sys

import warp as wp

from ..bodies import RigidBody, Volume
from ..messages import message

# Bytes on the host while a scene is set up on the CPU, and on a device alone: of a vertex, of
# elements by their name, and of a vertex that can touch, before any does.
VERTEX = 400, 300
ELEMENT = {"tet": (510, 450), "cell": (1400, 1330), "triangle": (1900, 1650), "edge": (500, 250)}
ELEMENT["grain"] = 1500, 1500  # their pairs
ELEMENT["rigid body"] = 3000, 2000
TOUCHING = 2100, 2800


def surface_count(body):
    """Return about how many vertices of a body can touch."""
    if not isinstance(body, Volume | RigidBody):
        return len(body.points)
    if body.surface is not None:
        return len(body.surface.corners)
    return min(len(body.points), int(6.0 * len(body.points) ** (2.0 / 3.0)))


def needed_bytes(bodies, colliders):
    """Return the bytes that a scene needs on the host and on a device, before anything touches."""
    may_touch = len(bodies) + len(colliders) > 1
    touching = sum(surface_count(b) for b in bodies if may_touch or b.touches_itself)
    return tuple(
        touching * TOUCHING[k]
        + sum(len(b.points) * VERTEX[k] for b in bodies)
        + sum(len(b.elements) * ELEMENT[b.element_name][k] for b in bodies)
        for k in range(2)
    )


def free_bytes():
    """Return the memory [B] that programs may still take, or all that the machine has where a
    system does not tell.
    """
    if sys.platform == "win32":
        return _free_on_windows()
    if sys.platform == "linux":
        with open("/proc/meminfo", encoding="ascii") as lines:
            known = dict(line.split(":") for line in lines)
        return min(1024 * int(known["MemAvailable"].split()[0]), _left_by_limit())
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _left_by_limit():
    """Return the address space [B] that a limit of this process, `ulimit -v`, leaves it."""
    import resource  # only where there are such limits

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return sys.maxsize
    with open("/proc/self/statm", encoding="ascii") as numbers:
        pages = int(numbers.read().split()[0])
    return max(limit - pages * resource.getpagesize(), 0)


def _free_on_windows():
    """Return MEMORYSTATUSEX.ullAvailPhys: its length and the load, then sizes of 64 bits."""
    status = (ctypes.c_uint64 * 8)()
    status[0] = ctypes.sizeof(status)
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(status):
        raise ctypes.WinError()
    return status[2]


def refuse_too_large(bodies, colliders, device):
    """Raise ValueError if a scene needs more memory than the host or its device have free."""
    on_host, on_device = needed_bytes(bodies, colliders)
    device, free = wp.get_device(device), free_bytes()
    if on_host > free:
        raise ValueError(_too_large("bake.too_large", on_host, free))
    if device.is_cuda and on_device > device.free_memory:
        raise ValueError(_too_large("bake.too_large_for_gpu", on_device, device.free_memory))


def _too_large(text, need, free):
    share = int(100.0 * free / need)
    return message(text, need=need / 1e9, free=free / 1e9, percent=share)
