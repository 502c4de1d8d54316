# SPDX-License-Identifier: GPL-3.0-or-later
"""Teams: threads of a GPU that share the work at a vertex (VBD 2024, §4).

Each lane of a team takes every eighth record or contact, sums are shuffled between the lanes, and
all lanes then hold the same bits, so they branch alike. On the CPU the first lane does everything.
"""

from dataclasses import dataclass, replace
from typing import Any

import warp as wp

# Threads of a team: consecutive ones of a launch in one dimension, so they are in one warp.
SIZE = 8

SHUFFLE = """
#if defined(__CUDA_ARCH__)
    const unsigned team = 0xffu << (threadIdx.x & 24);
    for (int k = 4; k > 0; k /= 2) {
        const auto other = __shfl_xor_sync(team, value, k);
        %s
    }
#endif
    return value;
"""


@dataclass(frozen=True)
class Team:
    """Functions of the threads that work on one vertex, `size` of which are launched.

    A thread that `works` begins at its `lane` and goes on by `stride`; totals are those of all
    lanes.
    """

    size: int
    works: wp.Function
    lane: wp.Function
    stride: int
    total: wp.Function
    count: wp.Function
    least: wp.Function
    hash: wp.Function


@wp.func
def alone_works(thread: int):
    return True


@wp.func
def alone_lane():
    return 0


@wp.func
def alone_total(value: Any):
    return value


@wp.func
def alone_count(value: int):
    return value


@wp.func
def alone_least(value: float):
    return value


@wp.func
def alone_hash(value: int):
    return value


@wp.func
def first_works(thread: int):
    return thread % 8 == 0


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return threadIdx.x & 7;
#else
    return 0;
#endif
""")
def team_lane() -> int:
    """Return the number of this thread in its team."""
    ...


@wp.func_native(SHUFFLE % "value += other;")
def team_total(value: float) -> float:
    """Return the sum over the team, the same bits in all lanes."""
    ...


@wp.func
def team_total(value: wp.vec3):  # noqa: F811 (an overload)
    return wp.vec3(team_total(value[0]), team_total(value[1]), team_total(value[2]))


@wp.func
def team_total(value: wp.mat33):  # noqa: F811
    a = team_total(wp.vec3(value[0, 0], value[0, 1], value[0, 2]))
    b = team_total(wp.vec3(value[1, 0], value[1, 1], value[1, 2]))
    return wp.matrix_from_rows(a, b, team_total(wp.vec3(value[2, 0], value[2, 1], value[2, 2])))


@wp.func_native(SHUFFLE % "value += other;")
def team_count(value: int) -> int:
    """Return the sum over the team."""
    ...


@wp.func_native(SHUFFLE % "value = fminf(value, other);")
def team_least(value: float) -> float:
    """Return the least value of the team."""
    ...


@wp.func_native(
    """
#if defined(__CUDA_ARCH__)
    unsigned mixed = value;
    mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
    mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
    value = (int)(mixed ^ mixed >> 16);
#endif
"""
    + SHUFFLE % "value = (int)((unsigned)value + (unsigned)other);"
)
def team_hash(value: int) -> int:
    """Return a hash of the hashes of all lanes, mixed (MurmurHash3) before they are added."""
    ...


ALONE = Team(
    size=1,
    works=alone_works,
    lane=alone_lane,
    stride=1,
    total=alone_total,
    count=alone_count,
    least=alone_least,
    hash=alone_hash,
)
EIGHT = Team(
    size=SIZE,
    works=alone_works,
    lane=team_lane,
    stride=SIZE,
    total=team_total,
    count=team_count,
    least=team_least,
    hash=team_hash,
)
# Recorded for eight on the CPU, where the first thread does everything.
FIRST_OF_EIGHT = replace(ALONE, size=SIZE, works=first_works)
