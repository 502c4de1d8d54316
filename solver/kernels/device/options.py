# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of Warp that kernels are compiled with."""

import warp as wp

# Where an array is asked for a number below 0, Warp counts from its end, and it multiplies by a
# stride that it reads: more work than most kernels have otherwise. None here counts from an end,
# and all arrays of one dimension are contiguous (`Launches` refuses others). So on the CPU these
# functions, which the compiler prefers to Warp's own, go straight there: frames take a tenth less.
STRAIGHT = """
namespace wp {
template <typename T> inline T* address(const array_t<T>& array, int i) { return array.data + i; }
template <typename T> inline void array_store(const array_t<T>& array, int i, T value)
{
    array.data[i] = value;
}
}
"""
# Nobody asks for derivatives of a step.
HOT = {
    "enable_backward": False,
    "extra_build_options": wp.ModuleBuildOptions(extra_cpu_preamble=STRAIGHT),
}
# Warp asks LLVM to inline nearly everything. That takes half as long again, and keeps all other
# threads from compiling meanwhile; only where a step spends its time is it worth that.
QUICK = HOT | {"cpu_compiler_flags": "-march=native"}
