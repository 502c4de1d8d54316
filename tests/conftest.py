# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of the tests as on other machines: rounding otherwise, or with another number of threads."""

import pytest
import warp as wp


def pytest_addoption(parser):
    group = parser.getgroup("vbd")
    group.addoption(
        "--no-contraction",
        action="store_true",
        help="round each product before it is added, as processors differ in what they fuse",
    )
    group.addoption("--threads", type=int, help="threads of a simulation that does not say how many")


def pytest_configure(config):
    # Before the kernels are imported: a module keeps the options that it was made with.
    if config.getoption("no_contraction"):
        make = wp.Module.__init__

        def make_without_contraction(module, *args, **options):
            make(module, *args, **options)
            module.options["fuse_fp"] = False

        wp.Module.__init__ = make_without_contraction
    threads = config.getoption("threads")
    if threads:
        from vbd.solver import simulate

        simulate.core_count = lambda: threads


@pytest.fixture(scope="session")
def contraction(pytestconfig):
    """Whether a product and a sum may be rounded together."""
    return not pytestconfig.getoption("no_contraction")
