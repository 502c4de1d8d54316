# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of the tests with another rounding, number of threads or device."""

import os

# Tests run side by side, and threads of OpenBLAS spin while they wait for a core: several times the
# time of the small matrices here. Read when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
import warp as wp


def pytest_addoption(parser):
    group = parser.getgroup("vbd")
    group.addoption(
        "--contraction",
        action="store_true",
        help="round products and sums together on the CPU too, as on GPUs",
    )
    group.addoption(
        "--checked",
        action="store_true",
        help="end with an illegal instruction where a kernel asks for what an array does not have",
    )
    group.addoption("--kills", type=int, default=3, help="how often a bake is killed")
    group.addoption("--live-frames", type=int, default=0, help="how many frames Live loops for")
    group.addoption("--examples", type=int, default=200, help="how many inputs are generated")
    group.addoption("--device", help="what a simulation that is not told runs on: cuda")
    group.addoption("--threads", type=int, help="CPU threads of a simulation that is not told")


# Replaces `kernels.options.STRAIGHT`, which checks no index.
CHECKED = """
namespace wp {
template <typename T> inline T* address(const array_t<T>& array, int i)
{
    if (i < 0 || i >= array.shape[0]) {
        printf("number %d of an array of %d\\n", i, array.shape[0]);
        __builtin_trap();
    }
    return array.data + i;
}
template <typename T> inline void array_store(const array_t<T>& array, int i, T value)
{
    *address(array, i) = value;
}
}
"""


@pytest.fixture
def kills(request):
    """Number of times that the test of this kills a bake."""
    return request.config.getoption("kills")


@pytest.fixture
def examples(request):
    """Number of generated inputs."""
    return request.config.getoption("examples")


def let_options_be(**others):
    """Compile all kernels with other options, each of them a function of its old value."""
    resolve = wp.Module.resolve_options

    def resolve_others(*args, **kwargs):
        options = resolve(*args, **kwargs)
        return options | {name: other(options[name]) for name, other in others.items()}

    wp.Module.resolve_options = resolve_others


def pytest_configure(config):
    if config.getoption("contraction"):
        # Warp disables it on the CPU, whatever the module option `fuse_fp` is.
        let_options_be(cpu_compiler_flags=lambda flags: flags + " -ffp-contract=fast")
    if config.getoption("checked"):
        let_options_be(extra_cpu_preamble=lambda preamble: CHECKED if preamble else "")
    threads, device = config.getoption("threads"), config.getoption("device")
    if threads or device:
        from vbd.solver import simulate

        if threads:
            simulate.core_count = lambda: threads
        if device:
            # It is the first default, and the function is common to all importers.
            for function in (simulate.simulate, simulate.Simulation.__init__):
                _cpu, *others = function.__defaults__
                function.__defaults__ = (device, *others)
