# SPDX-License-Identifier: GPL-3.0-or-later
"""Public name of analytic colliders for scripts: `from vbd.solver.bounds import Plane`."""

from .scene.analytic_colliders import *  # noqa: F403
