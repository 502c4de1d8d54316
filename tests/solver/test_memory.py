# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of lists that may get long, and of whole scenes."""

import gc
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp
from shapes import box, cell_box, grid

from vbd.solver.bodies import Cells, Cloth, Rod, Solid
from vbd.solver.device.memory import zeros_with_reserve
from vbd.solver.kernels.contact.pairs import Pair, Touch
from vbd.solver.model import memory_need
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import Simulation

DEVICES = ["cpu", *(["cuda"] if wp.is_cuda_available() else [])]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [int, float, wp.vec3, Pair, Touch])
def test_lists_begin_with_zeros_as_any_other_array(dtype, device):
    array, plain = (
        zeros_with_reserve(1000, dtype, device),
        wp.zeros(1000, dtype=dtype, device=device),
    )
    assert (array.dtype, array.shape, array.strides) == (plain.dtype, plain.shape, plain.strides)
    assert array.is_contiguous and array.device == plain.device
    assert array.numpy().tobytes() == plain.numpy().tobytes()
    part = array[:10]
    del array
    gc.collect()
    np.zeros(1 << 16)  # might take memory that is free
    assert part.numpy().tobytes() == plain[:10].numpy().tobytes()


@pytest.mark.skipif(sys.platform != "linux", reason="reads what a process takes from /proc")
def test_room_that_is_not_used_takes_no_memory():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * 4096

    before = resident()
    room = zeros_with_reserve(1 << 26, wp.vec3, "cpu")
    assert room.size == 1 << 26
    assert resident() - before < 100e6  # of 805 MB


def sizes_of_arrays():
    """Bytes of all Warp arrays by their place in memory."""
    gc.collect()
    arrays = [one for one in gc.get_objects() if type(one) is wp.array and one.ptr]
    return {array.ptr: array.capacity for array in arrays}


def bodies(kind):
    if kind == "cloth":
        return [Cloth(*grid(60), Material(density=0.2, self_contact=True))]
    if kind == "tets":
        return [Solid(*box((12, 12, 12)), Material(youngs_modulus=1e5))]
    if kind == "cells":
        return [Cells(*cell_box((12, 12, 12), (1.0, 1.0, 1.0)), Material(youngs_modulus=1e5))]
    line = np.linspace(0.0, 1.0, 4000)[:, None] * [1.0, 0.0, 0.0]
    k = np.arange(len(line) - 1)
    return [Rod(line, np.stack([k, k + 1], axis=1))]


@pytest.mark.parametrize("kind", ["cloth", "tets", "cells", "rod"])
def test_the_memory_that_a_scene_needs_is_estimated(kind):
    scene = bodies(kind)
    before = sizes_of_arrays()
    simulation = Simulation(scene, Settings(substeps=1, iterations=1))
    next(simulation.frames(1))
    taken = sum(size for ptr, size in sizes_of_arrays().items() if ptr not in before)
    _host, device = memory_need.needed_bytes(scene, [])
    # Lists that do not grow with a scene of this size are not in the estimate.
    assert 0.5 * taken - 6e6 < device < 1.5 * taken


def test_the_free_memory_is_that_of_this_machine():
    assert 1e6 < memory_need.free_bytes() < 1e15


def test_a_scene_that_does_not_fit_is_refused_with_numbers(monkeypatch):
    scene = bodies("tets")
    need, _device = memory_need.needed_bytes(scene, [])
    monkeypatch.setattr(memory_need, "free_bytes", lambda: need + 1)
    Simulation(scene, Settings())
    monkeypatch.setattr(memory_need, "free_bytes", lambda: need // 4)
    with pytest.raises(ValueError, match=r"0\.0 GB are free: .* at most 2[45] %"):
        Simulation(scene, Settings())


# Arguments: bytes that the process may still take, and whether they are known in advance.
UNDER_A_LIMIT = """
import resource, sys
from vbd.solver.model import memory_need
from vbd.solver.simulate import simulate
from vbd.solver.settings import Material, Settings
sys.path.insert(0, sys.argv[3])
from shapes import box
from vbd.solver.bodies import Solid

room, known = int(sys.argv[1]), sys.argv[2] == "known"
next(simulate([Solid(*box((1, 1, 1)))], Settings(threads=1), 1))
with open("/proc/self/statm") as numbers:
    taken = int(numbers.read().split()[0]) * resource.getpagesize()
if not known:
    memory_need.free_bytes = lambda: 1 << 50
body = Solid(*box((24, 24, 24)), Material(self_contact=True))
resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
try:
    next(simulate([body], Settings(threads=1), 1))
except (ValueError, OSError) as error:
    print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space of a process")
@pytest.mark.parametrize(
    ("room", "known", "words"),
    [
        (20_000_000, "known", "ValueError The scene needs about"),
        (5_000_000, "unknown", "OSError The memory is full"),
        (60_000_000, "unknown", "OSError The memory is full"),
    ],
)
def test_a_limit_of_memory_is_a_sentence(room, known, words):
    more = [str(room), known, str(Path(__file__).parents[1])]
    command = [sys.executable, "-c", UNDER_A_LIMIT, *more]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert words in ended.stdout


def test_a_scene_that_does_not_fit_on_the_gpu_is_sent_to_the_cpu(monkeypatch):
    scene = bodies("tets")
    _host, need = memory_need.needed_bytes(scene, [])
    gpu = SimpleNamespace(is_cuda=True, free_memory=need // 2)
    monkeypatch.setattr(memory_need.wp, "get_device", lambda name: gpu)
    with pytest.raises(ValueError, match=r"set Device to CPU, or use at most (49|50) %"):
        memory_need.refuse_too_large(scene, [], "cuda")
    gpu.free_memory = need
    memory_need.refuse_too_large(scene, [], "cuda")
