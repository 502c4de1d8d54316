# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm with two nodes on this machine, for trying things out: tasks share the cores. Its programs
are those of Debian's slurmctld, slurmd, slurm-client and munge, and its files lie in one folder.
"""

import os
import secrets
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

NODES = ("node1", "node2")
# How long Slurm waits for a node that does not answer [s].
PATIENCE = 15
CONFIGURATION = """\
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthInfo=socket={folder}/munge/socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout={patience}
MinJobAge=86400
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=here Nodes=node[1-2] Default=YES State=UP
"""


@contextmanager
def two_nodes(folder):
    """Run Slurm; yields the environment of its commands. All jobs end with it."""
    munge = folder / "munge"
    munge.mkdir(parents=True, mode=0o711)
    (folder / "state").mkdir()
    key = munge / "key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(1024))
    configuration = folder / "slurm.conf"
    user = subprocess.check_output(["id", "-un"], text=True).strip()
    configuration.write_text(
        CONFIGURATION.format(
            folder=folder,
            host=socket.gethostname(),
            ports=_free_ports(3),
            user=user,
            patience=PATIENCE,
        )
    )
    environment = os.environ | {"SLURM_CONF": str(configuration)}
    names = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log"}
    places = [f"--{option}={munge / name}" for option, name in names.items()]
    subprocess.run(["munged", "--force", *places, f"--seed-file={munge / 'seed'}"], check=True)
    try:
        subprocess.run(["slurmctld"], env=environment, check=True)
        for node in NODES:
            start_node(node, environment)
        yield environment
    finally:
        subprocess.run(["scancel", f"--user={user}"], env=environment, check=False)
        for node in NODES:
            kill_node(folder, node)
        for pid in (folder / "slurmctld.pid", munge / "pid"):
            _kill(_read_pid(pid), signal.SIGTERM)


def _free_ports(count):
    """Ports that nothing listens on."""
    with suppress(OSError):
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
        ports = [each.getsockname()[1] for each in sockets]
        for each in sockets:
            each.close()
        return ports
    raise SystemExit("no free ports")


def start_node(node, environment):
    """Start the daemon of a node."""
    subprocess.run(["slurmd", "-N", node], env=environment, check=True)


def kill_node(folder, node):
    """Kill the daemon of a node and all processes of its jobs at once, as a loss of power would;
    returns the names of the killed programs.
    """
    jobs = _processes_of(node, folder / "slurm.conf")
    stewards = {_parent(pid) for pid in jobs}
    stewards = [pid for pid in stewards if _name(pid).startswith("slurmstepd")]
    killed = [_read_pid(folder / f"{node}.pid"), *stewards, *jobs]
    names = [_name(pid) for pid in killed]
    for pid in killed:
        _kill(pid, signal.SIGKILL)
    return names


def _processes_of(node, configuration):
    """Processes of jobs on a node."""
    wanted = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={configuration}".encode()}
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is of another user
            if wanted <= set((place / "environ").read_bytes().split(b"\0")):
                found.append(int(place.name))
    return sorted(found)


def _parent(pid):
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _name(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _read_pid(path):
    with suppress(OSError, ValueError):
        return int(path.read_text())
    return 0


def _kill(pid, number):
    if pid > 1:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def wait_until(what, holds, seconds=600.0):
    """Wait until `holds()` is true, and return that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := holds():
            return value
        time.sleep(0.5)
    raise SystemExit(f"waited {seconds:.0f} s for {what}")
