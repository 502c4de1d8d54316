# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse correction without the host: captured it gives the bits of plain launches, and islands
and groups are those that NumPy finds.
"""

import numpy as np
import pytest
from coarse_scenes import ON_GROUND, SCENES, put, shaken, stepper_of
from shapes import box

from vbd.solver.bodies import Solid
from vbd.solver.coarse import groups as coarse_groups
from vbd.solver.kernels.coarse.groups import WORD
from vbd.solver.settings import Material
from vbd.solver.topology.graphs import connected_components


@pytest.mark.parametrize("name", SCENES)
def test_a_captured_step_gives_the_bits_of_a_plain_one(name):
    """Both begin somewhere else than where the graph was captured."""
    stepper, _frames = stepper_of(SCENES[name](), use_ground=name in ON_GROUND)
    model, coarse = stepper.model, stepper.coarse

    def correct():
        coarse.assemble()
        coarse.step()

    def prepare(seed):
        put(stepper, shaken(stepper, 1e-4, seed))
        model.x_start.assign(model.x)
        if model.contact:
            model.contact.search()
            model.contact.refresh()

    prepare(1)
    correct()
    graph = model.launches.graph(correct)
    prepare(2)
    correct()
    wanted = model.x.numpy(), coarse.direction.numpy(), coarse.linkages.step_length.numpy()
    prepare(2)
    graph.replay()
    found = model.x.numpy(), coarse.direction.numpy(), coarse.linkages.step_length.numpy()
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert wanted[2].max() > 0.0


def boxes(count):
    points, tets = box((1, 1, 1), (0.1, 0.1, 0.1))
    material = Material(youngs_modulus=1e5)
    return [Solid(points + [0.3 * k, 0.0, 0.0], tets, material) for k in range(count)]


def joined_while_small(pairs, sizes, most):
    """Group [linkage], as its first linkage: joined pair by pair, of at most `most` rows."""
    group, total = np.arange(len(sizes)), sizes.copy()
    for a, b in pairs:
        one, other = sorted((group[a], group[b]))
        if one != other and total[one] + total[other] <= most:
            group[group == other] = one
            total[one] += total[other]
    return group


@pytest.mark.parametrize("most", [12, 50, 960])
@pytest.mark.parametrize("density", [0.0, 0.01, 0.03, 0.3])
def test_islands_and_groups_are_those_of_numpy(monkeypatch, most, density):
    monkeypatch.setattr(coarse_groups, "MOST_ROWS", most)
    count = 70
    stepper, _frames = stepper_of(boxes(count))
    groups = stepper.coarse.groups
    assert groups.linkage_count == count
    random = np.random.default_rng(7)
    near = np.triu(random.random((count, count)) < density, 1)
    words = -(-count // int(WORD))
    bits = np.zeros((count, words * int(WORD)), dtype=bool)
    bits[:, :count] = near
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.int32)
    groups.near.assign(packed.ravel())
    groups.island_search()
    groups.regroup()
    pairs = np.argwhere(near)
    island = groups.linkages.island.numpy()
    component = connected_components(pairs, count)
    first = np.array([np.flatnonzero(component == c)[0] for c in component])
    np.testing.assert_array_equal(island, first)
    following = groups.linkages.next.numpy()
    for k in np.unique(island):
        chain = [k]
        while following[chain[-1]] >= 0:
            chain.append(following[chain[-1]])
        assert chain == np.flatnonzero(island == k).tolist()
    group = joined_while_small(pairs, groups.rows, most)
    patches, skyline = groups.patches, groups.systems.skyline
    begin, row = patches.first.numpy() - patches.row.numpy(), patches.row.numpy()
    leaders = np.unique(group)
    assert skyline.count.numpy()[0] == len(leaders)
    end = 0
    for k in leaders:
        mine = group == k
        assert (begin[mine] == end).all()
        size = groups.rows[mine]
        np.testing.assert_array_equal(row[mine], np.cumsum(size) - size)
        end += -(-size.sum() // 16) * 16
    assert 16 * (skyline.begin.numpy() + skyline.width.numpy()).max() <= len(groups.systems.matrix)
