# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a simulation: the table of all of them."""

from dataclasses import dataclass, fields

from ..messages import message
from ..topology.values import number as number_of
from ..topology.values import three_numbers
from .declaring import check_ranges, choice, number, switch

# Fewer iterations than these do not damp the overshoot of relaxation and fast vibrations.
SETTLING = 3
# Fewer iterations than these do not give an estimate of the error.
LEAST_FOR_ESTIMATE = 6
# The same for quasistatic frames.
LEAST_AT_REST = 8


def acceleration(values):
    """Gravity [m/s²], three finite numbers, as float64; refuses anything else."""
    return three_numbers("Gravity", "acceleration", values)


def check_friction(name, friction):
    """Raise ValueError unless a friction is None, a function of time or a number in range."""
    if friction is None or callable(friction):
        return
    (field,) = (f for f in fields(Settings) if f.name == "friction")
    low, high = field.metadata["low"], field.metadata["high"]
    if not low <= number_of(name, "friction", friction) <= high:
        known = {"name": f"{name}: friction", "value": friction, "low": low, "high": high}
        raise ValueError(message("material.range", **known))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of the simulation of a scene, in SI units."""

    frame_time: float = number(
        1.0 / 24.0, "Frame Time", "Time from one frame to the next", unit="s", low=1e-6, high=1000.0
    )
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    """Acceleration [m/s²] of everything that is free."""
    substeps: int = number(
        4,
        "Substeps",
        "Time steps per frame: more for fast motion and crisp contact. A bake prepares them once, "
        "so they may not have keyframes",
        low=1,
        high=1000,
        soft_high=32,
    )
    iterations: int = number(
        20,
        "Iterations",
        "Passes of the solver over all vertices in every substep: the most that it may take to "
        "reach the accuracy. More for stiff materials and fine meshes. A bake prepares them once, "
        "so they may not have keyframes",
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
        "Best left alone. A contact slips by at most this speed times the time of a substep "
        "before it slides with full friction (ε_v)",
        unit="m/s",
        low=1e-6,
        high=10.0,
        soft_high=0.1,
    )
    relaxation: float = number(
        1.5,
        "Relaxation",
        "Over-relaxation of every vertex step (ω): 1 is plain descent, 1.5 converges "
        "faster. Vertices in contact always use 1, cloth with a maximum "
        "stretch at most 1.2, nearly incompressible cells less than 1.3",
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
        "correction; 0 is off, and too large a radius blows up",
        low=0.0,
        high=0.9999,
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
        "object is estimated to be smaller. Smaller is slower; 0 always does all iterations",
        low=0.0,
        high=1.0,
        soft_high=0.05,
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
        "Best left alone. After so many iterations, then twice as many, and so on, contacts are "
        "searched again for vertices whose steps were cut short (n_col)",
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
    sleep: bool = switch(
        True,
        "Sleep",
        "Objects at rest cost next to nothing: after half a second without visible motion they are "
        "not solved until something that moves comes near, or pulls them",
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
        0, "Threads", "CPU threads at most; 0 allows one per core", low=0, high=1024, soft_high=64
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
        """The initial guess; quasistatic steps start at the current positions."""
        return "previous" if self.quasistatic else self.initial_guess

    @property
    def is_accelerated(self) -> bool:
        """True if sweeps are extrapolated by Chebyshev's method."""
        return self.acceleration > 0.0

    @property
    def ends_at_accuracy(self) -> bool:
        """True if a substep ends where the estimated error is small."""
        can_estimate = self.coarse_correction and not self.is_accelerated
        least = LEAST_AT_REST if self.quasistatic else LEAST_FOR_ESTIMATE
        return can_estimate and self.accuracy > 0.0 and self.iterations >= least

    @property
    def is_cyclic(self) -> bool:
        """True if iterations run in cycles that estimate the error, until it is small."""
        return self.ends_at_accuracy and not self.quasistatic

    @property
    def is_short(self) -> bool:
        """True if a substep ends before fast vibrations settle."""
        return self.iterations < SETTLING and not self.quasistatic

    @property
    def sweep_relaxation(self) -> float:
        """ω of the sweeps; 1 for Chebyshev and for substeps too short to damp its overshoot."""
        return 1.0 if self.is_accelerated or self.is_short else self.relaxation
