# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders under the name that scripts know: `from vbd.solver.bounds import Plane`."""

from .scene.analytic_colliders import *  # noqa: F403
