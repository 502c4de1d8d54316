# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of rigid bodies along their arcs leave a tenth of the gap."""

import numpy as np
import warp as wp

from vbd.solver.kernels.contact.feasibility.advancement import Arc, fraction_of_arc
from vbd.solver.kernels.contact.pairs import Pair
from vbd.solver.kernels.device.options import OPTIONS
from vbd.solver.kernels.lattice.embedding import Embedding

wp.set_module_options(OPTIONS)

GAP, RADIUS = 3e-4, 2e-3


@wp.kernel
def find_fraction(
    pair: Pair,
    arc: Arc,
    x: wp.array[wp.vec3],
    embedding: Embedding,
    # out
    fraction: wp.array[float],
):
    fraction[0] = fraction_of_arc(pair, arc, x, embedding)


def fraction(edge, shift, angle):
    """The fraction of its step that an edge [2, 3] of a body at x = 0 may take beside one that
    stands still along y; numbers 4 and 5 are points of the body.
    """
    x = np.zeros((8, 3), np.float32)
    x[:4] = np.mean(edge, axis=0)
    x[4:6], x[6:8] = edge, [(0.0, -0.2, -GAP), (0.0, 0.2, -GAP)]
    pair, arc, embedding = Pair(), Arc(), Embedding()
    pair.vertices, pair.kind, pair.radius = wp.vec4i(4, 5, 6, 7), 2, RADIUS
    pair.plane_normal = wp.vec3(0.0, 0.0, 1.0)
    arc.first, arc.center = 0, wp.vec3(*map(float, x[:4].mean(axis=0)))
    arc.shift, arc.angle = wp.vec3(*shift), wp.vec3(*angle)
    embedding.first, embedding.width = 4, 4
    corners = np.repeat([[0], [0], [9], [9]], 4, axis=1).ravel().astype(np.int32)
    embedding.corners = wp.array(corners, dtype=int, device="cpu")
    found = wp.zeros(1, dtype=float, device="cpu")
    wp.launch(
        find_fraction,
        1,
        [pair, arc, wp.array(x, dtype=wp.vec3, device="cpu"), embedding],
        [found],
        device="cpu",
    )
    return found.numpy()[0]


def test_an_edge_that_falls_stops_at_a_tenth_of_the_gap():
    edge = [(-0.2, 0.0, 0.0), (0.2, 0.0, 0.0)]
    taken = fraction(edge, (0.0, 0.0, -0.01), (0.0, 0.0, 0.0)) * 0.01
    assert 0.8 * GAP < taken <= 0.9 * GAP + 1e-6
