# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact pairs of a vertex eight at a time in the lanes of the processor (pair_forces.py)."""

import warp as wp

from ..device.lane_functions import gather_of
from ..device.lanes import WIDTH, code, floats, ints, vec3s
from ..lattice.embedding import Embedding
from .pairs import Touch

vec4s = wp.types.matrix(shape=(4, WIDTH), dtype=float)
vec4is = wp.types.matrix(shape=(4, WIDTH), dtype=int)
touches_of = gather_of(Touch)


@wp.func_native(
    code("""wp::vec_t<WIDTH, int> r;
for (int l = 0; l < WIDTH; ++l) r[l] = entry.data[first + (l < count ? l : count - 1)] >> 2;
return r;""")
)
def pairs_of(entry: wp.array[int], first: int, count: int) -> ints:
    """Return the pairs of up to eight entries from `first` on; spare lanes repeat the last one."""
    ...


@wp.func_native(
    code("""floats r;
for (int l = 0; l < WIDTH; ++l)
    r[l] = l < count ? weights.data[entry.data[first + l] & 3][l] : 0.0f;
return r;""")
)
def own_weights(weights: vec4s, entry: wp.array[int], first: int, count: int) -> floats:
    """Return the weights of the corners of entries; 0 in spare lanes."""
    ...


@wp.func_native(
    code("""floats r;
for (int l = 0; l < WIDTH; ++l) {
    r[l] = 0.0f;
    for (int c = 0; c < 4; ++c) {
        const int i = vertices.data[c][l];
        r[l] += i >= color[0] && i < color[1] ? __builtin_fabsf(weights.data[c][l]) : 0.0f;
    }
}
return r;""")
)
def weights_of_corners(
    weights: vec4s, vertices: vec4is, color: wp.vec2i, embedding: Embedding
) -> floats:
    """Return Σ |∂d/∂x_j| over the vertices j from color[0] to color[1]."""
    ...


@wp.func_native(
    code("""vec3s r;
for (int k = 0; k < 3; ++k)
for (int l = 0; l < WIDTH; ++l) {
    const double base = x.data[vertices.data[0][l]][k];
    double sum = 0.0;
    for (int c = 1; c < 4; ++c) {
        const double corner = x.data[vertices.data[c][l]][k], weight = weights.data[c][l];
        sum += weight * (corner - base);
    }
    r.data[k][l] = sum;
}
return r;""")
)
def gaps(weights: vec4s, vertices: vec4is, x: wp.array[wp.vec3]) -> vec3s:
    """Return the vectors from B to A [m], as sums in float64 (`exact_gap`)."""
    ...


@wp.func_native(code("floats r; for (int l = 0; l < WIDTH; ++l) r[l] = l < count; return r;"))
def used_lanes(count: int) -> floats:
    """Return 1 in the first `count` lanes, 0 in the others."""
    ...
