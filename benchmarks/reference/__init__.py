# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference solvers in NumPy and SciPy, float64, written apart from the solver that they check."""
