# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of element: all that the solver knows of tets, triangles, springs and whatever comes next.

The vertex solve, the residual, the coarse correction, slopes along a line, energies, damping and
tearing are made from what stands here, for every kind of the tuple `KINDS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import warp as wp


@dataclass
class Columns:
    """Elements of one kind as columns of equal length; `columns[mask]` takes some."""

    corners: np.ndarray
    """Their vertices, [element, corner]."""

    def __len__(self):
        return len(self.corners)

    def __getitem__(self, mask):
        return type(self)(*(getattr(self, f.name)[mask] for f in fields(self)))


@dataclass
class Plastic(Columns):
    """Those whose rest values, the column `rest`, flow (kernels/elements/flow.py)."""

    limit: np.ndarray
    """Strain that is elastic, in the measure of the kind; infinite where all is, [element]."""
    flow_time: np.ndarray
    """Time [s] in which the part 1 − 1/e of what is beyond becomes permanent, [element]."""
    state: np.ndarray
    """Which elements they are of those that the scene, or until then the body, began with."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ElementKind:
    """Functions of a kind of element, on the host and in kernels.

    `record` is what one vertex reads of an element, `element` and `exact` are what sums over whole
    elements read, in float32 and in float64; all are `wp.struct`s, and the last two have the field
    `corners`. The state of an element is its gradient G [3, columns] = Σ x_a w_aᵀ over its corners.
    `rest` is the type of the values at which elements are relaxed, one per record, which damping
    moves; `x` are positions [m]. (A `corners` of two serves for one, too.)
    """

    name: str
    corners: int
    """Vertices of an element."""
    columns: int
    """Columns of G."""
    cost: float
    """Rough time that a vertex takes for a record, on one CPU core [ns]."""

    of_body: Callable
    """(body, settings) → the `Columns` of a body, or None."""
    records: Callable
    """(rest points [vertex, 3], `Columns`, step length [s]) → `records.Records`."""
    element_columns: Callable
    """The same → the fields of `element` but for `corners` and `record`, by name."""
    exact_columns: Callable | None = None
    """(rest points, `Columns`) → the fields of `exact` but for `corners`, by name."""
    relaxation: Callable | None = None
    """`Columns` → the largest over-relaxation ω [element] that settles; any does without."""
    torn: Callable | None = None
    """(`Columns` of a body, `model.tearing.Tear`) → those that are left after a tear."""

    record: type
    rest: type = float
    diagonal: bool = False
    """Whether `Records.diagonal` has a part of the blocks that never changes."""
    force_hessian: wp.Function
    """(record, its number, rest values, x_i, x) → −∂E/∂x_i [N], a block ∂²E/∂x_i² [N/m] ≥ 0."""
    in_lanes: wp.Function | None = None
    """The same of eight records of a vertex in lanes (kernels/device/lanes.py), which the CPU
    takes. Then records and rest values are wide ones, and x_i is a vector.
    """
    pulled: bool = False
    """`force_hessian` and `in_lanes` take one more argument: the size [N] of the force that
    inertia and the kinds before this one in `KINDS` make at the vertex."""
    moved_rest: wp.Function | None = None
    """(record, undamped rest value, blend β, x_i, x) → the rest value of this step."""
    rest_in_lanes: wp.Function | None = None
    """The same of eight records of a vertex in lanes, of kinds that go in them."""

    flowing: type | None = None
    """The type of the first numbers of rest values, where only these flow."""
    flowed: wp.Function | None = None
    """(element, what flows of the rest value, limit, share, x) → the same after a share of what is
    strained beyond the limit has become permanent, of kinds whose columns are `Plastic`."""

    element: type
    gradient: wp.Function
    """(element, x) → G; linear in x."""
    weight: wp.Function
    """(element, corner) → w_a."""
    affine: bool = False
    """Whether G is F = ∂x/∂X in space, so that an affine motion has the same in all elements, or
    begins with the three columns of F and has others that are zero under affine motions."""
    to_space: bool = False
    """Whether elements hold on to points in space, so that momentum is not theirs to keep."""
    balanced: bool = True
    """Whether the forces of an element add up to zero, and not only those of all together."""
    stress: wp.Function
    """(element, rest values, G) → P = ∂E/∂G."""
    squares: int = 0
    square: wp.Function | None = None
    """(element, rest values, G, m) → (c_m, Q_m), m < squares: ∂²E/∂G² ∋ c_m vec(Q_m) vec(Q_m)ᵀ."""
    spread: wp.Function | None = None
    """(element, rest values, G) → M [columns, columns]: ∂²E/∂G² has M ⊗ I; none without."""
    shear: wp.Function | None = None
    """(element) → μ: ∂²E/∂G² has μ I, the same at every G; none without."""
    turning: wp.Function | None = None
    """(element, rest values, G) → t F, of solids: ∂²E/∂F² has t ∂cof F/∂F; none without."""
    slope: wp.Function | None = None
    """(element, rest values, G, D, total) → total and the coefficients 1, α … α⁵ of ∂E/∂α at
    G + α D, but for what is sampled."""
    sampled_stress: wp.Function | None = None
    """(element, rest values, G) → what of P no polynomial in α comes from."""
    slope_in_lanes: wp.Function | None = None
    """(elements, rest values, x, direction, total) → the same of eight elements in lanes, `vec6s`,
    of kinds that have no volume and are not sampled."""
    line: wp.Function | None = None
    """(element, rest values, x, direction, longest, total, samples) → `total` with coefficients
    1, α … α⁵ of ∂E/∂α as far as it is a polynomial, and `samples` with what the rest of it gains up
    to longest · 1/8, … 8/8, of kinds some of whose elements are polynomials and others are not."""
    line_in_lanes: wp.Function | None = None
    """`line` of eight elements in lanes, of kinds that have no volume."""
    forces_in_lanes: wp.Function | None = None
    """(elements, rest values, x) → `CornersInLanes`, the forces [N] of eight on all corners but the
    first, of kinds that are balanced."""
    volume: wp.Function | None = None
    """(element, G) → volume over that at rest; none for what has no inside."""

    exact: type | None = None
    energy: wp.Function | None = None
    """(exact, x) → E [J], zero at rest, and the volume over that at rest; none for viscosity."""

    @property
    def state(self):
        """The type of what flows."""
        return self.flowing or self.rest

    @property
    def has_rest(self):
        """Whether anything moves its rest values."""
        return self.moved_rest is not None or self.flowed is not None
