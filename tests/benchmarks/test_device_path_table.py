# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of launches and bytes of a substep."""

import pytest
from shapes import grid

from vbd.benchmarks.experiments import device_path
from vbd.solver.bodies import Cloth, Pins
from vbd.solver.descent import step
from vbd.solver.device import launches
from vbd.solver.settings import Settings


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """Undo the table's changes to launches, and capture no graphs."""
    monkeypatch.setattr(launches.Launch, "play", launches.Launch.play)
    monkeypatch.setattr(step, "can_capture", lambda device: False)


def test_launches_decisions_and_bytes_of_a_substep_are_counted(capsys):
    points, triangles = grid(8)
    scene = [Cloth(points, triangles, pins=Pins([0, 8]))], Settings(iterations=4, substeps=2)
    device_path.row("a sheet", lambda: scene, skipped=1, counted=1)
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("|"))
    _, name, launched, decisions, size, *_, kernels, _ = line.split("|")
    assert name.strip() == "a sheet"
    assert int(launched) > 4 * 3 and int(decisions) > 0
    assert size.strip().endswith("MB") and "solve_vertices" in kernels


def test_a_mesh_that_is_missing_is_said(capsys, tmp_path):
    device_path.row("armadillo", lambda: device_path.armadillo(tmp_path))
    assert "| armadillo | skipped: " in capsys.readouterr().out
