# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels compile for NVIDIA GPUs, which needs no GPU."""

import importlib
import pkgutil

import pytest
import warp as wp

from vbd.solver import kernels
from vbd.solver.kernels import vertex
from vbd.solver.kernels.contact import truncation

# Turing, the oldest generation that Warp still serves well.
ARCHITECTURE = 75
# All bits of kernels/vertex.py, in two kernels: in one they would compile for minutes.
TOUCH = vertex.CONTACTS | vertex.ANALYTIC
SOLIDS = vertex.TETS | vertex.CONTINUA | vertex.VISCOUS
OTHERS = 2 * vertex.ANALYTIC - 1 - TOUCH - SOLIDS


def modules_with_kernels():
    """Modules of the package that have kernels, and one for each kernel made to measure."""
    prefix = kernels.__name__ + "."
    for found in pkgutil.walk_packages(kernels.__path__, prefix):
        module = importlib.import_module(found.name)
        if wp.get_module(module.__name__).kernels:
            yield found.name.removeprefix(prefix), module
    yield "vertex, solids", vertex.vertex_kernels(SOLIDS | TOUCH).solve.module
    yield "vertex, others", vertex.vertex_kernels(OTHERS).solve.module
    # The search has all forces twice.
    yield "vertex, search", vertex.vertex_kernels(vertex.TETS | TOUCH).search.module
    embedded = vertex.TETS | TOUCH | vertex.EMBEDDED
    yield "vertex, embedded", vertex.vertex_kernels(embedded).solve.module
    yield "vertex, residual", vertex.vertex_kernels(vertex.TETS | TOUCH).residual.module
    for embedded in (False, True):
        made = truncation.truncation_kernels(embedded)
        yield f"truncation, embedded {embedded}", made.truncate.module
        yield f"alert, embedded {embedded}", made.alert_partners.module


MODULES = dict(modules_with_kernels())


def test_every_module_with_kernels_is_found():
    assert {
        "motion",
        "attachments",
        "coarse_contact",
        "contact.search",
        "contact.truncation",
        "coarse.matrix",
        "coarse.factorisation",
        "elements.energy",
    } <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_kernels_compile_for_cuda(name, tmp_path):
    wp.compile_aot_module(
        MODULES[name], device=None, arch=ARCHITECTURE, module_dir=str(tmp_path), use_ptx=False
    )
    (cubin,) = tmp_path.glob("*.cubin")
    assert cubin.read_bytes()[:4] == b"\x7fELF"
