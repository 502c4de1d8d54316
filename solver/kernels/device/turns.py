# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns: blocks of one launch that wait for the results of blocks before them.

Blocks of a GPU begin in any order, and only as many as it has room for. So a block takes a number
when it begins, which says what it does, and waits only for blocks with smaller numbers: those run
already, so no two wait for each other, and nothing can lock up. (So do prefix sums in one launch:
Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.)

`turns` are [3] the blocks that have begun, those that have ended, and the number of launches; the
last block to end sets the first two to 0. On the CPU blocks run in order and nothing waits. All
threads of a block call these functions.
"""

import warp as wp

# Numbers in `turns`.
TURNS = 3

# Macros of native code for blocks: memory of a whole block, all of its threads, and what one thread
# does to wait for a flag and, when all have met, to set it.
MACROS = """
#if defined(__CUDA_ARCH__)
    #define WHOLE_BLOCK __shared__
    #define MEET __syncthreads()
    #define AWAIT(flag, wanted) do { \\
        volatile const int* const seen = &(flag); \\
        while (*seen != (wanted)) __nanosleep(32); \\
        __threadfence(); \\
    } while (0)
    #define SET(flag, value) do { \\
        __threadfence(); \\
        *(volatile int*)&(flag) = (value); \\
    } while (0)
#else
    #define WHOLE_BLOCK
    #define MEET
    #define AWAIT(flag, wanted)
    #define SET(flag, value) (flag) = (value)
#endif
"""
NO_MACROS = """
    #undef WHOLE_BLOCK
    #undef MEET
    #undef AWAIT
    #undef SET
"""


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    __shared__ int turn;
    if (threadIdx.x == 0) turn = atomicAdd(turns.data, 1);
    __syncthreads();
    return turn;
#else
    return turns.data[0]++;
#endif
"""
)
def take_turn(turns: wp.array[int]) -> int:
    """Return the number of this block, from 0; once per block."""
    ...


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 0) {
        volatile const int* const ended = turns.data + 1;
        while (*ended < count) __nanosleep(32);
        __threadfence();
    }
    __syncthreads();
#endif
"""
)
def wait_for_turns(count: int, turns: wp.array[int]):
    """Wait until `count` blocks have ended, all with smaller numbers than this one."""
    ...


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const bool is_last = atomicAdd(turns.data + 1, 1) == blocks - 1;
#else
    {
        const bool is_last = ++turns.data[1] == blocks;
#endif
        if (is_last) {
            turns.data[0] = turns.data[1] = 0;
            ++turns.data[2];
        }
    }
"""
)
def end_turn(blocks: int, turns: wp.array[int]):
    """End this block, one of so many of the launch; once per block."""
    ...
