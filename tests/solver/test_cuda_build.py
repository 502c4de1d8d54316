# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels compile for NVIDIA GPUs, which needs no GPU."""

import importlib
import pkgutil

import pytest
import warp as wp

from vbd.solver import kernels
from vbd.solver.device.compiling import source_size
from vbd.solver.elements import KINDS
from vbd.solver.elements.tets import NEO_HOOKEAN_TETS
from vbd.solver.kernels.coarse import slopes
from vbd.solver.kernels.coarse.element_terms import coarse_kernels
from vbd.solver.kernels.contact.feasibility import pair_bounds, truncation
from vbd.solver.kernels.descent import vertex_solve
from vbd.solver.kernels.descent.color_sweep import sweep_kernel
from vbd.solver.kernels.device.teams import EIGHT
from vbd.solver.kernels.elements.flow import exact_rest_kernel, flow_kernel
from vbd.solver.kernels.elements.rest_values import rest_kernel
from vbd.solver.kernels.elements.table import energy_kernel
from vbd.solver.kernels.rigid.sweep import body_kernel

# Turing, the oldest generation that Warp still serves well, and Blackwell. Kernels that compile for
# both do so between; for the newest, some quick ones stand for all.
OLDEST, NEWEST = 75, 120
QUICK_ONES = (
    "descent.motion",
    "descent.tear_detection",
    "contact.detection.search",
    "contact.feasibility.truncation",
    "vertex, search",
)
TOUCH = vertex_solve.CONTACTS | vertex_solve.ANALYTIC
# All kinds in two kernels: in one they would compile for minutes.
SOLIDS = tuple(kind for kind in KINDS if kind.affine)
OTHERS = tuple(kind for kind in KINDS if not kind.affine)
TETS = (NEO_HOOKEAN_TETS,)


def modules_with_kernels():
    """Modules of the package that have kernels, and one for each generated kernel."""
    prefix = kernels.__name__ + "."
    for found in pkgutil.walk_packages(kernels.__path__, prefix):
        module = importlib.import_module(found.name)
        if wp.get_module(module.__name__).kernels:
            yield found.name.removeprefix(prefix), module
    made = vertex_solve.vertex_kernels
    yield "vertex, solids", made(SOLIDS, TOUCH).solve.module
    for width in (0, vertex_solve.IN_CELLS):
        yield f"vertex, sweep, {width}", sweep_kernel(TETS, TOUCH | width, team=EIGHT).module
    yield "vertex, others", made(OTHERS, vertex_solve.ATTACHMENTS).solve.module
    # The search contains all forces twice.
    yield "vertex, search", made(TETS, TOUCH).search.module
    yield "vertex, embedded", made(TETS, TOUCH | vertex_solve.IN_TETS).solve.module
    yield "vertex, residual", made(TETS, TOUCH).residual.module
    terms = TOUCH | vertex_solve.ATTACHMENTS
    yield "vertex, teams", made(TETS, terms, team=EIGHT).solve.module
    yield (
        "vertex, teams, embedded",
        made(TETS, terms | vertex_solve.IN_CELLS, team=EIGHT).solve.module,
    )
    for width in (vertex_solve.IN_TETS, vertex_solve.IN_CELLS):
        yield f"rigid bodies, {width}", body_kernel(terms | width).module
    yield "slopes along coarse steps", slopes.slopes_kernel(in_lanes=False).module
    for width in (0, 4, 8):
        yield f"truncation, embedded {width}", truncation.truncation_kernel(width).module
    for width in (4, 8):
        yield f"bounds, embedded {width}", pair_bounds.points_kernel(width).module
    for kind in KINDS:
        kernels_of = coarse_kernels(kind)
        yield f"{kind.name}, matrix", kernels_of.add_between.module
        yield f"{kind.name}, coarse", kernels_of.add_forces.module
        if kind.energy is not None:
            yield f"{kind.name}, energy", energy_kernel(kind).module
        if kind.moved_rest is not None:
            yield f"{kind.name}, damping", rest_kernel(kind).module
        if kind.flowed is not None:
            yield f"{kind.name}, flow", flow_kernel(kind).module
            yield f"{kind.name}, exact rest", exact_rest_kernel(kind).module


MODULES = dict(modules_with_kernels())


def test_every_module_with_kernels_is_found():
    assert {
        "descent.motion",
        "scene.attachments",
        "coarse.contact_terms",
        "contact.detection.search",
        "contact.feasibility.truncation",
        "coarse.matrix",
        "coarse.cholesky_gpu",
        "hinges, matrix",
    } <= set(MODULES)


def test_every_module_has_a_size():
    for name, module in MODULES.items():
        module = module if isinstance(module, wp.Module) else wp.get_module(module.__name__)
        assert source_size(module) > 0, name  # the order of compilation goes by it


def test_all_modules_compile_side_by_side():
    # While LLVM compiles with some options, modules with others wait.
    flags = set()
    for module in MODULES.values():
        module = module if isinstance(module, wp.Module) else wp.get_module(module.__name__)
        flags.add(module.options["cpu_compiler_flags"])
    assert len(flags) == 1


CASES = [*((name, OLDEST) for name in MODULES), *((name, NEWEST) for name in QUICK_ONES)]


@pytest.mark.parametrize(("name", "architecture"), CASES)
def test_kernels_compile_for_cuda(name, architecture, tmp_path):
    wp.compile_aot_module(
        MODULES[name], device=None, arch=architecture, module_dir=str(tmp_path), use_ptx=False
    )
    (cubin,) = tmp_path.glob("*.cubin")
    assert cubin.read_bytes()[:4] == b"\x7fELF"


WAITING = [
    "coarse.cholesky_gpu",
    "coarse.substitution_gpu",
    "coarse.step_length",
    "descent.accuracy",
]


@pytest.mark.parametrize("name", WAITING)
def test_blocks_that_wait_read_what_others_have_just_written(name, tmp_path):
    # The cache for data that no launch changes is not emptied at a wait.
    wp.compile_aot_module(
        MODULES[name], device=None, arch=OLDEST, module_dir=str(tmp_path), use_ptx=True
    )
    (ptx,) = tmp_path.glob("*.ptx")
    text = ptx.read_text()
    assert "ld.volatile" in text and "ld.global.nc" not in text
