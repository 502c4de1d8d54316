# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of several numbers in a row are meant, a bit for each; several are asked at once."""

from functools import cache

import warp as wp

from .options import QUICK

wp.set_module_options(QUICK)


@wp.func_native("""
#if defined(__CUDA_ARCH__)
    return __ffs(bits) - 1;
#else
    return __builtin_ctz(bits);
#endif
""")
def lowest_bit(bits: int) -> int:
    """The number of the lowest bit that is set; one is."""
    ...


# On other processors than Intel's and AMD's a compiler finds its own way.
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
    """The function that finds which of so many numbers, 4 or 8 from numbers[begin] on, are from
    `first` up to `last`.
    """

    @wp.func_native(WITHIN.replace("WIDTH", str(width)).replace("MASK", MASKS[width]))
    def find_within(begin: int, first: int, last: int, numbers: wp.array[int]) -> int: ...

    return find_within
