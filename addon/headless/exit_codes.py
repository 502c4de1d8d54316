# SPDX-License-Identifier: GPL-3.0-or-later
"""Exit codes of the command line, by which a farm decides whether to run a command again."""

DONE, FAILED, WRONG, STOPPED = range(4)
# Text at the end of every --help.
epilog = (
    "Exit codes: 0 all frames are there. 1 the scene cannot be baked as it is: do not run the "
    "command again. 2 the command is wrong. 3 frames are missing, because the bake was stopped, "
    "another one is writing them, or a disk or memory was full: the same command with --resume "
    "continues."
)


class RefusedError(Exception):
    """A reason in words why a command did nothing, and its exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def code_of(error):
    """The exit code after an error. One of a disk, of memory or of another bake may pass."""
    if isinstance(error, RefusedError):
        return error.code
    return STOPPED if isinstance(error, OSError) else FAILED
