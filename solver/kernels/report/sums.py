# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums over vertices in a fixed order, whatever the number of threads: in chunks, then of them."""

import warp as wp

from ..device.chunks import Chunks
from ..device.options import OPTIONS

wp.set_module_options(OPTIONS)

# Number of vertices that one thread sums up.
CHUNK = wp.constant(256)
# Bound of the mean rounding force at the vertices of a body at rest, as a fraction of its largest
# possible value: it is a twelfth to a sixth on bars and sheets
# (benchmarks/experiments/quasistatic.py).
ROUNDING_FRACTION = wp.constant(wp.float64(0.25))


@wp.kernel
def add_forces(
    first: int,
    count: int,
    force: wp.array[wp.vec3],
    rounding: wp.array[float],
    # out
    chunks: wp.array[wp.vec2d],
):
    """Find (Σ |f|, Σ r) [N] of a chunk of the first `count` vertices. One thread per chunk."""
    chunk = first + wp.tid()
    total = wp.vec2d()
    for i in range(chunk * CHUNK, wp.min((chunk + 1) * CHUNK, count)):
        total += wp.vec2d(wp.float64(wp.length(force[i])), wp.float64(rounding[i]))
    chunks[chunk] = total


@wp.kernel
def find_residual(
    chunks: wp.array[wp.vec2d],
    weight: wp.float64,
    # out
    norm: wp.array[wp.float64],
    floor: wp.array[wp.float64],
):
    """Find the residual, and its rounding error `floor`: sums of all chunks over a weight [N]. One
    thread.
    """
    total = wp.vec2d()
    for chunk in range(chunks.shape[0]):
        total += chunks[chunk]
    norm[0] = total[0] / weight
    floor[0] = ROUNDING_FRACTION * total[1] / weight


@wp.struct
class BodySums:
    """Sums over the free vertices and the elements of every body."""

    kinetic: wp.array[wp.float64]  # ½ m v² [J]
    gravitational: wp.array[wp.float64]  # −m g·x [J]
    touching: wp.array[int]  # vertices in contact
    rejected: wp.array[int]  # steps that were not finite
    inverted: wp.array[int]  # elements that are inside out


@wp.kernel
def add_vertices(
    first: int,
    chunks: Chunks,
    mass: wp.array[wp.float64],
    x: wp.array[wp.vec3],
    velocity: wp.array[wp.vec3],
    gravity: wp.array[wp.vec3d],
    touching: wp.array[int],
    rejected: wp.array[int],
    # out
    energies: wp.array[wp.vec2d],
    tallies: wp.array[wp.vec2i],
):
    """Sum up (½ m v², −m g·x) [J] with the gravity at the end of the frame, and the numbers of
    (vertices in contact, rejected steps) of a chunk. One thread per chunk.
    """
    chunk = first + wp.tid()
    energy = wp.vec2d()
    tally = wp.vec2i()
    for q in range(chunks.start[chunk], chunks.start[chunk + 1]):
        i = chunks.vertex[q]
        v = wp.vec3d(velocity[i])
        height = -wp.dot(gravity[1], wp.vec3d(x[i]))
        energy += mass[i] * wp.vec2d(wp.float64(0.5) * wp.dot(v, v), height)
        tally += wp.vec2i(wp.where(touching[i] > 0, 1, 0), rejected[i])
    energies[chunk] = energy
    tallies[chunk] = tally


@wp.kernel
def add_chunks(
    chunks: Chunks,
    energies: wp.array[wp.vec2d],
    tallies: wp.array[wp.vec2i],
    # out
    bodies: BodySums,
):
    """Sum up the chunks of every body. One thread per body."""
    b = wp.tid()
    energy = wp.vec2d()
    tally = wp.vec2i()
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        energy += energies[chunk]
        tally += tallies[chunk]
    bodies.kinetic[b] = energy[0]
    bodies.gravitational[b] = energy[1]
    bodies.touching[b] = tally[0]
    bodies.rejected[b] = tally[1]


@wp.kernel
def add_energies(
    first: int,
    energy: wp.array[wp.float64],
    # out
    chunks: wp.array[wp.float64],
):
    """Sum up the energy [J] of a chunk of elements. One thread per chunk."""
    chunk = first + wp.tid()
    total = wp.float64(0.0)
    for e in range(chunk * CHUNK, wp.min((chunk + 1) * CHUNK, energy.shape[0])):
        total += energy[e]
    chunks[chunk] = total


@wp.kernel
def find_total(
    chunks: wp.array[wp.float64],
    # out
    total: wp.array[wp.float64],
):
    """Sum up all chunks. One thread."""
    added = wp.float64(0.0)
    for chunk in range(chunks.shape[0]):
        added += chunks[chunk]
    total[0] = added


@wp.kernel
def count_marked(
    values: wp.array[int],
    mark: int,
    # in and out
    count: wp.array[int],
):
    """Count the values that are equal to a `mark`. One thread per value."""
    if values[wp.tid()] == mark:
        wp.atomic_add(count, 0, 1)


@wp.kernel
def add_squares(
    chunks: Chunks,
    moves: wp.array[wp.vec3d],
    # out
    squares: wp.array2d[wp.float64],
):
    """Sum up three sums of squares over the chunks of every body. One thread per body."""
    b = wp.tid()
    total = wp.vec3d()
    for chunk in range(chunks.first[b], chunks.first[b + 1]):
        total += moves[chunk]
    for k in range(3):
        squares[k, b] = total[k]
