# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches may come from anywhere: reading any content gives a whole frame or a sentence."""

import json
import random
import resource
import time
import zlib

import numpy as np
import pytest
from shapes import box, grid

from vbd.solver import cache_files
from vbd.solver.bodies import Cloth, Solid
from vbd.solver.cache import FRAME, HEADER, STATE, Cache
from vbd.solver.descent.checkpoints import Restart
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

TOUCHING = Material(youngs_modulus=1e5, collision_thickness=0.01, self_contact=True)


def bodies():
    points, triangles = grid(4)
    cube, tets = box((2, 2, 2), (0.2, 0.2, 0.2))
    sheet = Cloth(points, triangles, TOUCHING, tear_strain=0.5, name="Sheet")
    cube = cube + [0.4, 0.4, 0.02]
    return [sheet, Solid(cube, tets, TOUCHING, velocities=[0.0, 0.0, -0.4], name="Cube")]


@pytest.fixture(scope="module")
def states():
    """A state with contacts."""
    *_, frame = simulate(bodies(), Settings(gravity=(0.0, 0.0, -1.0)), 2)
    state = frame.state()
    assert len(state["contact_pairs/pairs"]) > 10
    return state


@pytest.fixture
def cache(tmp_path, states):
    cache = Cache.create(
        tmp_path / "cache",
        names=["Sheet", "Cube"],
        vertex_counts=[25, 27],
        settings=Settings(),
        bodies=bodies(),
        fps=24,
        frame_start=1,
        frame_count=5,
        bake="abc",
    )
    noise = np.random.default_rng(3)
    for index in range(3):
        cache.write(index, [noise.random((count, 3), np.float32) for count in (25, 27)])
        cache.write_state(index, states)
    return cache


def opened(folder):
    """Read all contents of a cache; ValueError is the only way to fail."""
    cache = Cache.open(folder)
    frames = cache.finished()
    assert 0 <= cache.sound() <= frames <= 3
    cache.changes(Settings(), bodies())
    for index in range(cache.sound()):
        cache.read(index)
    for point in cache.restart_points():
        cache.restart(point).load()


