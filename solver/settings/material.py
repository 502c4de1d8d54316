# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of bodies: the table of all their properties."""

from dataclasses import dataclass

import numpy as np

from ..messages import message
from .declaring import check_ranges, choice, number, switch
from .elasticity import Elasticity


@dataclass(frozen=True, kw_only=True)
class Material(Elasticity):
    """Material of a body, in SI units. Stiffness, density, damping and the thickness of cloth are
    numbers or arrays per element or vertex; friction, drag and collision thickness per vertex.
    """

    density: float | np.ndarray = number(
        1000.0,
        "Density",
        "Mass in kg per cubic metre (soft and rigid bodies, grains), square metre (cloth) or metre "
        "(rods)",
        unit="kg/m³, kg/m² or kg/m",
        low=1e-9,
        high=1e9,
        soft_low=1e-3,
        soft_high=1e4,
    )
    thickness: float | np.ndarray = number(
        0.001,
        "Thickness",
        "Thickness of the cloth or diameter of the rod: with Young's modulus it gives the stretch "
        "stiffness. That may have keyframes, this may not",
        unit="m",
        low=1e-7,
        high=10.0,
        soft_high=0.01,
    )
    bending_stiffness: float | np.ndarray = number(
        1e-5,
        "Bending",
        "Stiffness of the cloth against bending (flexural rigidity)",
        unit="N m",
        low=0.0,
        high=1e9,
        soft_high=1e-2,
    )
    bending_factor: float | np.ndarray = number(
        0.0,
        "Bending Factor",
        "Stiffness of a rod against bending and twisting as a part of that of a solid round one: 1 "
        "for wire and rubber, far less for rope, whose fibers slide. 0 folds like a chain, so it "
        "may not have keyframes",
        low=0.0,
        high=100.0,
        soft_high=1.0,
    )
    solid_model: str = choice(
        "neo_hookean",
        "Solid Model",
        "Elastic energy of a soft body",
        neo_hookean="Neo-Hookean",
        neo_hookean_log="Neo-Hookean with Logarithm",
        corotated="Corotated",
    )
    membrane: str = choice(
        "stvk",
        "Membrane Model",
        "Elastic energy of the plane of a cloth",
        stvk="Isotropic",
        neo_hookean="Neo-Hookean",
        orthotropic="Woven",
    )
    weft_modulus: float | np.ndarray = number(
        1e5,
        "Weft Modulus",
        "Stiffness of woven cloth along V of the UV map; Young's modulus is the one along U",
        unit="Pa",
        low=1e-3,
        high=1e13,
        soft_low=1e2,
        soft_high=1e9,
    )
    shear_modulus: float | np.ndarray = number(
        1e4,
        "Shear Modulus",
        "Stiffness of woven cloth against shear between warp and weft, in pascal",
        unit="Pa",
        low=0.0,
        high=1e13,
        soft_low=1e1,
        soft_high=1e8,
    )
    weft_bending: float | np.ndarray = number(
        1.0,
        "Weft Bending",
        "Bending stiffness of woven cloth along V of the UV map, as a part of that along U",
        low=0.0,
        high=1e3,
        soft_high=2.0,
    )
    crease_radius: float | np.ndarray = number(
        0.0,
        "Fold Radius",
        "What is bent more sharply than this radius keeps what is beyond, as paper and wire do "
        "(crease radius); 0 always springs back",
        unit="m",
        low=0.0,
        high=1e3,
        soft_high=1.0,
    )
    yield_strain: float | np.ndarray = number(
        0.0,
        "Dents Beyond",
        "What is stretched or pressed by more than this part keeps what is beyond, as foil and "
        "clay do (yield strain); 0 always springs back. Soft bodies keep their volume",
        low=0.0,
        high=10.0,
        soft_high=0.5,
    )
    flow_time: float = number(
        0.0,
        "Dent Time",
        "Time in which two thirds of what is bent or stretched too far become permanent; 0 keeps "
        "it at once",
        unit="s",
        low=0.0,
        high=1e6,
        soft_high=1.0,
    )
    rest_flat: bool = switch(
        False,
        "Flat Rest Shape",
        "Bend towards a flat sheet, or a straight rod, instead of the shape of the object",
    )
    adapt_folds: bool = switch(
        True,
        "Adapt Folds to the Mesh",
        "Let faces that are too large to fold be pressed together, as the fabric in them would "
        "buckle, and bend as finely as they can. Off, a coarse mesh stands out in wings",
    )
    maximum_stretch: float | np.ndarray = number(
        0.0,
        "Stretch Limit",
        "Part of its length that cloth hardly exceeds: about 5 % for woven fabric; 0 has no limit",
        low=0.0,
        high=10.0,
        soft_high=0.5,
    )
    damping: float | np.ndarray = number(
        0.0,
        "Damping",
        "Damping time of this material, added to the scene's",
        unit="s",
        low=0.0,
        high=10.0,
        soft_high=0.1,
    )
    bending_damping: float | np.ndarray = number(
        0.0,
        "Bend Damping",
        "Damping time of bending alone, added to Damping: hysteresis, about 0.1 s for cotton",
        unit="s",
        low=0.0,
        high=10.0,
        soft_high=0.5,
    )
    friction: float | np.ndarray | None = number(
        None,
        "Friction",
        "Friction coefficient of this object; a contact takes the geometric mean of both sides",
        low=0.0,
        high=100.0,
        soft_high=1.0,
    )
    static_friction: float | np.ndarray = number(
        0.0,
        "Static Friction",
        "Friction until a contact begins to slide; values below Friction, like 0, stand for it",
        low=0.0,
        high=100.0,
        soft_high=1.0,
    )
    drag: float | np.ndarray = number(
        0.0,
        "Air Drag",
        "How much the air resists (drag coefficient): about 1.2 for cloth across its surface, 1 "
        "for all others. Slanting cloth is lifted by it as well. 0 feels no air",
        low=0.0,
        high=100.0,
        soft_high=2.0,
    )
    air_friction: float | np.ndarray = number(
        0.02,
        "Air Friction",
        "The same for air that flows along the surface of a cloth; smooth ones have about 0.02",
        low=0.0,
        high=100.0,
        soft_high=0.5,
    )
    shrink: float | np.ndarray = number(
        0.0,
        "Shrink",
        "Part by which the cloth is smaller at rest, along all directions: 0.1 draws it together "
        "by a tenth. Below 0 it grows",
        low=-10.0,
        high=0.95,
        soft_low=-1.0,
        soft_high=0.5,
    )
    pressure: float = number(
        0.0,
        "Pressure",
        "Pressure of the air inside a closed cloth above that outside; below 0 it is sucked empty",
        unit="Pa",
        low=-1e9,
        high=1e9,
        soft_low=-1e3,
        soft_high=1e3,
    )
    keep_volume: bool = switch(
        False,
        "Keeps Air",
        "The air inside a closed cloth stays inside: squeezed together it presses more, as in a "
        "ball. Pressure is what it has at the volume of the rest shape",
    )
    fill_openings: bool = switch(
        False,
        "Fill Openings",
        "Close the openings of a cloth under pressure, each as by a film that weighs nothing and "
        "resists nothing; nothing touches it. Seams are closed without it",
    )
    collision_thickness: float | np.ndarray = number(
        0.0,
        "Collision Thickness",
        "Distance that the surface keeps; two surfaces keep the sum of both, folds of one twice "
        "it. 0 follows the size of the object and of its faces. Surfaces need that room from the "
        "start, so it may not have keyframes",
        unit="m",
        low=0.0,
        high=100.0,
        soft_high=0.1,
    )
    cohesion: float | np.ndarray = number(
        0.0,
        "Cohesion",
        "Tensile strength of bonds between grains that touch at the start: about 1 kPa for damp "
        "sand, 10 kPa for clay. Broken ones do not come back; 0 has none",
        unit="Pa",
        low=0.0,
        high=1e12,
        soft_high=1e5,
    )
    self_contact: bool = switch(
        False, "Self Contact", "Keep the surface of this object from passing through itself"
    )
    spring_stiffness: float | np.ndarray | None = number(
        None, "Spring Stiffness", "Of each spring of a rod", unit="N/m", low=0.0, high=1e15
    )
    vertex_mass: float | np.ndarray | None = number(
        None, "Vertex Mass", "Of each vertex of a rod", unit="kg", low=1e-12, high=1e12
    )
    mu: float | np.ndarray | None = number(
        None, "Mu", "Energy constant μ: Pa or N/m; replaces Young's modulus", low=0.0, high=1e13
    )
    lam: float | np.ndarray | None = number(
        None, "Lambda", "Energy constant λ: Pa or N/m; replaces Poisson's ratio", low=0.0, high=1e14
    )

    def __post_init__(self):
        check_ranges(self)
        if (self.mu is None) != (self.lam is None):
            raise ValueError(message("material.mu_and_lam"))

    @classmethod
    def from_energy(cls, *, mu, lam, **others) -> "Material":
        """A material from the constants of its energy, as in the VBD paper's Table 1.

        Solids: μ and λ [Pa], by default of ψ = μ/2 (|F|² − 3) + λ/2 (J − 1 − μ/λ)².
        Cloth: μ and λ [N/m], by default of ψ = μ |G|² + λ/2 tr(G)² per area.
        """
        return cls(mu=mu, lam=lam, **others)
