# SPDX-License-Identifier: GPL-3.0-or-later
"""An array job on Slurm, of whose two nodes one is killed while it bakes.

Run `python examples/farm/killed_node.py FOLDER` where `vbd`, bpy and Slurm are installed. It bakes
eight shots and twelve mixes of settings, and prints what a person would type and see.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import bpy
import shots
from slurm_here import kill_node, start_node, two_nodes, wait_until

import vbd

HERE = Path(__file__).resolve().parent
SWEEP = ("Jelly.youngs_modulus=5000,20000,80000", "friction=0.05,0.2,0.4,0.8")
# The frame of a bake after which its node is killed.
FATAL = 12
# Lines of Blender and Warp.
NOISE = ("Warp CUDA warning", "Read blend", "Info: Saved")


class Run:
    """A run in a folder: `shown` prints a command and what it says, like a terminal."""

    def __init__(self, folder, environment=None):
        self.folder, self.environment = folder, environment

    def said(self, *words):
        """Output and exit code of a command."""
        words = [str(word) for word in words]
        words = [sys.executable, *words[1:]] if words[0] == "python" else words
        result = subprocess.run(
            words,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        lines = [line for line in result.stdout.splitlines() if not line.startswith(NOISE)]
        return "\n".join(lines), result.returncode

    def shown(self, *words):
        text, code = self.said(*words)
        end = f"\n(exit code {code})" if code else ""
        print("$ " + self.short(shlex.join(map(str, words))), self.short(text) + end, sep="\n")

    def short(self, text):
        """A text without the folders of this machine."""
        return text.replace(f"{self.folder}/", "").replace(f"{HERE}/", "")


def list_jobs(run, files, wedge, sweep):
    """Write jobs.txt; returns the commands."""
    shared = ("--folder", "bakes", "--device", "cpu", "--cache-only", "--form", "python")
    (run.folder / "bakes").mkdir()
    commands = [
        run.said("python", "-m", "vbd", "jobs", *files, *shared)[0],
        run.said("python", "-m", "vbd", "jobs", wedge, "--set", *sweep, *shared)[0],
    ]
    (run.folder / "jobs.txt").write_text("\n".join(commands) + "\n")
    return "\n".join(commands).splitlines()


def running_on(run, node):
    """Number of the task that runs on a node, or None."""
    text, _ = run.said("squeue", "--noheader", "--states=R", f"--nodelist={node}", "-o", "%K")
    return text.strip() or None


def reached(run, task):
    """The last frame in the log of a task."""
    path = run.folder / f"vbd-{task}.log"
    found = re.findall(r"^Frame (\d+) ", path.read_text() if path.exists() else "", re.MULTILINE)
    return int(found[-1]) if found else 0


def doomed(run):
    """The task on node2 that has baked enough, or None."""
    task = running_on(run, "node2")
    return task if task and FATAL <= reached(run, task) else None


def bake_on_farm(run, slurm, count, impatient=False):
    """Bake all jobs, and kill node2 meanwhile; returns the number of the task that was on it.

    With `impatient`, node2 stays dead, and Slurm runs the task again at once.
    """
    run.shown("sinfo")
    run.shown("sbatch", f"--array=1-{count}", HERE / "bake.sbatch", "jobs.txt")
    task = wait_until("a bake on node2", lambda: doomed(run))
    run.shown("squeue", "--states=R")
    names = kill_node(slurm, "node2")
    print(f"# kill -9 of node2 after frame {reached(run, task)}: {', '.join(names)}")
    pending = ("squeue", "--array", "--noheader", "--states=PD", "-o", "%K %A")

    def requeued():
        lines = run.said(*pending)[0].splitlines()
        return dict(line.split() for line in lines).get(task)

    number = wait_until("Slurm to notice", requeued)
    run.shown("sinfo")
    run.shown("squeue")
    if impatient:
        # Slurm waits for two minutes before it runs a task again. Sooner, the killed node must not
        # get it: it may not have forgotten the first start.
        run.said("scontrol", "update", f"JobId={number}", "StartTime=now")
    else:
        start_node("node2", run.environment)
        print("# slurmd of node2 started again")
    wait_until("the array", lambda: not run.said("squeue", "--noheader")[0].strip(), 3600.0)
    return task


def same_bits(one, other):
    """Number of frame files in a cache that another one has with the same bytes; None if any
    differs.
    """
    names = sorted(path.name for path in one.glob("frame_*.f32"))
    if names != sorted(path.name for path in other.glob("frame_*.f32")):
        return None
    same = all((one / name).read_bytes() == (other / name).read_bytes() for name in names)
    return len(names) if same else None


def bake_again(run, command):
    """Bake a job without farm and kill into the folder `whole`; returns how many frames are the
    same bit for bit, or None.
    """
    (run.folder / "whole").mkdir(exist_ok=True)
    words = shlex.split(command)
    at = words.index("--output") + 1
    output = Path(words[at])
    words[at] = str(run.folder / "whole" / output.name)
    run.said(*words)
    name = f"{bpy.path.clean_name(output.stem)}_Scene"
    folders = [run.folder / each / "vbd_cache" / name for each in ("bakes", "whole")]
    return same_bits(*folders)


def main(folder):
    folder.mkdir(parents=True)
    vbd.register()
    files, wedge = shots.save_all(folder)
    vbd.unregister()
    with two_nodes(folder / "slurm") as environment:
        # The python of the commands is this one.
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        run = Run(folder, environment)
        commands = list_jobs(run, files, wedge, SWEEP)
        print(f"# jobs.txt has {len(commands)} lines; the first and the last:")
        print(run.short(commands[0]), run.short(commands[-1]), sep="\n")
        task = bake_on_farm(run, folder / "slurm", len(commands))
        print(f"# vbd-{task}.log:")
        text = run.short((folder / f"vbd-{task}.log").read_text())
        kept = [line for line in text.splitlines() if not line.startswith(NOISE)]
        print(*kept, sep="\n")
        run.shown("python", "-m", "vbd", "check", "jobs.txt")
        run.shown("python", "-m", "vbd", "collect", "jobs.txt")
        run.shown("python", "-m", "vbd", "check", "jobs.txt")
        for number in {int(task), 1, len(commands)}:
            count = bake_again(run, commands[number - 1])
            print(
                f"# task {number}, baked again in one go: {count} frames are the same bit for bit"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
