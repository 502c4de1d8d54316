# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffness of a material and of the muscle fibers in it."""

from dataclasses import dataclass

import numpy as np

from .declaring import number


@dataclass(frozen=True, kw_only=True)
class Elasticity:
    """The part of `Material` about isotropic stiffness and muscle fibers."""

    youngs_modulus: float | np.ndarray = number(
        1e5,
        "Stiffness",
        "Young's modulus: about 5 kPa for jelly, 30 kPa for flesh, 1 MPa for rubber",
        unit="Pa",
        low=1e-3,
        high=1e13,
        soft_low=1e2,
        soft_high=1e12,
    )
    poisson_ratio: float | np.ndarray = number(
        0.4,
        "Keeps Volume",
        "Poisson's ratio: 0 does not thin when stretched, 0.49 nearly keeps the volume. It sets "
        "how far the solver steps, so it may not have keyframes",
        low=0.0,
        high=0.4999,
        soft_high=0.49,
    )
    fiber_stiffness: float | np.ndarray = number(
        0.0,
        "Fiber Stiffness",
        "Young's modulus that muscle fibers add along themselves where they are stretched: 100 to "
        "500 kPa for muscle at rest",
        unit="Pa",
        low=0.0,
        high=1e13,
        soft_high=1e6,
    )
    active_stress: float | np.ndarray = number(
        3e5,
        "Active Stress",
        "Pull of the fibers over their section, fully active and at their length at rest: 200 to "
        "400 kPa for muscle. Shorter or longer by 56 % they do not pull any more",
        unit="Pa",
        low=0.0,
        high=1e13,
        soft_high=1e6,
    )
    activation: float | np.ndarray = number(
        0.0,
        "Activation",
        "Part of the active stress with which the fibers contract now",
        low=0.0,
        high=1.0,
    )
