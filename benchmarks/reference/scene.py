# SPDX-License-Identifier: GPL-3.0-or-later
"""From bodies to elements and masses, and from step to step in time.

Reads the plain numbers of the solver's bodies and materials, and derives all else independently.
"""

from dataclasses import dataclass, field

import numpy as np

from . import energies, hinges, membranes, solids
from .newton import solve
from .problem import Problem

SOLID_DENSITIES = {
    "neo_hookean": solids.NeoHookean,
    "neo_hookean_log": solids.LogNeoHookean,
    "corotated": solids.FixedCorotated,
}


@dataclass
class Scene:
    """Points [m] and velocities [m/s] [vertex, 3], mass [kg], elements with damping times [s]."""

    points: np.ndarray
    velocities: np.ndarray
    mass: np.ndarray
    pinned: np.ndarray
    elements: list
    damping_times: list
    acceleration: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))


def lumped(count, corners, element_mass):
    """Masses of elements in equal shares on their corners [vertex]."""
    mass = np.zeros(count)
    np.add.at(mass, corners, (element_mass / corners.shape[1])[:, None])
    return mass


def solid_parts(body, model):
    """(mass [vertex], elements) of a solid."""
    material, density = body.material, SOLID_DENSITIES[model]
    if material.mu is None:
        law = density.from_lame(*solids.lame(material.youngs_modulus, material.poisson_ratio))
    else:
        law = density(material.mu, material.lam)
    part = energies.tets(body.rest_points, body.elements, law)
    return lumped(len(body.points), part.corners, material.density * part.measure), [part]


def cloth_parts(body, model):
    """(mass [vertex], elements) of a cloth: membrane and bending."""
    material = body.material
    if material.mu is None:
        constants = membranes.plane_stress(
            material.youngs_modulus, material.poisson_ratio, material.thickness
        )
    else:
        constants = material.mu, material.lam
    laws = {
        "stvk": membranes.StVenantKirchhoff.isotropic,
        "neo_hookean": membranes.MembraneNeoHookean.from_lame,
    }
    part = energies.triangles(body.rest_points, body.elements, laws[model](*constants))
    bending = hinges.bending(body.rest_points, body.elements, material.bending_stiffness)
    mass = lumped(len(body.points), part.corners, material.density * part.measure)
    return mass, [part, bending]


def rod_parts(body, model):
    """(mass [vertex], elements) of a rod: springs of E A/l₀ with a round section, or as given."""
    if model != "spring":
        raise ValueError(f"{body.name}: a rod is made of springs, not of {model}")
    material = body.material
    part = energies.springs(body.rest_points, body.elements, 1.0)
    stiffness = material.spring_stiffness
    if stiffness is None:
        stiffness = material.youngs_modulus * np.pi * (0.5 * material.thickness) ** 2 / part.rest
    part = energies.springs(body.rest_points, body.elements, stiffness)
    if material.vertex_mass is None:
        return lumped(len(body.points), part.corners, material.density * part.rest), [part]
    return np.broadcast_to(material.vertex_mass, len(body.points)).astype(float), [part]


PARTS = {"tet": solid_parts, "triangle": cloth_parts, "edge": rod_parts}


def scene_of(body, model, acceleration=(0.0, 0.0, -9.81)):
    """A scene of one body whose pins stay where they are.

    model: a key of SOLID_DENSITIES for solids, "stvk" or "neo_hookean" for cloths, "spring".
    """
    mass, elements = PARTS[body.element_name](body, model)
    pinned = np.zeros(len(body.points), dtype=bool)
    if body.pins is not None:
        pinned[body.pins.indices] = True
    times = [body.material.damping] * len(elements)
    return Scene(
        body.points.copy(),
        np.array(body.velocities),
        mass,
        pinned,
        elements,
        times,
        np.array(acceleration, dtype=float),
    )


def equilibrium_problem(scene):
    """The quasistatic problem of a scene, from its present positions."""
    return Problem(
        scene.points, scene.points, scene.mass, None, scene.elements, scene.pinned,
        scene.acceleration,
    )  # fmt: skip


def step_problem(scene, x, v, h, led=None):
    """The problem of one step of implicit Euler of length h [s] from x with velocities v.

    led: positions of the pinned vertices at the end [pinned, 3]; None leaves them.
    """
    inertial = x + h * v + h**2 * scene.acceleration
    elements = list(scene.elements)
    for part, k_d in zip(scene.elements, scene.damping_times, strict=True):
        if np.any(k_d):
            elements.append(part.damping(x, k_d / h))
    guess = x + h * v
    guess[scene.pinned] = x[scene.pinned] if led is None else led
    return Problem(guess, inertial, scene.mass, h, elements, scene.pinned, scene.acceleration)


def trajectory(scene, h, count, step=solve, led=None):
    """Yields x [vertex, 3] after every one of `count` steps of length h [s].

    step: takes a problem and returns x. led: a function of time [s] since the start that gives the
    positions of the pinned vertices.
    """
    x, v = scene.points, scene.velocities
    for n in range(1, count + 1):
        targets = None if led is None else led(n * h)
        moved = step(step_problem(scene, x, v, h, targets))
        x, v = moved, (moved - x) / h
        yield x
