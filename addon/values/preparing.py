# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling common mixes of bodies in the background, in a process of low priority.

A process of its own leaves Blender's threads alone, and cannot delay the exit of Blender: it ends
when its standard input is closed.
"""

import os
import subprocess
import sys
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path

import bpy

from ...solver.messages import message

# Delay until Blender has started [s].
DELAY = 5.0
# Runs the solver under the name it has here, on which the names in Warp's cache depend, without the
# packages around it, which need Blender.
SCRIPT = """
import importlib, sys, types
package, root = sys.argv[1:]
names = package.split(".")
for k in range(1, len(names) + 1):
    name = ".".join(names[:k])
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [root] if name == package else []
importlib.import_module(package + ".solver.preparing").main()
"""


class Preparation:
    """The process, or None without one; whether it is wanted, and whether it has succeeded."""

    process = None
    wanted = False
    done = False


def interpreter():
    """The Python of Blender as an executable; None if there is none."""
    return sys.executable if Path(sys.executable).stem.lower().startswith("python") else None


def environment(*folders):
    """Environment in which a process can import Blender's packages, and those of more folders."""
    paths = map(os.path.abspath, filter(None, [*sys.path, *folders]))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def install_command(python, modules, *packages):
    """The line for a terminal that installs packages into a folder on Blender's path."""
    words = ["-m", "pip", "install", "--no-deps", "--target", str(modules), *packages]
    line = " ".join(f'"{word}"' if "/" in word or "\\" in word else word for word in words)
    paths = environment(modules)["PYTHONPATH"].split(os.pathsep)
    install = f'"{python}" {line}'
    if PathFinder.find_spec("pip", paths):
        return install
    return message("tets.pip_first", python=python, command=install)


def command():
    """The command that runs `solver.preparing` outside Blender; None without a Python for it."""
    python = interpreter()
    if python is None:
        return None
    root = Path(__file__).resolve().parents[2]
    return [python, "-c", SCRIPT, __package__.rsplit(".", 2)[0], str(root)]


def start():
    """Start the process, unless it is running or has finished its work."""
    _check()
    line = command()
    if Preparation.process or Preparation.done or not Preparation.wanted or line is None:
        return
    low = getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)
    hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    Preparation.process = subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        creationflags=low | hidden,
    )


def stop():
    """Let the process end after the current module; does not wait for it."""
    _check()
    if Preparation.process:
        Preparation.process.stdin.close()
        Preparation.process = None


def _check():
    """Check whether the process has ended by itself, and its result."""
    process = Preparation.process
    if process and process.poll() is not None:
        process.stdin.close()
        Preparation.process, Preparation.done = None, process.returncode == 0


@contextmanager
def paused():
    """Context without preparing: a bake needs all cores."""
    stop()
    try:
        yield
    finally:
        start()


def follow(wanted):
    """Start or stop by the preference."""
    Preparation.wanted = wanted and not bpy.app.background
    if Preparation.wanted:
        start()
    else:
        stop()


def _begin():
    # Not at the top: preferences switch this on and off.
    from .preferences import wants_preparing

    follow(wants_preparing())


def register():
    if not bpy.app.background:
        bpy.app.timers.register(_begin, first_interval=DELAY, persistent=True)


def unregister():
    if bpy.app.timers.is_registered(_begin):
        bpy.app.timers.unregister(_begin)
    stop()
    Preparation.wanted = Preparation.done = False
