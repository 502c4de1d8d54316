# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of springs for the experiments and their tests; shares no code with `solver/`."""

from functools import partial

import numpy as np

from vbd.benchmarks.reference import newton, scene
from vbd.solver.bodies import Pins, Rod
from vbd.solver.settings import Material, Settings
from vbd.solver.simulate import simulate

GRAVITY = 9.81
# Heavy chain (VBD 2024, Fig. 21): 20 particles of 1 kg on links of 0.0577 m, the last of 1000 kg.
LINK, COUNT, HEAVY = 0.0577, 20, 1000.0
# Chain of soft and stiff springs (Fig. 24).
SHORT, MANY, RATIO = 0.05, 21, 1e4


def line(count):
    """Edges of a chain [count − 1, 2]."""
    index = np.arange(count)
    return np.stack([index[:-1], index[1:]], axis=1)


def strains(x, link=LINK):
    """Strain of every link."""
    return np.linalg.norm(np.diff(x, axis=0), axis=1) / link - 1.0


def heavy_masses():
    """kg per particle."""
    mass = np.ones(COUNT)
    mass[-1] = HEAVY
    return mass


def released_chain(angle=0.0, stiffness=1e8):
    """The heavy chain, straight and at rest, at an angle [degrees] above the horizontal."""
    along = np.array([np.cos(np.radians(angle)), 0.0, np.sin(np.radians(angle))])
    points = np.arange(COUNT)[:, None] * LINK * along
    material = Material(spring_stiffness=stiffness, vertex_mass=heavy_masses())
    return Rod(points, line(COUNT), material, pins=Pins([0]), name="Heavy Chain")


def swinging_chain(stiffness=1e8, share=1.0):
    """The heavy chain level and swinging down, stretched by the forces of its swing.

    `share` s is v²/gL of its end. s = 1 is the state in which a taut chain released 30° above the
    horizontal passes the level; s = 0 is a release from rest. Returns the body and the strain of
    the first link at the bottom for a chain that stays straight and as long as it is now.
    """
    mass, r = heavy_masses(), np.arange(COUNT) * LINK
    for _ in range(50):
        omega = np.sqrt(share * GRAVITY / r[-1])
        pull = np.cumsum((mass * omega**2 * r)[::-1])[::-1][1:]
        r = np.concatenate([[0.0], np.cumsum(LINK + LINK * pull / (stiffness * LINK))])
    below = omega**2 + 2.0 * GRAVITY * (mass @ r) / (mass @ r**2)
    tension = mass[1:] @ (GRAVITY + below * r[1:])
    level = np.array([1.0, 0.0, 0.0])
    body = Rod(
        r[:, None] * level,
        line(COUNT),
        Material(spring_stiffness=stiffness, vertex_mass=mass),
        pins=Pins([0]),
        velocities=-(omega * r)[:, None] * [0.0, 0.0, 1.0],
        rest_points=np.arange(COUNT)[:, None] * LINK * level,
        name="Heavy Chain",
    )
    return body, tension / (stiffness * LINK)


def snap_strain(stiffness=1e8):
    """Strain when a string released 30° above the horizontal is taut again, as h → 0.

    It goes slack and its end falls straight down by its own length L; at 30° below, half of
    √(2 g L) is along the string and is caught by a spring of k/links.
    """
    length = (COUNT - 1) * LINK
    force = 0.5 * np.sqrt(2.0 * GRAVITY * length) * np.sqrt(HEAVY * stiffness / (COUNT - 1))
    return force / (stiffness * LINK)


def mixed_chain(order="alternate", both=True, soft=50.0):
    """A level chain of soft springs [N/m] and 10,000 times stiffer ones, and their mask."""
    links = np.arange(MANY - 1)
    stiff = links % 2 == 1 if order == "alternate" else links >= MANY // 2
    points = np.zeros((MANY, 3))
    points[:, 0] = np.arange(MANY) * SHORT
    material = Material(spring_stiffness=np.where(stiff, RATIO * soft, soft), vertex_mass=0.01)
    pins = Pins([0, MANY - 1] if both else [0])
    return Rod(points, line(MANY), material, pins=pins, name="Mixed Chain"), stiff


def by_newton(body, h, count):
    """Positions [step, vertex, 3] of converged implicit Euler."""
    step = partial(newton.solve, tolerance=1e-9)
    return np.array(list(scene.trajectory(scene.scene_of(body, "spring"), h, count, step=step)))


def by_vbd(body, h, count, **settings):
    """Positions [step, vertex, 3] of sweeps without coarse steps, one substep per frame."""
    settings = Settings(frame_time=h, substeps=1, **{"coarse_correction": False, **settings})
    return np.array([frame.exact_positions[0] for frame in simulate([body], settings, count)])
