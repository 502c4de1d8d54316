# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference solvers in NumPy and SciPy, float64, independent of the solver that they check."""
