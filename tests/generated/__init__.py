# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated inputs of the solver, sound and broken: `python -m generated --help`."""
