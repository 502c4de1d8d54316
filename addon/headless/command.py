# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: `blender --command vbd bake FILE ...` and `python -m vbd bake FILE ...`,
`jobs`, which prints such commands, and `check` and `collect`, which read what these have baked.
"""

import argparse
import sys

import bpy

from ..baking.bake_steps import explain
from .bake import add_bake_parser, bake
from .collect import add_collect_parsers, check, collect
from .exit_codes import DONE, RefusedError, code_of, epilog
from .jobs import add_jobs_parser, print_jobs

ACTIONS = {"bake": bake, "jobs": print_jobs, "check": check, "collect": collect}


def parser(program):
    top = argparse.ArgumentParser(
        prog=program, description="Vertex Block Descent for Blender", epilog=epilog
    )
    commands = top.add_subparsers(dest="command", required=True)
    add_bake_parser(commands)
    add_jobs_parser(commands)
    add_collect_parsers(commands)
    return top


def run(arguments, program):
    """Run the command line; returns the exit code."""
    try:
        options = parser(program).parse_args(arguments)
    except SystemExit as end:  # argparse has printed the reason
        return end.code or DONE
    try:
        return ACTIONS[options.command](options)
    except (RefusedError, ValueError, OSError) as error:
        print(f"{program}: error: {explain(error)}", file=sys.stderr, flush=True)
        return code_of(error)


class Command:
    """Blender's handle of `--command vbd`."""

    handle = None


def _from_blender(arguments):
    return run(arguments, "blender --command vbd")


def register():
    Command.handle = bpy.utils.register_cli_command("vbd", _from_blender)


def unregister():
    bpy.utils.unregister_cli_command(Command.handle)
    Command.handle = None
