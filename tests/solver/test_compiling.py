# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiling ahead: modules that a scene needs, the time of compilation, and its end."""

import threading
import time
from threading import Event

import numpy as np
import pytest
import warp as wp
from rigid_shapes import tower
from shapes import box, bumpy_ball, caged, chain, grid, plane

from vbd.solver import preparing
from vbd.solver import simulate as simulate_module
from vbd.solver.bodies import Cloth, Collider, Pins, Rod, Solid
from vbd.solver.device import compiling
from vbd.solver.kernels.device import options
from vbd.solver.scene.attachments import Attachment
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

FLOOR = Collider(*plane(height=-0.01))
ROD = Rod(*chain(20, 0.1), Material(spring_stiffness=1e9))


def block(**material):
    return Solid(*box((3, 3, 3)), Material(**material))


def sheet(**material):
    return Cloth(*grid(10), Material(**material), pins=Pins([0]))


@pytest.fixture
def launched(monkeypatch):
    """Names of all modules that kernels were loaded from, and of those reported as needed."""
    used, needed = set(), set()
    load, compile_all = type(wp.get_module(__name__)).load, simulate_module.compile_missing

    def spy(module, *arguments, **more):
        used.add(module.name)
        return load(module, *arguments, **more)

    def listen(modules, *arguments):
        needed.update(module.name for module in modules)
        return compile_all(modules, *arguments)

    monkeypatch.setattr(type(wp.get_module(__name__)), "load", spy)
    monkeypatch.setattr(simulate_module, "compile_missing", listen)
    return used, needed


def run(bodies, settings, frames=2):
    for _ in simulate(bodies, settings, frames):
        pass


@pytest.mark.parametrize("number", range(len(list(preparing.common_mixes()))))
def test_of_common_mixes_just_what_is_launched_is_compiled_ahead(launched, number):
    used, needed = launched
    bodies, settings = list(preparing.common_mixes())[number]
    run(bodies, settings)
    assert used == needed


@pytest.mark.parametrize(
    ("bodies", "settings"),
    [
        ([block()], {"quasistatic": True}),
        ([block()], {"coarse_correction": False, "line_search": True}),
        ([block(damping=0.01)], {"acceleration": 0.9, "iterations": 1}),
        ([block(solid_model="corotated"), sheet(membrane="neo_hookean")], {"use_ground": True}),
        ([sheet(bending_stiffness=1e-3), FLOOR], {"iterations": 1}),
        ([Cloth(*grid(10), tear_strain=0.01, pins=Pins([0]))], {"use_ground": True}),
        ([ROD, Attachment(ROD, [0], 1e9, points=ROD.points[:1], strength=1.0)], {}),
        ([caged(*bumpy_ball(0.5))], {"use_ground": True}),
    ],
)
def test_nothing_is_launched_that_was_not_compiled_ahead(launched, bodies, settings):
    used, needed = launched
    run(bodies, Settings(substeps=2, **settings))
    assert used <= needed


@pytest.mark.parametrize("how", [{}, {"use_ground": True}])
def test_a_stack_of_rigid_bodies_needs_nothing_beyond_the_common_mixes(monkeypatch, how):
    needed = []
    monkeypatch.setattr(
        simulate_module, "compile_missing", lambda modules, *_: needed.append(modules)
    )
    for bodies, settings in [*preparing.common_mixes(), ([*tower(3), FLOOR], Settings(**how))]:
        simulate_module.Simulation(bodies, settings).compile()
    *mixes, own = ({module.name for module in modules} for modules in needed)
    assert "vbd.solver.kernels.rigid.steps" in own and own <= set().union(*mixes)


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Two modules that the cache, which is empty, lacks."""
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))

    def adder(constant):
        @wp.kernel(module="unique", module_options={"enable_backward": False})
        def add(values: wp.array[float]):
            values[wp.tid()] += wp.static(constant)

        return add.module

    return [adder(1.5), adder(2.5)]


def test_what_the_cache_lacks_is_compiled_once(modules):
    heard = []
    cpu = wp.get_device("cpu")
    assert not any(compiling.is_compiled(module, cpu) for module in modules)
    assert compiling.compile_missing(
        modules, cpu, threads=2, progress=lambda *counts: heard.append(counts)
    )
    assert heard == [(0, 2), (1, 2), (2, 2)]
    assert all(compiling.is_compiled(module, cpu) for module in modules)
    assert compiling.compile_missing(modules, cpu, progress=lambda *counts: heard.append(counts))
    assert len(heard) == 3


def test_kernels_are_compiled_once(modules, tmp_path):
    # Warp's own form has every kernel twice, for arrays with gaps and without.
    sizes = []
    for preamble in (options.STRAIGHT, options.STRAIGHT + options.ONCE):
        build = wp.ModuleBuildOptions(extra_cpu_preamble=preamble)

        @wp.kernel(module="unique", module_options=options.OPTIONS | {"extra_build_options": build})
        def multiply(values: wp.array[float], factors: wp.array[float]):
            i = wp.tid()
            for factor in range(factors.shape[0]):
                values[i] *= wp.sin(factors[factor])

        values = wp.ones(3, dtype=float, device="cpu")
        factors = wp.full(2, 0.5 * np.pi, dtype=float, device="cpu")
        # Coordinates that a kernel leaves out belong to the same thread number.
        wp.launch(multiply, dim=(3, 2), inputs=[values, factors], device="cpu")
        np.testing.assert_allclose(values.numpy(), 1.0)
        folder = tmp_path / multiply.module.get_module_identifier(1)
        (code,) = folder.glob("*.o")
        sizes.append(code.stat().st_size)
    # Less than 0.8, as symbols and constants are not doubled.
    assert sizes[1] < 0.8 * sizes[0]


def test_an_error_of_the_compiler_is_raised(modules, monkeypatch):
    def fail(*_arguments, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(wp, "force_load", fail)
    with pytest.raises(OSError, match="No space left"):
        compiling.compile_missing(modules, wp.get_device("cpu"), threads=2)


def test_cancelling_waits_for_no_compiler_and_begins_no_other_module(modules, monkeypatch):
    begun, go_on = [], Event()

    def compile_slowly(_device, some, **_more):
        begun.extend(some)
        go_on.wait(20.0)

    monkeypatch.setattr(wp, "force_load", compile_slowly)
    started = time.monotonic()
    assert not compiling.compile_missing(
        modules, wp.get_device("cpu"), cancelled=lambda: len(begun) > 0
    )
    assert time.monotonic() - started < 1.0
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == "vbd-compile":
            thread.join()
    assert len(begun) == 1


def test_a_run_that_is_cancelled_while_it_compiles_has_no_frames(monkeypatch):
    monkeypatch.setattr(simulate_module, "compile_missing", lambda *_: False)
    assert list(simulate([block()], Settings(), 2)) == []
