# SPDX-License-Identifier: GPL-3.0-or-later
"""Extended position-based dynamics: springs, and neo-Hookean tets (Macklin and Müller 2021).

Every constraint C with compliance α has the energy C²/(2α); one visit moves its vertices by

    Δλ = (−C − α̃ λ)/(∇C M⁻¹ ∇Cᵀ + α̃),   Δx = M⁻¹ ∇Cᵀ Δλ,   α̃ = α/h²

Spring: C = l − l₀, α = 1/k. Tet: C_H = J − 1 − μ/λ with 1/(λ V₀) and C_D = √tr(FᵀF) with 1/(μ V₀);
their energies add up to the stable neo-Hookean one without logarithm. The method starts from the
inertial positions and drops the primary residual: it does not converge to implicit Euler's step
unless the gradients of the constraints are constant.
"""

import numpy as np

from .coloring import element_colors
from .energies import Continuum, Springs
from .solids import NeoHookean, cofactor, determinant


def spring_constraint(part, x):
    """C [element] and ∇C [element, corner, 3]."""
    n = part.directions(x)
    return part.lengths(x) - part.rest, np.stack([-n, n], axis=1)


def volume_constraint(part, x):
    f = part.columns(x)
    gradient = np.einsum("ead,edi->eai", part.shape, cofactor(f))
    return determinant(f) - part.density.alpha, gradient


def shear_constraint(part, x):
    f = part.columns(x)
    size = np.sqrt((f * f).sum(axis=(1, 2)))
    return size, np.einsum("ead,edi->eai", part.shape, f / size[:, None, None])


def constraints_of(part):
    """(constraint, compliance [element]) of a kind of element."""
    if isinstance(part, Springs):
        return [(spring_constraint, 1.0 / part.stiffness)]
    if isinstance(part, Continuum) and isinstance(part.density, NeoHookean):
        return [
            (shear_constraint, 1.0 / (part.density.mu * part.measure)),
            (volume_constraint, 1.0 / (part.density.lam * part.measure)),
        ]
    raise ValueError(f"XPBD is written for springs and neo-Hookean tets, not for {type(part)}")


def xpbd(problem):
    """Yields x after every visit of all constraints."""
    x = np.where(problem.pinned[:, None], problem.guess, problem.inertial)
    inverse_mass = np.where(problem.pinned, 0.0, 1.0 / problem.mass)
    visits = []
    for part in problem.elements:
        color = element_colors(len(x), part.corners)
        for c in range(color.max() + 1):
            keep = color == c
            for constraint, compliance in constraints_of(part):
                soft = compliance[keep] / problem.h**2
                visits.append((part.take(keep), constraint, soft, np.zeros(keep.sum())))
    while True:
        for part, constraint, soft, multiplier in visits:
            value, gradient = constraint(part, x)
            w = inverse_mass[part.corners]
            resistance = np.einsum("ea,eai,eai->e", w, gradient, gradient) + soft
            change = (-value - soft * multiplier) / resistance
            multiplier += change
            # No two elements of a color share a vertex, so plain indexing adds nothing twice.
            x[part.corners] += w[:, :, None] * gradient * change[:, None, None]
        yield x.copy()
