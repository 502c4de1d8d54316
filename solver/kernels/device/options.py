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
# Warp compiles most kernels twice, once for contiguous arrays; a launch switches to that copy where
# `dim->coord_mult == 1 && (…)`. With the overloads above it is hardly faster (1 %). This makes the
# condition false for the compiler, which then drops the copy before its main work.
ONCE = "#define coord_mult size == 0 && 0\n"
# LLVM's options are the same in all modules: while it compiles with some, threads that need others
# wait. Kernels need many of their functions inlined: with LLVM's own threshold of 225 frames take
# 1.2 to 1.6 times as long. Warp's, 9000, saves at most 2 %, and takes a tenth longer to compile.
FLAGS = "-march=native -mllvm=-inline-threshold=700 -mllvm=-slp-recursion-max-depth=4"
OPTIONS = {
    "enable_backward": False,  # no derivative of a step is needed
    "cpu_compiler_flags": FLAGS,
    "extra_build_options": wp.ModuleBuildOptions(extra_cpu_preamble=STRAIGHT + ONCE),
}
