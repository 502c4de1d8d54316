# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of a scene by this solver, with the default settings and most of the preset Cotton."""

from vbd.solver.bodies import Cloth, Collider, Pins
from vbd.solver.scene.force_fields import FieldNumbers, ForceField
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

THICKNESS = 0.00025
# The preset Cotton without its bending damping and maximum stretch, with the self contact of new
# cloth.
COTTON = {
    "thickness": THICKNESS,
    "youngs_modulus": 1000.0 / THICKNESS,
    "poisson_ratio": 0.3,
    "density": 0.13,
    "bending_stiffness": 11.5e-6,
    "damping": 0.002,
    "friction": 0.45,
    "drag": 1.2,
    "air_friction": 0.02,
    "self_contact": True,
}


def bodies(scene, uv=None, **material):
    """The cloth of a scene and the colliders that it meets."""
    pins = Pins(scene.pins, scene.targets) if len(scene.pins) else None
    made = Material(**{**COTTON, **material})
    cloth = Cloth(scene.sheet.points, scene.sheet.triangles, made, pins, uv=uv, name="Cloth")
    others = [Collider(*mesh, name=f"Collider {k}") for k, mesh in enumerate(scene.colliders)]
    if scene.wind:
        numbers = FieldNumbers(axis=(0.0, 1.0, 0.0), strength=scene.wind)
        others.append(ForceField("wind", numbers, shape="plane", blows=True, name="Wind"))
    return [cloth, *others]


def motion(scene, threads=1, uv=None, **material):
    """Positions [vertex, 3] of every frame, as a list."""
    settings = Settings(threads=threads)
    return [f.positions[0] for f in simulate(bodies(scene, uv, **material), settings, scene.frames)]
