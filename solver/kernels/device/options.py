# SPDX-License-Identifier: GPL-3.0-or-later
"""Warp's compile options for kernels."""

import warp as wp

# Warp counts negative indices from the end of an array, and multiplies by a stride that it loads:
# more work than most kernels do otherwise. No kernel here uses negative indices, and all arrays of
# one dimension are contiguous (`Launches` refuses others). So on the CPU these overloads, which the
# compiler prefers to Warp's own, access memory directly.
STRAIGHT = """
namespace wp {
template <typename T> inline T* address(const array_t<T>& array, int i) { return array.data + i; }
template <typename T> inline void array_store(const array_t<T>& array, int i, T value)
{
    array.data[i] = value;
}
}
"""
# No derivative of a step is needed.
HOT = {
    "enable_backward": False,
    "extra_build_options": wp.ModuleBuildOptions(extra_cpu_preamble=STRAIGHT),
}
# Warp makes LLVM inline nearly everything. That takes half as long again, and keeps all other
# threads from compiling meanwhile; it pays only in the kernels that a step spends its time in.
QUICK = HOT | {"cpu_compiler_flags": "-march=native"}
