# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of rigid bodies along their arcs leave a tenth of the gap."""

import numpy as np
import warp as wp

from vbd.solver.kernels.contact.feasibility.advancement import Arc, fraction_of_arcs
from vbd.solver.kernels.contact.pairs import Pair
from vbd.solver.kernels.device.options import OPTIONS
from vbd.solver.kernels.lattice.embedding import Embedding

wp.set_module_options(OPTIONS)

GAP, RADIUS = 3e-4, 2e-3


@wp.kernel
def find_fraction(
    pair: Pair,
    frame: Arc,
    arc: Arc,
    x: wp.array[wp.vec3],
    embedding: Embedding,
    # out
    fraction: wp.array[float],
):
    fraction[0] = fraction_of_arcs(pair, frame, arc, x, embedding)


def fraction(edge, shift, angle, frame=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))):
    """The fraction of its step that an edge [2, 3] of a body at x = 0 may take beside one along y
    with the shift and angle `frame`; numbers 4 and 5 are points of the body.
    """
    x = np.zeros((8, 3), np.float32)
    x[:4] = np.mean(edge, axis=0)
    x[4:6], x[6:8] = edge, [(0.0, -0.2, -GAP), (0.0, 0.2, -GAP)]
    pair, arc, embedding = Pair(), Arc(), Embedding()
    pair.vertices, pair.kind, pair.radius = wp.vec4i(4, 5, 6, 7), 2, RADIUS
    pair.plane_normal = wp.vec3(0.0, 0.0, 1.0)
    arc.first, arc.center = 0, wp.vec3(*map(float, x[:4].mean(axis=0)))
    arc.shift, arc.angle = wp.vec3(*shift), wp.vec3(*angle)
    other = Arc()
    other.first, other.center = -1, wp.vec3(*map(float, x[6:8].mean(axis=0)))
    other.shift, other.angle = wp.vec3(*frame[0]), wp.vec3(*frame[1])
    embedding.first, embedding.width = 4, 4
    corners = np.repeat([[0], [0], [9], [9]], 4, axis=1).ravel().astype(np.int32)
    embedding.corners = wp.array(corners, dtype=int, device="cpu")
    found = wp.zeros(1, dtype=float, device="cpu")
    wp.launch(
        find_fraction,
        1,
        [pair, other, arc, wp.array(x, dtype=wp.vec3, device="cpu"), embedding],
        [found],
        device="cpu",
    )
    return found.numpy()[0]


def test_an_edge_that_falls_stops_at_a_tenth_of_the_gap():
    edge = [(-0.2, 0.0, 0.0), (0.2, 0.0, 0.0)]
    taken = fraction(edge, (0.0, 0.0, -0.01), (0.0, 0.0, 0.0)) * 0.01
    assert 0.8 * GAP < taken <= 0.9 * GAP + 1e-6


EDGE = [(-0.2, 0.0, 0.0), (0.2, 0.0, 0.0)]


def test_only_the_motion_relative_to_the_other_body_counts():
    """Both fall by thirty times their gap; then one falls faster by ten gaps."""
    falls = (0.0, 0.0, -30.0 * GAP), (0.0, 0.0, 0.0)
    assert fraction(EDGE, *falls, frame=falls) == 1.0
    faster = (0.0, 0.0, -40.0 * GAP), (0.0, 0.0, 0.0)
    taken = fraction(EDGE, *faster, frame=falls) * 10.0 * GAP
    assert 0.8 * GAP < taken <= 0.9 * GAP + 1e-6
    assert fraction(EDGE, *falls, frame=faster) == 1.0  # the lower one falls away


def test_bodies_that_turn_together_go_by_more_than_their_gap():
    """About a center 0.5 m aside, by 0.02 rad: both sink by 33 gaps."""
    move = (0.0, 0.0, -0.01), (0.0, 0.02, 0.0)
    assert fraction(EDGE, *move) < 0.1
    assert fraction(EDGE, *move, frame=move) == 1.0


def test_the_way_of_two_arcs_is_free_up_to_the_fraction():
    """Positions in between, in float64, leave a gap; a little later the edges would meet."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        moves = 0.02 * rng.normal(size=(2, 3)), 0.1 * rng.normal(size=(2, 3))
        (shift, other_shift), (angle, other_angle) = moves
        found = fraction(EDGE, shift, angle, frame=(other_shift, other_angle))
        ends = np.array([(0.0, -0.2, -GAP), (0.0, 0.2, -GAP)])
        for t in np.linspace(0.0, found, 30):
            a = np.array(EDGE) @ turned(t * angle).T + t * shift
            middle = ends.mean(axis=0)
            b = (ends - middle) @ turned(t * other_angle).T + middle + t * other_shift
            normal = np.cross(a[1] - a[0], b[1] - b[0])
            assert (a[0] - b[0]) @ normal / np.linalg.norm(normal) * np.sign(normal[2]) > 0.0


def turned(angle):
    """The rotation by a vector [rad]."""
    size = np.linalg.norm(angle)
    x, y, z = angle / max(size, 1e-30)
    once = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(size) * once + (1.0 - np.cos(size)) * once @ once
