# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: F811 (functions of several types)
"""Functions of numbers in lanes besides arithmetic (lanes.py): selections, roots, angles, sums,
loads and stores.
"""

from functools import cache
from typing import Any

import warp as wp

from .lanes import code, floats, ints, rows, vec3s, vec6, vec6s, vec7, vec7s, vec20, vec20s, wide
from .options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.func_native(code("decltype(b) r; V(r) = V(t) > 0.0f ? V(a) : V(b); return r;"))
def either(t: floats, a: floats, b: floats) -> floats:
    """Return a where t > 0, else b."""
    ...


@wp.func_native(code("floats r; v x = V(t) * 0.0f + b; V(r) = V(t) > 0.0f ? V(a) : x; return r;"))
def either(t: floats, a: floats, b: float) -> floats: ...


@wp.func_native(code("floats r; v x = V(t) * 0.0f + a; V(r) = V(t) > 0.0f ? x : V(b); return r;"))
def either(t: floats, a: float, b: floats) -> floats: ...


@wp.func_native(rows(3, "V(t) > 0.0f ? R(a, i) : R(b, i)"))
def either(t: floats, a: vec3s, b: vec3s) -> vec3s: ...


@wp.func_native(code("floats r; v x = V(t) * 0.0f; V(r) = V(t) > 0.0f ? x + a : x + b; return r;"))
def either(t: floats, a: float, b: float) -> floats: ...


@wp.func
def either(t: float, a: float, b: float):
    return wp.where(t > 0.0, a, b)


@wp.func
def either(t: float, a: wp.vec3, b: wp.vec3):
    return wp.where(t > 0.0, a, b)


@wp.func_native(code("decltype(b) r; V(r) = V(a) < V(b) ? V(a) : V(b); return r;"))
def smallest(a: floats, b: floats) -> floats: ...


@wp.func
def smallest(a: float, b: float):
    return wp.min(a, b)


@wp.func_native(
    code("""typedef float four __attribute__((vector_size(16)));
v row = V(a);
four p = __builtin_shufflevector(row, row, 0, 1, 2, 3);
four q = __builtin_shufflevector(row, row, 4, 5, 6, 7);
p = p < q ? p : q;
q = __builtin_shufflevector(p, p, 2, 3, 0, 1);
p = p < q ? p : q;
return p[0] < p[1] ? p[0] : p[1];""")
)
def least(a: floats) -> float:
    """Return the smallest of eight numbers."""
    ...


@wp.func
def least(a: float):
    return a


@wp.func_native(code("floats r; V(r) = __builtin_elementwise_sqrt(V(a)); return r;"))
def root(a: floats) -> floats: ...


@wp.func
def root(a: float):
    return wp.sqrt(a)


# For t = tan θ between 0 and 1: θ = t + t³ P(t²), with a relative error below 2e-7.
ARCTAN2 = """floats r;
v x = V(b), y = V(a), u = x < 0.0f ? -x : x, w = y < 0.0f ? -y : y;
v high = u > w ? u : w, low = u > w ? w : u;
v t = high > 0.0f ? low / high : low, s = t * t;
v p = s * 0.00282363896f - 0.0159569029f;
p = p * s + 0.0425049886f; p = p * s - 0.0748900920f; p = p * s + 0.106347933f;
p = p * s - 0.142027363f; p = p * s + 0.199926957f; p = p * s - 0.333331019f;
p = p * s * t + t;
p = w > u ? 1.57079633f - p : p;
p = x < 0.0f ? 3.14159265f - p : p;
V(r) = y < 0.0f ? -p : p;
return r;"""


@wp.func_native(code(ARCTAN2))
def arctan2(a: floats, b: floats) -> floats: ...


@wp.func
def arctan2(a: float, b: float):
    return wp.atan2(a, b)


@wp.func_native(
    code("""vec6s r;
R(r, 0) = V(a); R(r, 1) = V(b); R(r, 2) = V(c); R(r, 3) = V(d); R(r, 4) = V(e); R(r, 5) = V(f);
return r;""")
)
def six(a: floats, b: floats, c: floats, d: floats, e: floats, f: floats) -> vec6s: ...


@wp.func
def six(a: float, b: float, c: float, d: float, e: float, f: float):
    return vec6(a, b, c, d, e, f)


REST = code("""vec20s r;
for (int i = 0; i < 6; ++i) R(r, i) = R(a, i);
for (int i = 0; i < 3; ++i) {
    R(r, 6 + i) = R(b, i); R(r, 9 + i) = R(c, i); R(r, 12 + i) = R(d, i); R(r, 15 + i) = R(e, i);
}
R(r, 18) = V(f); R(r, 19) = V(g);
return r;""")


@wp.func_native(REST)
def rest_value(a: vec6s, b: vec3s, c: vec3s, d: vec3s, e: vec3s, f: floats, g: floats) -> vec20s:
    """Return all arguments in one vector."""
    ...


@wp.func
def rest_value(a: vec6, b: wp.vec3, c: wp.vec3, d: wp.vec3, e: wp.vec3, f: float, g: float):
    r = vec20()
    for i in range(6):
        r[i] = a[i]
    for i in range(3):
        r[6 + i] = b[i]
        r[9 + i] = c[i]
        r[12 + i] = d[i]
        r[15 + i] = e[i]
    r[18] = f
    r[19] = g
    return r


STACKED = """vec7s r;
R(r, 0) = V(a); R(r, 1) = V(b); R(r, 2) = V(c); R(r, 3) = V(d);
R(r, 4) = V(e); R(r, 5) = V(f); R(r, 6) = V(g);
return r;"""


