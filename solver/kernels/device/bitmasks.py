# SPDX-License-Identifier: GPL-3.0-or-later
"""Bit masks of the numbers in a row that lie in a range, found several at a time."""

from functools import cache

import warp as wp

from .options import OPTIONS

wp.set_module_options(OPTIONS)


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return __ffs(bits) - 1;
#else
    return __builtin_ctz(bits);
#endif
""")
def lowest_bit(bits: int) -> int:
    """Return the number of the lowest set bit; at least one bit must be set."""
    ...


# On processors other than Intel's and AMD's the compiler vectorizes the plain loop.
WITHIN = """
    const int* row = &numbers.data[begin];
#if defined(__AVX2__) && !defined(__CUDA_ARCH__)
    typedef int ints __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
    typedef float floats __attribute__((vector_size(4 * WIDTH)));
    const ints each = *(const ints*)row;
    return MASK((floats)((each >= first) & (each < last)));
#else
    int found = 0;
    for (int k = 0; k < WIDTH; ++k)
        found |= (row[k] >= first && row[k] < last) << k;
    return found;
#endif
"""
MASKS = {4: "__builtin_ia32_movmskps", 8: "__builtin_ia32_movmskps256"}


@cache
def within(width: int) -> wp.Function:
    """Return the function that masks the numbers in [`first`, `last`) among `width` (4 or 8) of
    them, from numbers[begin] on.
    """

    @wp.func_native(WITHIN.replace("WIDTH", str(width)).replace("MASK", MASKS[width]))
    def find_within(begin: int, first: int, last: int, numbers: wp.array[int]) -> int: ...

    return find_within
