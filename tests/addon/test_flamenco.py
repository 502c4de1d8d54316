# SPDX-License-Identifier: GPL-3.0-or-later
"""The job type for Flamenco makes the same commands as `vbd jobs`."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from vbd.addon.headless.command import parser, run

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "flamenco" / "vbd_bake.js"
# The manager's interface for a script, as far as this one uses it.
MANAGER = """
const author = {
    Task: (name, kind) => ({name, kind, commands: [], addCommand(c) { this.commands.push(c); }}),
    Command: (name, parameters) => ({name, parameters}),
};
const job = {settings: JSON.parse(process.argv[1]), tasks: [], addTask(t) { this.tasks.push(t); }};
"""
node = pytest.mark.skipif(not shutil.which("node"), reason="there is no JavaScript here")


def tasks(**settings):
    given = {"frames": "", "sweeps": "", **settings}
    text = MANAGER + SCRIPT.read_text(encoding="utf-8")
    text += "\ncompileJob(job); console.log(JSON.stringify(job.tasks));"
    result = subprocess.run(
        ["node", "-e", text, json.dumps(given)], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@node
@pytest.mark.parametrize("sweeps", ["", "substeps=4,8 iterations=20,60"])
def test_the_tasks_run_what_jobs_prints(scene, tmp_path, capsys, sweeps):
    shot = tmp_path / "my shot.blend"
    shot.write_bytes(b"")
    made = tasks(blendfile=str(shot), output_folder=str(tmp_path), frames="1:5", sweeps=sweeps)
    options = ["--set", *sweeps.split()] if sweeps else []
    assert run(["jobs", str(shot), "--frames=1:5", *options], "vbd") == 0
    lines = [shlex.split(line) for line in capsys.readouterr().out.splitlines()]
    commands = [task["commands"][0] for task in made]
    assert [command["parameters"]["args"] for command in commands] == [line[1:] for line in lines]
    assert {command["name"] for command in commands} == {"exec"}
    assert len({task["name"] for task in made}) == len(made) == (4 if sweeps else 1)
    parser("vbd").parse_args(lines[-1][5:])
