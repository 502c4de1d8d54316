# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: F811 (functions of several types)
"""SIMD arithmetic: numbers and vectors side by side, one in each lane of the processor.

LLVM splits Warp's own long vectors into single numbers. The functions here use Clang's vectors, and
are several times as fast; only the CPU compiles them. All also take one number or vector, so that a
function with arguments of type `Any` serves one element or eight. In a module that imports `add`,
`sub`, `mul` and `div`, the operators +, -, * and / call them. Warp's cache does not track that:
empty it after changes to them.
"""

from functools import cache
from typing import Any

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)

WIDTH = 8
floats = wp.types.vector(length=WIDTH, dtype=float)
ints = wp.types.vector(length=WIDTH, dtype=int)
vec3s = wp.types.matrix(shape=(3, WIDTH), dtype=float)
vec6s = wp.types.matrix(shape=(6, WIDTH), dtype=float)
vec20s = wp.types.matrix(shape=(20, WIDTH), dtype=float)
vec7s = wp.types.matrix(shape=(7, WIDTH), dtype=float)
vec20 = wp.types.vector(length=20, dtype=float)
vec7 = wp.types.vector(length=7, dtype=float)
vec6 = wp.types.vector(length=6, dtype=float)


def code(body):
    """Return C++ code with Clang's vectors: type v, V(a) for numbers as one, R(a, i) for a row."""
    return f"""enum {{ WIDTH = {WIDTH} }};
typedef float v __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef wp::vec_t<WIDTH, float> floats;
typedef wp::mat_t<3, WIDTH, float> vec3s;
typedef wp::mat_t<6, WIDTH, float> vec6s;
typedef wp::mat_t<7, WIDTH, float> vec7s;
typedef wp::mat_t<20, WIDTH, float> vec20s;
#define V(a) (*(v*)&a)
#define R(a, i) (*(v*)a.data[i])
{body}"""


def rows(count, expression):
    """Return the C++ code of an expression that is evaluated row by row."""
    return code(
        f"decltype(b) r; for (int i = 0; i < {count}; ++i) R(r, i) = {expression}; return r;"
    )


@cache
def wide(kind):
    """Return the type of eight values of a kind: one row per number, component or field."""
    if hasattr(kind, "vars"):
        fields = {name: wide(var.type) for name, var in kind.vars.items()}
        return wp.struct(type(f"{kind.cls.__name__}s", (), {"__annotations__": fields}))
    if wp.types.type_is_vector(kind):
        return wp.types.matrix(shape=(len(kind()), WIDTH), dtype=kind._wp_scalar_type_)
    return ints if kind in (int, wp.int32) else floats


@wp.func_native(code("decltype(b) r; V(r) = V(a) + V(b); return r;"))
def add(a: floats, b: floats) -> floats: ...


@wp.func_native(code("decltype(b) r; V(r) = a + V(b); return r;"))
def add(a: float, b: floats) -> floats: ...


@wp.func_native(rows(3, "R(a, i) + R(b, i)"))
def add(a: vec3s, b: vec3s) -> vec3s: ...


@wp.func_native(rows(6, "R(a, i) + R(b, i)"))
def add(a: vec6s, b: vec6s) -> vec6s: ...


@wp.func_native(code("decltype(b) r; V(r) = V(a) - V(b); return r;"))
def sub(a: floats, b: floats) -> floats: ...


@wp.func_native(code("decltype(a) r; V(r) = V(a) - b; return r;"))
def sub(a: floats, b: float) -> floats: ...


@wp.func_native(code("decltype(b) r; V(r) = a - V(b); return r;"))
def sub(a: float, b: floats) -> floats: ...


@wp.func_native(rows(3, "R(a, i) - R(b, i)"))
def sub(a: vec3s, b: vec3s) -> vec3s: ...


@wp.func_native(rows(6, "R(a, i) - R(b, i)"))
def sub(a: vec6s, b: vec6s) -> vec6s: ...


@wp.func_native(code("decltype(b) r; V(r) = V(a) * V(b); return r;"))
def mul(a: floats, b: floats) -> floats: ...


@wp.func_native(code("decltype(b) r; V(r) = a * V(b); return r;"))
def mul(a: float, b: floats) -> floats: ...


@wp.func_native(rows(3, "a * R(b, i)"))
def mul(a: float, b: vec3s) -> vec3s: ...


@wp.func_native(rows(3, "V(a) * R(b, i)"))
def mul(a: floats, b: vec3s) -> vec3s: ...


@wp.func_native(rows(6, "V(a) * R(b, i)"))
def mul(a: floats, b: vec6s) -> vec6s: ...


@wp.func_native(code("decltype(b) r; V(r) = a / V(b); return r;"))
def div(a: float, b: floats) -> floats: ...


@wp.func_native(code("decltype(b) r; V(r) = V(a) / V(b); return r;"))
def div(a: floats, b: floats) -> floats: ...


@wp.func_native(code("decltype(b) r; V(r) = V(a) > V(b) ? V(a) : V(b); return r;"))
def largest(a: floats, b: floats) -> floats: ...


