# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/solver.md: its code runs as it stands and prints what the page shows; its claims hold."""

import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
import warp as wp
from messages import ROOT

from vbd.solver import elements
from vbd.solver.bodies import Solid
from vbd.solver.elements.element_kind import Columns, ElementKind
from vbd.solver.elements.vertex_records import in_vertex_order
from vbd.solver.kernels.elements.linear_algebra import mat31
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

PAGE = (ROOT / "docs" / "solver.md").read_text(encoding="utf-8")
POINTS = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]])
STIFFNESS = 1e4

vec1 = wp.types.vector(length=1, dtype=float)


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def run(folder, code):
    """Run code as a script of a user in an empty folder."""
    (folder / "script.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "script.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_the_code_runs_and_prints_what_the_page_shows(tmp_path):
    done = run(tmp_path, "\n".join(blocks("python")))
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    shown = "".join(blocks("text")).splitlines()
    assert len(shown) > 5
    assert not [line for line in shown if line not in printed]


def test_the_slope_test_of_the_page_finds_a_wrong_energy(tmp_path):
    first, last = (
        next(number for number, code in enumerate(blocks("python")) if word in code)
        for word in ("class Link:", "def evaluate")
    )
    kind = blocks("python")[first].split("elements.KINDS")[0]
    code = "import numpy as np\n" + kind + blocks("python")[last]
    assert code.count("0.25 * link.k") == 1
    assert run(tmp_path, code).returncode == 0
    done = run(tmp_path, code.replace("0.25 * link.k", "0.5 * link.k"))
    assert "Not equal to tolerance" in done.stderr


@wp.struct
class Well:
    """One vertex pulled to the origin of `x`: E = ½ k |x|²."""

    corners: wp.vec2i
    k: float  # [N/m]
    record: int


@wp.func
def force_hessian(well: Well, q: int, rest: wp.array[float], x_i: wp.vec3, x: wp.array[wp.vec3]):
    return -well.k * x_i, well.k * wp.identity(3, float)


@wp.func
def gradient(well: Well, x: wp.array[wp.vec3]):
    return wp.matrix_from_cols(x[well.corners[0]])


@wp.func
def weight(well: Well, corner: int):
    return vec1(1.0)


@wp.func
def stress(well: Well, rest: wp.array[float], g: mat31):
    return well.k * g


@wp.func
def shear(well: Well):
    return well.k


@dataclass
class Wells(Columns):
    k: np.ndarray


def wells_of(body, settings):
    corners = np.arange(len(body.points))[:, None]
    return Wells(corners, np.full(len(corners), STIFFNESS))


def fields(rest_points, wells, h):
    return {"k": wells.k}


def records(rest_points, wells, h):
    return in_vertex_order(len(rest_points), Well, wells.corners, {"k": wells.k})


WELLS = ElementKind(
    name="wells",
    corners=1,
    columns=1,
    cost=5.0,
    to_space=True,
    of_body=wells_of,
    records=records,
    element_columns=fields,
    record=Well,
    element=Well,
    force_hessian=force_hessian,
    gradient=gradient,
    weight=weight,
    stress=stress,
    sampled_stress=stress,
    shear=shear,
)


def test_an_element_may_have_one_corner(monkeypatch):
    """A tet hangs in the middle of its initial bounding box, lower by m g / Σ k."""
    monkeypatch.setattr(elements, "KINDS", (*elements.KINDS, WELLS))
    tet = Solid(POINTS, [[0, 1, 2, 3]], Material(youngs_modulus=1e5, density=1000.0))
    (frame,) = simulate([tet], Settings(quasistatic=True, iterations=400), frame_count=1)
    sag = 1000.0 / 6.0 * 9.81 / (4.0 * STIFFNESS)
    middle = 0.5 * (POINTS.min(axis=0) + POINTS.max(axis=0)) - [0.0, 0.0, sag]
    assert frame.positions[0].mean(axis=0) == pytest.approx(middle, abs=1e-3)
