# SPDX-License-Identifier: GPL-3.0-or-later
"""Live by mouse and keyboard in a Blender with a window: live_window.py, run in that Blender.

The environment variable VBD_BLENDER has its command line, by default `blender`; DISPLAY the screen.
"""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import warp

SCRIPT = Path(__file__).with_name("live_window.py")
ROOT = SCRIPT.parents[2]
# Drawing in software on a busy machine takes its time [s].
PATIENCE = 3000.0


@pytest.fixture
def command():
    """The words that start a Blender with a window."""
    words = shlex.split(os.environ.get("VBD_BLENDER", "blender"))
    if not words or shutil.which(words[0]) is None:
        pytest.skip("no full Blender: set VBD_BLENDER to its command line")
    if "VBD_BLENDER" not in os.environ and not os.environ.get("DISPLAY"):
        pytest.skip("no screen: DISPLAY is not set")
    return words


@pytest.fixture
def packages(tmp_path):
    """A folder with the packages that Blender imports."""
    (tmp_path / "vbd").symlink_to(ROOT, target_is_directory=True)
    (tmp_path / "warp").symlink_to(Path(warp.__file__).parent, target_is_directory=True)
    return tmp_path


@pytest.mark.parametrize("story", ["all", "playing", "soft", "rod", "rigid", "grains"])
def test_live_by_mouse_and_keyboard(command, packages, story):
    options = ["--factory-startup", "--enable-event-simulate", "--python", SCRIPT]
    line = [*command, *options, "--", packages, story]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and f"passed {story}" in done.stdout, done.stdout + done.stderr
