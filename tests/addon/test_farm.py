# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of an array job without Slurm: a killed task goes on, and every frame is there."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import baked, frames, sheet, tet_block
from messages import ROOT

from vbd.addon.baking.cache_place import cache_folder
from vbd.addon.headless.command import run
from vbd.solver.cache import Cache

SCRIPT = ROOT / "examples" / "farm" / "bake.sbatch"
LAST = 60
pytestmark = [
    pytest.mark.any_blender,
    pytest.mark.skipif(sys.platform == "win32", reason="the script is one for bash"),
]


@pytest.fixture
def jobs(scene, tmp_path, capsys):
    """A list of two jobs, one for each value of a density."""
    frames(scene, 1, LAST)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 4, 5
    sheet(cells=2).location.z = 1.2
    tet_block(cells=(1, 1, 1))
    shot = tmp_path / "my shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    capsys.readouterr()
    options = ["--set", "Block.density=500,900", "--cache-only", "--form", "python"]
    assert run(["jobs", str(shot), *options], "vbd") == 0
    path = tmp_path / "jobs.txt"
    path.write_text(capsys.readouterr().out)
    return path


class Task:
    """A task of the array, which runs; `scontrol` notes its arguments."""

    def __init__(self, jobs, number):
        programs = jobs.with_name("bin")
        programs.mkdir(exist_ok=True)
        for name, text in (
            ("scontrol", f'echo "$@" >> {shlex.quote(str(jobs.with_name("requeued")))}'),
            ("python", f'exec {shlex.quote(sys.executable)} "$@"'),
        ):
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        environment = os.environ | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "SLURM_ARRAY_TASK_ID": str(number),
            "SLURM_JOB_ID": "7",
        }
        self.process = subprocess.Popen(
            ["bash", SCRIPT, jobs],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def wait_for(self, frame):
        """Read until a frame is there."""
        for line in self.process.stdout:
            if re.match(rf"Frame {frame} ", line):
                return self
        raise AssertionError("the task has ended")

    def end(self):
        """The exit code, and what is printed from now on."""
        text, _ = self.process.communicate(timeout=120)
        return self.process.returncode, text


def test_a_killed_task_goes_on_and_every_frame_is_there(jobs, capsys):
    killed = Task(jobs, 1).wait_for(5)
    os.killpg(killed.process.pid, signal.SIGKILL)
    assert killed.end()[0] == -signal.SIGKILL
    for number in (1, 2):
        code, text = Task(jobs, number).end()
        assert code == 0 and text.endswith("Exit code 0\n")
        assert number == 2 or "more frames in" in text
    assert run(["check", str(jobs)], "vbd") == 0
    assert run(["collect", str(jobs)], "vbd") == 0
    assert capsys.readouterr().out.endswith("2 of 2 jobs have all frames\n")
    output = Path(shlex.split(jobs.read_text().splitlines()[0])[-2])
    got = Cache.open(cache_folder(bpy.context.scene, output))
    bpy.ops.wm.open_mainfile(filepath=str(jobs.with_name("my shot.blend")))
    bpy.data.objects["Block"].vbd.density = 500.0
    baked()
    whole = Cache.open(cache_folder(bpy.context.scene))
    for index in range(LAST):
        for now, wanted in zip(got.read(index), whole.read(index), strict=True):
            np.testing.assert_array_equal(now, wanted)


@pytest.mark.parametrize(("number", "again"), [(signal.SIGUSR1, True), (signal.SIGTERM, False)])
def test_a_task_out_of_time_keeps_its_frames_and_runs_again_unless_it_was_cancelled(
    jobs, number, again
):
    task = Task(jobs, 1).wait_for(3)
    task.process.send_signal(number)
    code, text = task.end()
    assert code == 3 and "then cancelled" in text
    notes = jobs.with_name("requeued")
    assert notes.exists() == again and (not again or notes.read_text() == "requeue 7\n")


def test_a_task_without_a_line_is_wrong(jobs):
    code, text = Task(jobs, 3).end()
    assert code == 2 and "has no line 3" in text


def test_a_task_that_is_out_of_time_before_the_bake_begins_runs_again(tmp_path):
    jobs = tmp_path / "jobs.txt"
    jobs.write_text("python -c 'import time; print(\"begun\", flush=True); time.sleep(60)'\n")
    task = Task(jobs, 1)
    assert "begun\n" in task.process.stdout
    task.process.send_signal(signal.SIGUSR1)
    assert task.end()[0] == 143
    assert jobs.with_name("requeued").read_text() == "requeue 7\n"
