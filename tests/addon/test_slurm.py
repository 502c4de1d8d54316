# SPDX-License-Identifier: GPL-3.0-or-later
"""An array job on a real Slurm with two nodes, of which one is killed."""

import shutil
import sys
from pathlib import Path

import pytest
from messages import ROOT

PROGRAMS = ("sbatch", "scontrol", "slurmctld", "slurmd", "munged")
pytestmark = [
    pytest.mark.any_blender,
    pytest.mark.skipif(
        not all(map(shutil.which, PROGRAMS)), reason="Slurm and its daemons are not installed"
    ),
]


def test_slurm_runs_the_task_of_a_killed_node_again_and_it_goes_on(scene, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "farm"))
    import killed_node
    import shots
    from slurm_here import two_nodes

    files, wedge = shots.save_all(tmp_path, frames=96)
    with two_nodes(tmp_path / "slurm") as environment:
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        run = killed_node.Run(tmp_path, environment)
        commands = killed_node.list_jobs(run, files[:1], wedge, ["friction=0.1"])
        task = killed_node.bake_on_farm(run, tmp_path / "slurm", len(commands), impatient=True)
        log = (tmp_path / f"vbd-{task}.log").read_text()
        assert f"Task {task} on node2, start 1" in log and "start 2" in log
        assert "more frames in" in log and log.endswith("Exit code 0\n")
        text, code = run.said("python", "-m", "vbd", "collect", "jobs.txt")
        assert code == 0 and text.endswith("2 of 2 jobs have all frames")
        assert killed_node.bake_again(run, commands[int(task) - 1]) == 96
