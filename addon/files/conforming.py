# SPDX-License-Identifier: GPL-3.0-or-later
"""Conforming tets of a closed surface by fTetWild (Hu et al. 2020), in a process of its own.

It may take minutes, use all memory or crash: a process can be ended, and never takes Blender down
with it.
"""

import os
import subprocess
import time
from importlib import invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ...solver.files.tets import checked
from ...solver.messages import message
from ..values.preparing import environment, install_command, interpreter

PROGRAM = Path(__file__).parent / "run_ftetwild.py"
PACKAGE = "pytetwild"


# A mesh is flat if it is thinner than this fraction of its size.
FLAT = 1e-6


def refuse_holes(name, points, triangles):
    """Refuse triangles [triangle, 3] that enclose nothing; they may cross each other."""
    if not len(triangles):
        raise ValueError(message("tets.no_faces", name=name))
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, count = np.unique(edges, axis=0, return_counts=True)
    odd = np.flatnonzero(count % 2)
    if len(odd):
        a, b = edges[odd[0]]
        raise ValueError(message("tets.open", name=name, count=len(odd), a=a, b=b))
    corners = points[np.unique(triangles)].astype(float)
    spread = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    if spread[-1] <= FLAT * spread[0]:
        raise ValueError(message("tets.flat_object", name=name))


def refuse_missing_package(modules):
    """Refuse if the package cannot be imported. `modules`: a folder on Blender's path, where the
    user may install it.
    """
    python = interpreter()
    if python is None:
        raise ValueError(message("tets.no_python"))
    paths = environment(modules)["PYTHONPATH"].split(os.pathsep)
    invalidate_caches()  # it may have been installed a moment ago
    if PathFinder.find_spec(PACKAGE, paths) is None:
        raise ValueError(
            message("tets.not_installed", command=install_command(python, modules, PACKAGE))
        )


def tets_in_steps(name, surface, lengths, limit, modules=""):
    """Generator of the tets inside a `surface`, vertices [vertex, 3] and triangles [triangle, 3]:
    yields the seconds so far, and returns a `TetMesh`. Closing it ends the process.

    `lengths`: edge length of tets, and their tolerance, as fractions of the diagonal. ValueError
    gives the reason of a failure, after at most `limit` seconds.
    """
    with TemporaryDirectory(prefix="vbd_tets_") as folder:
        folder = Path(folder)
        for file, values in zip(("vertices", "triangles"), surface, strict=True):
            np.save(folder / f"{file}.npy", values, allow_pickle=False)
        with open(folder / "errors.txt", "wb") as errors:
            process = _started(folder, lengths, errors, modules)
            try:
                yield from _waited(process, name, limit)
            finally:
                process.kill()
                process.wait()
        if process.returncode:
            said = (folder / "errors.txt").read_text(errors="replace").split("\n")
            last = next((line.strip() for line in reversed(said) if line.strip()), "")
            raise ValueError(
                message(
                    "tets.failed",
                    name=name,
                    code=process.returncode,
                    part=": " if last else "",
                    output=last[:200],
                )
            )
        return checked(name, *result(name, folder))


def _started(folder, lengths, errors, modules):
    return subprocess.Popen(
        [interpreter(), str(PROGRAM), str(folder), *map(str, lengths)],
        cwd=folder,  # fTetWild writes a file into its working folder
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=environment(modules),
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _waited(process, name, limit):
    """Yield the seconds until the process has ended."""
    start = time.monotonic()
    while process.poll() is None:
        seconds = time.monotonic() - start
        if seconds > limit:
            raise ValueError(message("tets.time_limit", name=name, seconds=limit))
        yield seconds


def result(name, folder):
    """Points float64 [point, 3] and tets int64 [tet, 4] that the process has written; refuses other
    arrays.
    """
    return (
        _array(name, folder / "points.npy", 3, "f").astype(np.float64),
        _array(name, folder / "tets.npy", 4, "iu").astype(np.int64),
    )


def _array(name, path, width, kinds):
    """A copy of the array in a file, [row, width] of a type of `kinds`."""
    try:
        # Mapped, so that a false size is found before there is memory for it.
        values = np.lib.format.open_memmap(path, mode="r")
    except (ValueError, OSError, OverflowError) as error:
        raise ValueError(message("tets.unreadable", name=name, error=error)) from None
    if values.ndim != 2 or values.shape[1] != width or values.dtype.kind not in kinds:
        raise ValueError(message("tets.no_array", name=name, path=path.name, width=width))
    return np.array(values)
