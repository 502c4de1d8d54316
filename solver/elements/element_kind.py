# SPDX-License-Identifier: GPL-3.0-or-later
"""Interface of a kind of element: tets, triangles, springs and others.

The vertex solve, the residual, the coarse correction, slopes along a line, energies, damping and
tearing are built from these functions, for every kind in the tuple `KINDS`.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import warp as wp


@dataclass
class Columns:
    """Elements of one kind as columns of equal length; `columns[mask]` selects some."""

    corners: np.ndarray
    """Vertices of the elements, [element, corner]."""

    def __len__(self):
        return len(self.corners)

    def __getitem__(self, mask):
        return type(self)(*(getattr(self, f.name)[mask] for f in fields(self)))


@dataclass
class Plastic(Columns):
    """Plastic elements, whose rest values, the column `rest`, flow (kernels/elements/flow.py)."""

    limit: np.ndarray
    """Elastic limit in the strain measure of the kind, [element]; infinite where there is none."""
    flow_time: np.ndarray
    """Time [s] in which the fraction 1 − 1/e of the excess becomes permanent, [element]."""
    state: np.ndarray
    """Index of each among the initial elements of the body, then of the scene, [element]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ElementKind:
    """Functions of a kind of element, on the host and in kernels.

    `record` holds the data of an element for one of its vertices; `element` and `exact` hold them
    for sums over whole elements, in float32 and in float64. All are `wp.struct`s. The last two have
    the field `corners`, a vector of at least two integers: elements of one vertex do not use the
    second. `element` also has the field `record`, the index of one of its records, which the solver
    sets. The state of an element is its gradient G [3, columns] = Σ x_a w_aᵀ over its corners.
    `rest` is the type of the rest values, one per record, which damping may move. `x` are positions
    [m] relative to the middle of the initial bounding box of all bodies.
    """

    name: str
    corners: int
    """Vertices of an element."""
    columns: int
    """Columns of G."""
    cost: float
    """Approximate time for one record in a vertex solve, on one CPU core [ns]."""

    of_body: Callable
    """(body, settings) → new `Columns` of a body, or None; the scene renumbers their corners."""
    records: Callable
    """(rest points in the world [vertex, 3], `Columns`, step length [s]) →
    `vertex_records.Records`."""
    element_columns: Callable
    """Arguments of `records` → the fields of `element` except `corners` and `record`, by name."""
    is_local: bool = True
    """True if `element_columns` of an element do not depend on the other elements."""
    exact_columns: Callable | None = None
    """(rest points, `Columns`) → the fields of `exact` except `corners`, by name."""
    relaxation: Callable | None = None
    """`Columns` → the largest over-relaxation ω [element] that converges; None for no limit."""
    torn: Callable | None = None
    """(`Columns` of a body, `model.tearing.Tear`) → the remaining `Columns` after a tear."""

    record: type
    rest: type = float
    diagonal: bool = False
    """True if `Records.diagonal` holds a constant term of the blocks."""
    force_hessian: wp.Function
    """(record, its number, rest values, x_i, x) → −∂E/∂x_i [N], a block ∂²E/∂x_i² [N/m] ≥ 0."""
    in_lanes: wp.Function | None = None
    """`force_hessian` of eight records of a vertex in lanes (kernels/device/lanes.py), used on the
    CPU. Records and rest values are wide, and x_i is a vector.
    """
    pulled: bool = False
    """True if `force_hessian` and `in_lanes` take one more argument: the size [N] of the force of
    inertia and of the preceding kinds in `KINDS` on the vertex."""
    moved_rest: wp.Function | None = None
    """(record, undamped rest value, blend β, x_i, x) → the rest value of this step."""
    rest_in_lanes: wp.Function | None = None
    """`moved_rest` of eight records of a vertex in lanes, for kinds with `in_lanes`."""

    flowing: type | None = None
    """Type of the leading numbers of rest values, if only these flow."""
    flowed: wp.Function | None = None
    """(element, rest value as far as it flows, limit, share, x) → that value after a share of the
    strain beyond the limit has become permanent, for kinds whose columns are `Plastic`."""

    element: type
    gradient: wp.Function
    """(element, x) → G; linear in x."""
    weight: wp.Function
    """(element, corner) → w_a."""
    affine: bool = False
    """True if G is F = ∂x/∂X in space, equal in all elements under an affine motion, or begins with
    the three columns of F, followed by others that are zero under affine motions."""
    to_space: bool = False
    """True if elements are tied to points in space, so they do not conserve momentum."""
    balanced: bool = True
    """True if the forces of each element add up to zero, and not only those of all elements."""
    stress: wp.Function
    """(element, rest values, G) → P = ∂E/∂G."""
    squares: int = 0
    square: wp.Function | None = None
    """(element, rest values, G, m) → (c_m, Q_m), m < squares: ∂²E/∂G² ∋ c_m vec(Q_m) vec(Q_m)ᵀ."""
    spread: wp.Function | None = None
    """(element, rest values, G) → M [columns, columns]: ∂²E/∂G² contains M ⊗ I, unless None."""
    shear: wp.Function | None = None
    """(element) → μ: ∂²E/∂G² contains μ I, independent of G, unless None."""
    turning: wp.Function | None = None
    """(element, rest values, G) → t F, of solids: ∂²E/∂F² contains t ∂cof F/∂F, unless None."""
    slope: wp.Function | None = None
    """(element, rest values, G, D, total) → total and the coefficients 1, α … α⁵ of ∂E/∂α at
    G + α D, without the sampled terms."""
    sampled_stress: wp.Function | None = None
    """(element, rest values, G) → the terms of P that are no polynomials in α."""
    sampled: wp.Function | None = None
    """(G, D, longest) → False if these are zero at G + α D, 0 ≤ α ≤ longest; None for never."""
    slope_in_lanes: wp.Function | None = None
    """(elements, rest values, x, direction, total) → `slope` of eight elements in lanes, `vec6s`,
    for kinds without volume and without sampled terms."""
    line: wp.Function | None = None
    """(element, rest values, x, direction, longest, total, samples) → `total` with the
    coefficients 1, α … α⁵ of the polynomial terms of ∂E/∂α, and `samples` with the change of the
    other terms up to longest · 1/8, … 8/8, for kinds that have both sorts of elements."""
    line_in_lanes: wp.Function | None = None
    """`line` of eight elements in lanes, for kinds without volume."""
    forces_in_lanes: wp.Function | None = None
    """(elements, rest values, x) → `CornersInLanes`, forces [N] of eight elements on all corners
    except the first, for balanced kinds."""
    volume: wp.Function | None = None
    """(element, G) → volume over that at rest; None for elements without an inside."""

    exact: type | None = None
    energy: wp.Function | None = None
    """(exact, x) → E [J], zero at rest, and the volume over that at rest; None for viscosity."""

    @property
    def state(self):
        """Type of the values that flow."""
        return self.flowing or self.rest
