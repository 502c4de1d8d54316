# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of Warp that kernels are compiled with."""

# Nobody asks for derivatives of a step.
HOT = {"enable_backward": False}
# Warp asks LLVM to inline nearly everything. That takes half as long again, and keeps all other
# threads from compiling meanwhile; only where a step spends its time is it worth that.
QUICK = HOT | {"cpu_compiler_flags": "-march=native"}