@wp.func_native(code(STACKED))
def stacked(
    a: floats, b: floats, c: floats, d: floats, e: floats, f: floats, g: floats
) -> vec7s: ...


@wp.func
def stacked(a: float, b: float, c: float, d: float, e: float, f: float, g: float):
    return vec7(a, b, c, d, e, f, g)


@wp.func_native(
    code("""wp::vec_t<6, float> r;
for (int i = 0; i < 6; ++i) for (int l = 0; l < WIDTH; ++l) r[i] += a.data[i][l];
return r;""")
)
def sums_of(a: vec6s) -> vec6: ...


# The sum of the lanes of row i, pairwise: halves, then quarters, then eighths.
TOTAL = """typedef float four __attribute__((vector_size(16)));
auto sum = [&](int i) {{
    v row = R(a, i);
    four low = __builtin_shufflevector(row, row, 0, 1, 2, 3);
    four q = low + __builtin_shufflevector(row, row, 4, 5, 6, 7);
    q += __builtin_shufflevector(q, q, 2, 3, 0, 1);
    return q[0] + q[1];
}};
{}"""


@wp.func_native(code("float r = 0; for (int l = 0; l < WIDTH; ++l) r += a[l]; return r;"))
def total(a: floats) -> float: ...


@wp.func
def total(a: Any):
    return a


@wp.func_native(code(TOTAL.format("return wp::vec_t<3, float>(sum(0), sum(1), sum(2));")))
def total(a: vec3s) -> wp.vec3: ...


SYMMETRIC = """float xx = sum(0), yy = sum(1), zz = sum(2), yz = sum(3), xz = sum(4), xy = sum(5);
return wp::mat_t<3, 3, float>(xx, xy, xz, xy, yy, yz, xz, yz, zz);"""


@wp.func_native(code(TOTAL.format(SYMMETRIC)))
def total(a: vec6s) -> wp.mat33: ...


@cache
def out_of_lanes(kind):
    """Return the functions that load up to eight values (a number or vector each) into lanes, and
    store lanes as values; spare lanes repeat the last value.
    """
    Wide = wide(kind)
    name = f"vec{len(kind())}s" if wp.types.type_is_vector(kind) else "floats"

    @wp.func_native(READ_LANES.replace("WIDE", name))
    def read_lanes(values: wp.array[kind], first: int, count: int) -> Wide: ...

    @wp.func_native(WRITE_LANES)
    def write_lanes(rows: Wide, first: int, count: int, values: wp.array[kind]): ...

    return read_lanes, write_lanes


READ_LANES = code("""const int count_of_rows = sizeof(*values.data) / sizeof(float);
WIDE r;
for (int l = 0; l < WIDTH; ++l) {
    const float* from = (const float*)&values.data[first + (l < count ? l : count - 1)];
    for (int k = 0; k < count_of_rows; ++k) ((float*)&r)[WIDTH * k + l] = from[k];
}
return r;""")
WRITE_LANES = code("""const int count_of_rows = sizeof(*values.data) / sizeof(float);
for (int l = 0; l < count; ++l) {
    float* to = (float*)&values.data[first + l];
    for (int k = 0; k < count_of_rows; ++k) to[k] = ((const float*)&rows)[WIDTH * k + l];
}""")


@cache
def gather_of(kind):
    """Return the function that gathers eight values of a struct into lanes."""
    Wide = wide(kind)

    @wp.func_native(GATHERED)
    def fill(values: wp.array[kind], index: ints, rows: wp.array[Wide]): ...

    @wp.func
    def gather(values: wp.array[kind], index: ints):
        rows = wp.zeros(shape=(1,), dtype=Wide)
        fill(values, index, rows)
        return rows[0]

    return gather


# The rows of a wide struct are the numbers of the struct in the same order: blocks of eight by
# eight are transposed, which is three times as fast as number by number.
GATHERED = code("""const int count_of_rows = sizeof(*values.data) / sizeof(float);
v* to = (v*)rows.data;
const float* from[WIDTH];
for (int l = 0; l < WIDTH; ++l) from[l] = (const float*)&values.data[index[l]];
#define S(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define LOW(a, b) S(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) S(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LEFT(a, b) S(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define RIGHT(a, b) S(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define FRONT(a, b) S(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define BACK(a, b) S(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
int k = 0;
for (; k + WIDTH <= count_of_rows; k += WIDTH) {
    v a[WIDTH], b[WIDTH];
    for (int l = 0; l < WIDTH; ++l) a[l] = *(const v*)(from[l] + k);
    for (int l = 0; l < WIDTH; l += 2) {
        b[l] = LOW(a[l], a[l + 1]);
        b[l + 1] = HIGH(a[l], a[l + 1]);
    }
    for (int l = 0; l < WIDTH; l += 4) {
        a[l] = LEFT(b[l], b[l + 2]);
        a[l + 1] = RIGHT(b[l], b[l + 2]);
        a[l + 2] = LEFT(b[l + 1], b[l + 3]);
        a[l + 3] = RIGHT(b[l + 1], b[l + 3]);
    }
    for (int l = 0; l < 4; ++l) {
        to[k + l] = FRONT(a[l], a[l + 4]);
        to[k + l + 4] = BACK(a[l], a[l + 4]);
    }
}
for (; k < count_of_rows; ++k)
    for (int l = 0; l < WIDTH; ++l) ((float*)to)[WIDTH * k + l] = from[l][k];""")
