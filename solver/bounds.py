# SPDX-License-Identifier: GPL-3.0-or-later
"""Analytic colliders under the name that scripts know: `from vbd.solver.bounds import Plane`."""

from .scene.analytic_colliders import Bowl, Box, Plane, Sphere

__all__ = ["Bowl", "Box", "Plane", "Sphere"]
