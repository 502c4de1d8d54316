# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels compile for NVIDIA GPUs, which needs no GPU."""

import importlib
import pkgutil

import pytest
import warp as wp

from vbd.solver import kernels

# Turing, the oldest generation that Warp still serves well.
ARCHITECTURE = 75


def modules_with_kernels():
    for found in pkgutil.iter_modules(kernels.__path__):
        module = importlib.import_module(f"{kernels.__name__}.{found.name}")
        if wp.get_module(module.__name__).kernels:
            yield module


def test_every_module_with_kernels_is_found():
    names = {module.__name__.rpartition(".")[2] for module in modules_with_kernels()}
    assert {"vertex", "motion", "detection", "damping", "energy"} <= names


@pytest.mark.parametrize("module", list(modules_with_kernels()), ids=lambda m: m.__name__)
def test_kernels_compile_for_cuda(module, tmp_path):
    wp.compile_aot_module(
        module, device=None, arch=ARCHITECTURE, module_dir=str(tmp_path), use_ptx=False
    )
    (cubin,) = tmp_path.glob("*.cubin")
    assert cubin.read_bytes()[:4] == b"\x7fELF"