def damage(data, chance):
    """Bytes with noise, truncated, with insertions, or random."""
    data, how, at = bytearray(data), chance.randrange(5), chance.randrange(len(data))
    if how == 0:
        for _ in range(chance.randrange(1, 20)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    elif how == 1:
        del data[at:]
    elif how == 2:
        data[at:at] = chance.randbytes(chance.randrange(1, 100))
    elif how == 3:
        data[at : at + 4] = (chance.choice([0xFFFFFFFF, 0x7FFFFFFF, 0x80000000])).to_bytes(4, "big")
    else:
        data = bytearray(chance.randbytes(len(data)))
    return bytes(data)


@pytest.mark.parametrize("name", [HEADER, FRAME.format(1), STATE.format(2)])
def test_noise_is_told_from_what_was_written(cache, name, examples):
    path, chance = cache.folder / name, random.Random(5)
    whole, failed = path.read_bytes(), 0
    memory, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    for _ in range(2 * examples // 5):
        path.write_bytes(damage(whole, chance))
        try:
            opened(cache.folder)
        except ValueError as error:
            assert str(error)
            failed += 1
    assert failed or name == FRAME.format(1)  # such a damaged frame is no part of the cache
    # Less than a hundredth of a second and next to no memory each, on any machine.
    assert time.process_time() - begin < 15.0 * max(1.0, examples / 200)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200e3
    path.write_bytes(whole)
    opened(cache.folder)


@pytest.mark.parametrize("name", [HEADER, FRAME.format(1), STATE.format(2)])
def test_a_file_cut_at_any_length_is_told_from_a_whole_one(cache, name):
    path = cache.folder / name
    whole = path.read_bytes()
    # Every length at both ends; in between there is nothing but numbers.
    lengths = {*range(min(len(whole), 300)), *range(max(len(whole) - 40, 0), len(whole))}
    for length in sorted(lengths | set(range(0, len(whole), 997))):
        path.write_bytes(whole[:length])
        if name == FRAME.format(1):
            assert cache.finished() == cache.sound() == 1
        else:
            with pytest.raises(ValueError, match=r"damaged|no readable cache"):
                opened(cache.folder)


@pytest.mark.parametrize(
    "changed",
    [
        {"vertex_counts": [1 << 39, 1 << 39]},
        {"vertex_counts": [-1, 53]},
        {"vertex_counts": [25, 27, 3]},
        {"vertex_counts": [25.0, True]},
        {"names": ["Sheet", 7]},
        {"names": "Sheet"},
        {"fps": float("nan")},
        {"fps": 0},
        {"frame_start": 1e300},
        {"frame_count": "many"},
        {"bodies": {"Sheet": 7}},
        {"bodies": {"Sheet": {"all": "", "values": []}}},
        {"bodies": []},
        {"settings": [1]},
        {"settings": {"substeps": [[["x" * 10000]]]}},
        {"bodies": {"Sheet": {"all": "", "values": {"density": {"a": ["b"]}}}}},
        {"format": 99},
        {"format": None},
        {"__class__": "os.system"},
    ],
)
def test_a_header_of_impossible_values_is_refused_or_of_no_harm(cache, changed):
    path = cache.folder / HEADER
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    try:
        opened(cache.folder)
    except ValueError as error:
        assert "bake again" in str(error)


@pytest.mark.parametrize("text", ["[" * 100000, "{}", "[]", "1e999", "9" * 100000, '"', "\x00"])
def test_a_header_that_is_none_is_refused(cache, text):
    (cache.folder / HEADER).write_text(text)
    with pytest.raises(ValueError, match=r"no readable cache|a damaged cache"):
        Cache.open(cache.folder)


def test_a_header_that_is_too_long_is_not_read(cache):
    with open(cache.folder / HEADER, "wb") as file:
        file.truncate(1 << 40)  # of holes
    with pytest.raises(ValueError, match=r"too long"):
        Cache.open(cache.folder)


def listed(cache, directory):
    """A state file of that list of arrays, with a valid checksum."""
    path, arrays = cache.folder / STATE.format(2), b"\0" * 64
    text = json.dumps(directory).encode()
    check = zlib.crc32(arrays, zlib.crc32(text))
    head = cache_files.HEAD.pack(cache_files.STATE_MAGIC, 2, len(text), len(arrays), check)
    path.write_bytes(head + text + arrays)
    return path


@pytest.mark.parametrize(
    "directory",
    [
        [["model.x", "<f4", [1 << 39, 3]]],
        [["model.x", "<f4", [-16]]],
        [["model.x", "<f4", [-4, -4]]],
        [["model.x", "|O", [8]]],
        [["model.x", "V64", [1]]],
        [["model.x", "<f4", "16"]],
        [["model.x", "<f4", [4, 4]], ["model.x", "<f4", [0]]],
        [[["model.x"], "<f4", [16]]],
        [["model.x", "<f4"]],
        {"model.x": 16},
        [],
        None,
    ],
)
def test_a_list_of_impossible_arrays_is_refused(cache, directory):
    listed(cache, directory)
    with pytest.raises(ValueError, match="damaged"):
        cache.restart(2).load()


def go_on(state):
    return next(simulate(bodies(), Settings(), 3, restart=Restart(2, state)))


def test_the_state_itself_can_be_gone_on_with(states):
    assert go_on(states).index == 3


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model.x", lambda a: a[:-1]),
        ("model.x", lambda a: a.astype(np.float64)),
        ("model.x", lambda a: a * np.nan),
        ("model/order", lambda a: a[::-1].copy()),
        ("contact.inside", lambda a: a + 7),
        ("contact.inside", lambda a: a - 1),
        ("contact_pairs.start", lambda a: a + (1 << 30)),
        ("contact_pairs.start", lambda a: a - 5),
        ("contact_pairs.start", lambda a: a[::-1].copy()),
        ("contact_pairs.end", lambda a: a + (1 << 30)),
        ("contact_pairs.counts", lambda a: a + (1 << 30)),
        ("contact_pairs.counts", lambda a: a - 5),
        ("contact_pairs/pairs", lambda a: a | np.uint8(0x7F)),
        ("contact_pairs/pairs", lambda a: np.full_like(a, 0xFF)),
        ("contact_pairs/pairs", lambda a: a[:, :-4].copy()),
        ("contact_pairs/pairs", lambda a: a[:3]),
        ("contact_pairs/pairs", lambda a: np.zeros((1 << 22, a.shape[1]), np.uint8)),
        ("contact_pairs/touches", lambda a: np.full_like(a, 0xFF)),
        ("contact_pairs/state", lambda a: a[:1]),
        ("contact_pairs/all", lambda a: a[:1]),
        ("tearing/triangles0", lambda a: a + 1000),
        ("tearing/triangles0", lambda a: a - 1),
        ("tearing/triangles0", lambda a: a[::-1].copy()),
        ("contact_self/state", lambda a: a + 9),
        ("contact_self/state", lambda a: a[:2]),
        ("contact_couples/side", lambda a: a[:1]),
    ],
)
def test_a_state_that_leads_out_of_its_arrays_is_refused(states, name, change):
    with pytest.raises(ValueError, match=r"checkpoint|have changed|number"):
        go_on(states | {name: change(states[name])})


def test_a_state_without_parts_is_gone_on_with_or_refused(states):
    for name in (name for name in states if "/" in name):
        rest = {key: array for key, array in states.items() if key != name}
        try:
            assert go_on(rest).index == 3
        except ValueError as error:
            assert str(error)
