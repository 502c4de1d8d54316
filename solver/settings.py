# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the solver and of materials: the one place for defaults, ranges, units and texts.

Every number below is declared once with `number()`. The solver checks values against the range,
and the Blender properties are made from the same declaration.
"""

from dataclasses import dataclass, field, fields
from math import inf

import numpy as np

# Fewer iterations than these do not settle what relaxation and fast vibrations overshoot.
SETTLING = 3
# Nor do fewer than these tell how large the error is.
ENOUGH_TO_TELL = 6


def number(default, label, text, *, unit="", low=-inf, high=inf, soft_low=None, soft_high=None):
    """A dataclass field with its range [low, high], slider range, unit and tooltip."""
    return field(
        default=default,
        metadata={
            "label": label,
            "text": text,
            "unit": unit,
            "low": low,
            "high": high,
            "soft_low": low if soft_low is None else soft_low,
            "soft_high": high if soft_high is None else soft_high,
        },
    )


def switch(default, label, text):
    """A dataclass field that is on or off, with its tooltip."""
    return field(default=default, metadata={"label": label, "text": text})


def choice(default, label, text, **names):
    """A dataclass field that takes one of the keywords of `names`, each shown by its text."""
    return field(default=default, metadata={"label": label, "text": text, "names": names})


def check_ranges(owner):
    """Refuse the first field of a dataclass that is not finite or outside its declared range."""
    for f in fields(owner):
        names = f.metadata.get("names")
        if names and getattr(owner, f.name) not in names:
            raise ValueError(
                f'{f.name} is "{getattr(owner, f.name)}"; it must be one of {", ".join(names)}'
            )
        if "low" not in f.metadata:
            continue
        value = getattr(owner, f.name)
        if value is None and f.default is None:
            continue
        low, high, unit = (f.metadata[k] for k in ("low", "high", "unit"))
        if isinstance(f.default, int) and not isinstance(value, int | np.integer):
            raise ValueError(f"{f.name} is {value}; it must be a whole number")
        values = np.asarray(value, dtype=float)
        bad = ~(np.isfinite(values) & (values >= low) & (values <= high))
        if bad.any():
            first = values[bad].flat[0]
            where = f" (element {int(np.flatnonzero(bad)[0])})" if values.ndim else ""
            raise ValueError(
                f"{f.name} is {first:g}{where}; it must lie between {low:g} and {high:g}"
                + (f" {unit}" if unit else "")
            )


def acceleration(values):
    """Three finite numbers [m/s²] as float64; refuses anything else."""
    array = np.asarray(values, dtype=float)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ValueError(f"gravity is {values}; it must be three finite numbers")
    return array


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a scene is simulated. SI units."""

    frame_time: float = number(
        1.0 / 24.0, "Frame Time", "Time from one frame to the next", unit="s", low=1e-6, high=1000.0
    )
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """Acceleration [m/s²] of everything that is free."""
    substeps: int = number(
        4,
        "Substeps",
        "Time steps per frame: more for fast motion and crisp contact",
        low=1,
        high=1000,
        soft_high=32,
    )
    iterations: int = number(
        20,
        "Iterations",
        "Passes of the solver over all vertices in every substep: the most that it may take to "
        "reach the accuracy. More for stiff materials and fine meshes",
        low=1,
        high=10000,
        soft_high=200,
    )
    collision_stiffness: float = number(
        1e5,
        "Collision Stiffness",
        "Force per metre by which surfaces come closer than their thickness allows (k_c)",
        unit="N/m",
        low=0.0,
        high=1e12,
        soft_low=1e2,
        soft_high=1e8,
    )
    friction: float = number(
        0.4,
        "Friction",
        "Coulomb friction coefficient of contacts (μ_c), for objects without one of their own",
        low=0.0,
        high=100.0,
        soft_high=1.0,
    )
    damping: float = number(
        0.0,
        "Damping",
        "Damping time of all materials (k_d), on top of their own. Slows changes of "
        "shape, never falling or spinning",
        unit="s",
        low=0.0,
        high=10.0,
        soft_high=0.1,
    )
    friction_velocity: float = number(
        0.01,
        "Friction Velocity",
        "Speed times the time of a substep is how far a contact gives way before "
        "it slides; what sticks stays there (ε_v)",
        unit="m/s",
        low=1e-6,
        high=10.0,
        soft_high=0.1,
    )
    relaxation: float = number(
        1.5,
        "Relaxation",
        "Over-relaxation of every vertex step (ω): 1 is plain descent, 1.5 converges "
        "faster. Vertices in contact always use 1, nearly incompressible cells less than 1.3",
        low=0.1,
        high=1.95,
        soft_low=1.0,
        soft_high=1.9,
    )
    coarse_correction: bool = switch(
        True,
        "Coarse Correction",
        "After some of the iterations, let patches of bodies move as a whole. Stiff and fine "
        "meshes converge in a few iterations instead of hundreds",
    )
    acceleration: float = number(
        0.0,
        "Acceleration",
        "Chebyshev acceleration with this spectral radius (ρ) instead of relaxation and coarse "
        "correction; 0 is off",
        low=0.0,
        high=0.9999,
    )
    estimate_acceleration: bool = switch(
        False,
        "Estimate Acceleration",
        "Chebyshev acceleration with a spectral radius that the solver measures in every frame",
    )
    line_search: bool = switch(
        False,
        "Line Search",
        "Shorten a vertex step that overshoots. Slower; for materials that are far from quadratic",
    )
    initial_guess: str = choice(
        "adaptive",
        "Initial Guess",
        "Where the iterations of a substep start. The adaptive guess keeps only the motion that "
        "lowers the energy of the step, so it holds with very few iterations too",
        adaptive="Adaptive",
        inertia_acceleration="Inertia and Acceleration",
        inertia="Inertia",
        previous="Previous Position",
    )
    quasistatic: bool = switch(
        False,
        "Quasistatic",
        "Find the equilibrium of every frame, without inertia. Bodies must be held by pins, "
        "attachments or contact",
    )
    accuracy: float = number(
        0.02,
        "Accuracy",
        "How large errors may be, as a part of the motion: a substep ends when that of every "
        "object is estimated to be smaller. Smaller is slower; 0 always does all iterations, and "
        "so do fewer than 24 where surfaces may touch",
        low=0.0,
        high=1.0,
        soft_high=0.05,
    )
    tolerance: float = number(
        0.0,
        "Tolerance",
        "End a substep by the residual instead of the accuracy: when it falls below this, or to "
        "what rounding leaves of it; looked at every 10 iterations. 0 is off",
        low=0.0,
        high=1e6,
        soft_high=0.1,
    )
    augmented: bool = switch(
        True,
        "Augmented Lagrangian",
        "Let attachments and springs that are much stiffer than their surroundings converge by "
        "multipliers",
    )
    collision_interval: int = number(
        5,
        "Collision Interval",
        "Iterations until contacts are sought again for the few that need it, then twice as many, "
        "and so on (n_col)",
        low=1,
        high=10000,
        soft_high=20,
    )
    collision_damping: float = number(
        0.0,
        "Collision Damping",
        "Damping time of contacts that come closer: higher values bounce less",
        unit="s",
        low=0.0,
        high=10.0,
        soft_high=0.01,
    )
    truncation: bool = switch(
        True,
        "Prevent Penetration",
        "Shorten every step that would let surfaces pass through each other",
    )
    use_ground: bool = switch(
        False, "Ground", "Collide with a plane through the ground height, normal to the z axis"
    )
    ground_height: float = number(
        0.0,
        "Ground Height",
        "Height of the ground plane",
        unit="m",
        low=-1e6,
        high=1e6,
        soft_low=-10.0,
        soft_high=10.0,
    )
    air_density: float = number(
        1.25,
        "Air Density",
        "Density of the air that resists moving cloth, rods and soft bodies with a drag of their "
        "own, and that wind moves; 0 is empty space",
        unit="kg/m³",
        low=0.0,
        high=1e4,
        soft_high=5.0,
    )
    threads: int = number(
        0, "Threads", "CPU threads; 0 uses every core", low=0, high=1024, soft_high=64
    )

    def __post_init__(self):
        check_ranges(self)
        acceleration(self.gravity)

    @property
    def step_time(self) -> float:
        """Length h of one substep [s]."""
        return self.frame_time / self.substeps

    @property
    def guess(self) -> str:
        """The initial guess; an equilibrium is sought from where the bodies are."""
        return "previous" if self.quasistatic else self.initial_guess

    @property
    def is_accelerated(self) -> bool:
        """Whether sweeps are extrapolated by Chebyshev's method."""
        return self.acceleration > 0.0 or self.estimate_acceleration

    @property
    def is_cyclic(self) -> bool:
        """Whether iterations go in even cycles, whose moves tell the error, until it is small."""
        is_told = self.coarse_correction and not (self.is_accelerated or self.quasistatic)
        is_asked = self.accuracy > 0.0 and self.tolerance == 0.0
        return is_told and is_asked and self.iterations >= ENOUGH_TO_TELL

    @property
    def is_short(self) -> bool:
        """Whether a substep ends before fast vibrations settle."""
        return self.iterations < SETTLING and not self.quasistatic

    @property
    def sweep_relaxation(self) -> float:
        """ω of the sweeps; Chebyshev extrapolates plain ones, and short substeps settle no more."""
        return 1.0 if self.is_accelerated or self.is_short else self.relaxation


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a body is made of. SI units.

    Stiffness, density, damping and the thickness of cloth may be arrays with one entry per element
    or per vertex; friction, drag and the thickness of collision with one per vertex.
    """

    youngs_modulus: float | np.ndarray = number(
        1e5,
        "Young's Modulus",
        "Stiffness against stretching, in pascal",
        unit="Pa",
        low=1e-3,
        high=1e13,
        soft_low=1e2,
        soft_high=1e12,
    )
    poisson_ratio: float | np.ndarray = number(
        0.4,
        "Poisson's Ratio",
        "How much the material thins when stretched; 0.5 would keep its volume exactly",
        low=0.0,
        high=0.4999,
        soft_high=0.49,
    )
    density: float | np.ndarray = number(
        1000.0,
        "Density",
        "Mass in kg per cubic metre (soft bodies), square metre (cloth) or metre (rods)",
        unit="kg/m³, kg/m² or kg/m",
        low=1e-9,
        high=1e9,
        soft_low=1e-3,
        soft_high=1e4,
    )
    thickness: float | np.ndarray = number(
        0.001,
        "Thickness",
        "Thickness of the cloth or diameter of the rod: with Young's modulus it gives "
        "the stretch stiffness",
        unit="m",
        low=1e-7,
        high=10.0,
        soft_high=0.01,
    )
    bending_stiffness: float | np.ndarray = number(
        1e-5,
        "Bending Stiffness",
        "Flexural rigidity of the cloth, in newton metre",
        unit="N m",
        low=0.0,
        high=1e9,
        soft_high=1e-2,
    )
    bending_factor: float | np.ndarray = number(
        0.0,
        "Bending Factor",
        "Stiffness of a rod against bending and twisting as a part of that of a solid round one: 1 "
        "for wire and rubber, far less for rope, whose fibers slide. 0 folds like a chain",
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
        "Stiffness of woven cloth along V of the UV map, in pascal; Young's modulus is the one "
        "along U",
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
        "Bending stiffness of woven cloth along V of the UV map, as a part of that along U; 1 "
        "bends alike in all directions",
        low=0.0,
        high=1e3,
        soft_high=2.0,
    )
    crease_radius: float | np.ndarray = number(
        0.0,
        "Crease Radius",
        "What is bent more sharply than this radius keeps what is beyond, as paper and wire do; 0 "
        "always springs back",
        unit="m",
        low=0.0,
        high=1e3,
        soft_high=1.0,
    )
    yield_strain: float | np.ndarray = number(
        0.0,
        "Yield Strain",
        "What is stretched or pressed by more than this part keeps what is beyond, as foil and "
        "clay do; 0 always springs back. Soft bodies keep their volume",
        low=0.0,
        high=10.0,
        soft_high=0.5,
    )
    flow_time: float = number(
        0.0,
        "Flow Time",
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
    damping: float | np.ndarray = number(
        0.0,
        "Damping",
        "Damping time of this material, added to the scene's",
        unit="s",
        low=0.0,
        high=10.0,
        soft_high=0.1,
    )
    friction: float | np.ndarray | None = number(
        None,
        "Friction",
        "Friction coefficient of this object; a contact takes the geometric mean of both sides",
        low=0.0,
        high=100.0,
        soft_high=1.0,
    )
    drag: float | np.ndarray = number(
        0.0,
        "Air Drag",
        "How much the air resists (drag coefficient): about 1.2 for cloth across its surface, 1 "
        "for rods and soft bodies. Slanting cloth is lifted by it as well. 0 feels no air",
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
        "Shrink Factor",
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
        "Pressure of the air inside a closed cloth above that outside, which blows it up. Below 0 "
        "it is sucked empty",
        unit="Pa",
        low=-1e9,
        high=1e9,
        soft_low=-1e3,
        soft_high=1e3,
    )
    keep_volume: bool = switch(
        False,
        "Keep Volume",
        "The air inside a closed cloth stays inside: squeezed together it presses more, as in a "
        "ball. Pressure is what it has at the volume of the rest shape",
    )
    collision_thickness: float | np.ndarray = number(
        0.0,
        "Collision Thickness",
        "Distance that the surface keeps; two surfaces keep the sum of both, folds of one twice "
        "it. 0 follows the size of the object and of its faces",
        unit="m",
        low=0.0,
        high=100.0,
        soft_high=0.1,
    )
    self_contact: bool = switch(
        False, "Self Contact", "Keep the surface of this object from passing through itself"
    )
    spring_stiffness: float | np.ndarray | None = number(
        None,
        "Spring Stiffness",
        "Stiffness of every spring of a rod; replaces Young's modulus",
        unit="N/m",
        low=0.0,
        high=1e15,
    )
    vertex_mass: float | np.ndarray | None = number(
        None,
        "Vertex Mass",
        "Mass of every vertex of a rod; replaces the density",
        unit="kg",
        low=1e-12,
        high=1e12,
    )
    mu: float | np.ndarray | None = number(
        None,
        "Mu",
        "Energy constant μ: Pa for solids, N/m for cloth; replaces Young's modulus",
        low=0.0,
        high=1e13,
    )
    lam: float | np.ndarray | None = number(
        None,
        "Lambda",
        "Energy constant λ: Pa for solids, N/m for cloth; replaces Poisson's ratio",
        low=0.0,
        high=1e14,
    )

    def __post_init__(self):
        check_ranges(self)
        if (self.mu is None) != (self.lam is None):
            raise ValueError("mu and lam replace Young's modulus together: give both or none")

    @classmethod
    def from_energy(cls, *, mu, lam, **others) -> "Material":
        """A material from the constants of its energy, as in the VBD paper's Table 1.

        Solids: μ and λ [Pa], by default of ψ = μ/2 (|F|² − 3) + λ/2 (J − 1 − μ/λ)².
        Cloth: μ and λ [N/m], by default of ψ = μ |G|² + λ/2 tr(G)² per area.
        """
        return cls(mu=mu, lam=lam, **others)
