# SPDX-License-Identifier: GPL-3.0-or-later
"""Energy constants of every material model from the constants that users set, and back.

The constants of each model are chosen such that it obeys linear elasticity at small strain:

    solid            μ          λ                     ψ, in kernels/elements/
    neo_hookean      μ_L        λ_L + μ_L             neo_hookean.py, tets.py
    neo_hookean_log  4/3 μ_L    λ_L + 5/6 μ_L         neo_hookean_log.py (Smith et al. 2018, §3.4)
    corotated        μ_L        λ_L                   corotated.py (PBNG 2023, eq. 9)
    membrane
    stvk             μ_L        λ_L                   triangles.py
    orthotropic      orthotropic_stiffness            triangles.py
    neo_hookean      μ_L        λ_L + μ_L             stable_triangles.py

Membranes are in plane stress: μ_L = E t/(2 (1 + ν)), λ_L = E t ν/(1 − ν²) [N/m].
"""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.elements import corotated, neo_hookean, neo_hookean_log


@dataclass(frozen=True)
class SolidMaterial:
    """A material of solids of any element: its energy density and derivatives as functions of F."""

    name: str
    """Its name in `Material.solid_model`."""
    from_lame: tuple[float, float]
    """(a, b): μ = a μ_L and λ = λ_L + b μ_L."""
    force_hessian: wp.Function
    """(μ, λ, F, g) → the force [N] on a vertex with ∇N = g and its block [N/m]."""
    square_and_rest: wp.Function
    """(μ, λ) → twice the factor of |F|² in ψ, and α."""
    other_stress: wp.Function | None
    """(μ, λ, F) → ∂/∂F of the terms of ψ other than |F|² and those of J; None for no such term."""
    sampled: wp.Function | None
    """(F, D, longest) → False if those terms are zero at F + α D, α ≤ longest; None for never."""
    density: wp.Function
    """(μ, λ, F, J) → ψ in float64, zero at rest."""


def material_of(module, from_lame):
    """Return the `SolidMaterial` with the functions of a module of kernels/elements."""
    return SolidMaterial(
        module.__name__.rpartition(".")[2],
        from_lame,
        module.force_hessian,
        module.square_and_rest,
        getattr(module, "other_stress", None),
        getattr(module, "sampled", None),
        module.density,
    )


NEO_HOOKEAN = material_of(neo_hookean, (1.0, 1.0))
# Materials that have no reduced form on tets (kernels/elements/tets.py).
CONTINUA = (
    material_of(neo_hookean_log, (4.0 / 3.0, 5.0 / 6.0)),
    material_of(corotated, (1.0, 0.0)),
)
# (a, b): μ = a μ_L and λ = λ_L + b μ_L.
FROM_LAME = {
    "stvk": (1.0, 0.0),
    "orthotropic": (1.0, 0.0),
} | {material.name: material.from_lame for material in (NEO_HOOKEAN, *CONTINUA)}


def divides_by_lam(model):
    """Return whether the energy of a model has α = 1 + … μ/λ, so that λ must be above zero."""
    return FROM_LAME[model][1] > 0.0


def solid_lame(material):
    """Lamé's (μ_L, λ_L) [Pa] of a solid."""
    if material.mu is not None:
        return _lame(material.solid_model, material.mu, material.lam)
    e, nu = np.asarray(material.youngs_modulus), np.asarray(material.poisson_ratio)
    return e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))


def membrane_lame(material):
    """Lamé's (μ_L, λ_L) [N/m] of a membrane in plane stress, of stretch stiffness E t."""
    if material.mu is not None:
        return _lame(material.membrane, material.mu, material.lam)
    stretch = np.asarray(material.youngs_modulus) * material.thickness
    nu = np.asarray(material.poisson_ratio)
    return stretch / (2.0 * (1.0 + nu)), stretch * nu / (1.0 - nu * nu)


def _lame(model, mu, lam):
    a, b = FROM_LAME[model]
    mu = np.asarray(mu, dtype=float) / a
    return mu, np.maximum(np.asarray(lam, dtype=float) - b * mu, 0.0)


def energy_constants(model, mu, lam):
    """Constants (μ, λ) of a model's energy from Lamé's constants."""
    a, b = FROM_LAME[model]
    return a * mu, lam + b * mu


def solid_constants(material):
    """Constants (μ, λ) [Pa] of the energy of a solid."""
    if material.mu is not None:
        return material.mu, material.lam
    return energy_constants(material.solid_model, *solid_lame(material))


def membrane_constants(material):
    """Constants (μ, λ) [N/m] of the energy of an isotropic membrane."""
    if material.mu is not None:
        return material.mu, material.lam
    return energy_constants(material.membrane, *membrane_lame(material))


def stvk_stiffness(mu, lam):
    """(K₁, K₂, K₁₂, G_s) [N/m] of the isotropic StVK membrane, shape [..., 4]."""
    mu, lam = np.broadcast_arrays(np.asarray(mu, dtype=float), lam)
    return np.stack([2.0 * mu + lam, 2.0 * mu + lam, lam, mu], axis=-1)


def orthotropic_stiffness(material):
    """(K₁, K₂, K₁₂, G_s) [N/m] of woven cloth, shape [..., 4].

    Warp K₁ = E₁ t/(1 − ν²), weft K₂ = E₂ t/(1 − ν²), K₁₂ = ν √(K₁ K₂), shear G_s = G t; ν² is the
    product of the two Poisson's ratios of an orthotropic sheet.
    """
    t, nu = material.thickness, np.asarray(material.poisson_ratio, dtype=float)
    warp = np.asarray(material.youngs_modulus, dtype=float) * t / (1.0 - nu * nu)
    weft = np.asarray(material.weft_modulus, dtype=float) * t / (1.0 - nu * nu)
    shear = np.asarray(material.shear_modulus, dtype=float) * t
    values = np.broadcast_arrays(warp, weft, nu * np.sqrt(warp * weft), shear)
    return np.stack(values, axis=-1)