@wp.func_native(code("decltype(b) r; v l = V(b) * 0.0f + a; V(r) = l > V(b) ? l : V(b); return r;"))
def largest(a: float, b: floats) -> floats: ...


@wp.func
def largest(a: float, b: float):
    return wp.max(a, b)


@wp.func_native(code("decltype(a) r; V(r) = V(a) < 0.0f ? -V(a) : V(a); return r;"))
def magnitude(a: floats) -> floats: ...


@wp.func
def magnitude(a: float):
    return wp.abs(a)


CROSS = """decltype(b) r;
R(r, 0) = R(a, 1) * R(b, 2) - R(a, 2) * R(b, 1);
R(r, 1) = R(a, 2) * R(b, 0) - R(a, 0) * R(b, 2);
R(r, 2) = R(a, 0) * R(b, 1) - R(a, 1) * R(b, 0);
return r;"""
DOT = """floats r;
V(r) = R(a, 0) * R(b, 0);
for (int i = 1; i < 3; ++i) V(r) += R(a, i) * R(b, i);
return r;"""


@wp.func_native(code(CROSS))
def cross(a: vec3s, b: vec3s) -> vec3s: ...


@wp.func
def cross(a: wp.vec3, b: wp.vec3):
    return wp.cross(a, b)


@wp.func_native(code(DOT))
def dot(a: vec3s, b: vec3s) -> floats: ...


@wp.func
def dot(a: wp.vec3, b: wp.vec3):
    return wp.dot(a, b)


@wp.func_native(code("vec3s r; R(r, 0) = V(x); R(r, 1) = V(y); R(r, 2) = V(z); return r;"))
def vector(x: floats, y: floats, z: floats) -> vec3s: ...


@wp.func
def vector(x: float, y: float, z: float):
    return wp.vec3(x, y, z)


SQUARE = """vec6s r;
v x = V(k) * R(u, 0), y = V(k) * R(u, 1), z = V(k) * R(u, 2);
R(r, 0) = x * R(u, 0); R(r, 1) = y * R(u, 1); R(r, 2) = z * R(u, 2);
R(r, 3) = y * R(u, 2); R(r, 4) = x * R(u, 2); R(r, 5) = x * R(u, 1);
return r;"""


@wp.func_native(code(SQUARE))
def square(k: floats, u: vec3s) -> vec6s:
    """Return k u uᵀ as (xx, yy, zz, yz, xz, xy)."""
    ...


@wp.func
def square(k: float, u: wp.vec3):
    return wp.outer(k * u, u)


@wp.func_native(code("vec6s r; R(r, 0) = R(r, 1) = R(r, 2) = V(k); return r;"))
def scaled_identity(k: floats) -> vec6s: ...


@wp.func
def scaled_identity(k: float):
    return wp.mat33(k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k)


# Two components of a vector are loaded at once.
GATHER = """typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
vec3s r;
for (int l = 0; l < WIDTH; l += 4) {
    auto &p = x.data[index[l]], &q = x.data[index[l + 1]];
    auto &s = x.data[index[l + 2]], &t = x.data[index[l + 3]];
    four a = {p[0], p[1], q[0], q[1]}, b = {s[0], s[1], t[0], t[1]};
    *(four*)(r.data[0] + l) = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    *(four*)(r.data[1] + l) = __builtin_shufflevector(a, b, 1, 3, 5, 7);
    *(four*)(r.data[2] + l) = four {p[2], q[2], s[2], t[2]};
}
return r;"""


@wp.func_native(code(GATHER))
def gathered(x: wp.array[wp.vec3], index: ints) -> vec3s: ...


@wp.func_native(
    code("floats r; for (int l = 0; l < WIDTH; ++l) r[l] = x.data[index[l]]; return r;")
)
def gathered(x: wp.array[float], index: ints) -> floats: ...


@wp.func
def gathered(x: wp.array[wp.vec3], index: int):
    return x[index]


@wp.func_native(
    code("""vec3s r;
for (int i = 0; i < 3; ++i) for (int l = 0; l < WIDTH; ++l) r.data[i][l] = a[i];
return r;""")
)
def in_all_lanes(a: wp.vec3) -> vec3s: ...


@wp.func
def broadcast(a: Any, like: float):
    return a


@wp.func
def broadcast(a: wp.vec3, like: floats):
    """Return a value repeated in as many lanes as `like` has."""
    return in_all_lanes(a)


@wp.func
def broadcast(a: float, like: floats):
    return floats(a)


@wp.func_native(code("floats r; for (int l = 0; l < WIDTH; ++l) r[l] = numbers[l] != 0; return r;"))
def are_not_zero(numbers: ints) -> floats:
    """Return 1 where a number is not 0, else 0."""
    ...


@wp.func
def are_not_zero(number: int):
    return wp.where(number != 0, 1.0, 0.0)


@wp.func_native(
    code("int r = 0; for (int l = 0; l < WIDTH; ++l) r |= (a[l] > 0.0f) << l; return r;")
)
def bits(a: floats) -> int:
    """Return a bit for every lane, 1 where its number is positive."""
    ...


@wp.func
def bits(a: float):
    return wp.where(a > 0.0, 1, 0)
