# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m vbd bake FILE.blend ...`: the command line of the pip module bpy."""

import os
import sys


def main():
    try:
        import bpy  # noqa: F401
    except ImportError as error:
        print(f"python -m vbd: error: Blender's module cannot be loaded ({error}); pip install bpy")
        return 1
    from . import register
    from .addon.headless.command import run

    register()
    return run(sys.argv[1:], "python -m vbd")


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Blender's module can hang in its own clean-up
