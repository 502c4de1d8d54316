# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of threads that work together on a GPU: sums, and the block that is the last to end.

A kernel of blocks is launched with `tile_threads` (device/launches.py) and gets (block, lane) from
`wp.tid()`. On the CPU a block is one thread, which adds in order. All threads of a block call these
functions; no block waits for another.
"""

import warp as wp


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
"""
)
def meet():
    """Wait for all threads of the block."""
    ...


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    __shared__ double parts[32];
    for (int k = 16; k > 0; k /= 2) value += __shfl_down_sync(0xffffffffu, value, k);
    __syncthreads();
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0;
    for (int k = 0; k < blockDim.x / 32; ++k) value += parts[k];
#endif
    return value;
"""
)
def block_sum(value: wp.float64) -> wp.float64:
    """Return the sum of the values of all threads of the block, a multiple of 32."""
    ...


@wp.func
def block_vec3(value: wp.vec3d):
    """Return the sum of vectors over the threads of the block."""
    for k in range(3):
        value[k] = block_sum(value[k])
    return value


@wp.func
def block_mat33(value: wp.mat33d):
    """Return the sum of matrices over the threads of the block."""
    for k in range(3):
        for n in range(3):
            value[k, n] = block_sum(value[k, n])
    return value


@wp.func_native(
    snippet="""
#if defined(__CUDA_ARCH__)
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(ended.data, 1) == blocks - 1;
        if (is_last) ended.data[0] = 0;
    }
    __syncthreads();
    __threadfence();
    return is_last;
#else
    const bool is_last = __atomic_add_fetch(&ended.data[0], 1, __ATOMIC_ACQ_REL) == blocks;
    if (is_last) ended.data[0] = 0;
    return is_last;
#endif
"""
)
def is_last_block(blocks: int, ended: wp.array[int]) -> bool:
    """Return True in the last of all `blocks` that come here, which sees what the others have
    written. `ended` is the number of blocks that have come, 0 before and afterwards.
    """
    ...
