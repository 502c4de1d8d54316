# SPDX-License-Identifier: GPL-3.0-or-later
"""Material constants and mass of bodies per element."""

from dataclasses import replace

import numpy as np

from ..messages import message

# The `Material.solid_model` of solids without logarithm.
NEO_HOOKEAN = "neo_hookean"
ELASTIC = (
    *("youngs_modulus", "poisson_ratio", "weft_modulus", "shear_modulus"),
    *("thickness", "mu", "lam"),
)


def per_element(body, what, values):
    """`values` as float64 [element], not to be changed; one number is repeated without taking more
    memory, values per vertex are averaged.
    """
    values = np.asarray(values, dtype=np.float64)
    count = len(body.elements)
    if values.ndim == 0:
        return np.broadcast_to(values, count)
    if values.shape == (count,):
        return values
    if values.shape == (len(body.points),):
        return values[body.elements].mean(axis=1)
    raise ValueError(
        message(
            "material.array_of_elements",
            name=body.name,
            what=what,
            shape=values.shape,
            count=count,
            vertices=len(body.points),
        )
    )


def per_vertex(body, what, values):
    """`values` as float64 [vertex]; one number is repeated."""
    values = np.asarray(values, dtype=np.float64)
    count = len(body.points)
    if values.shape not in {(), (count,)}:
        raise ValueError(
            message("material.array", name=body.name, what=what, shape=values.shape, count=count)
        )
    return np.broadcast_to(values, count)


def damping_time(body, settings):
    """Damping time k_d [s] per element: the sum of the material's and the scene's."""
    return per_element(body, "damping", np.asarray(body.material.damping) + settings.damping)


def is_damped(body, columns):
    """Return the mask [element] of elements that are damped, or may be in a later frame."""
    return (columns.damping_time > 0.0) | body.changes("damping")


def limit_of(values):
    """Elastic limits, infinite where a value of 0 stands for none."""
    return np.where(values > 0.0, values, np.inf)


def yields(body):
    """Return whether a solid is plastic; only those of `NEO_HOOKEAN` can be."""
    m = body.material
    return m.solid_model == NEO_HOOKEAN and bool((np.asarray(m.yield_strain) > 0.0).any())


def has_rest_values(cells):
    """Return whether a body of cells has rest values: a plastic one, or one with an unstressed
    shape.
    """
    return yields(cells) or cells.unstressed_points is not None


def crease_curvature(body):
    """Curvature [1/m] per element above which a body creases; infinite where it never does."""
    radius = per_element(body, "crease radius", body.material.crease_radius)
    with np.errstate(divide="ignore"):
        return 1.0 / radius


def elastic_constants(body):
    """The body's material with elastic constants per element where they are not numbers."""
    given = {name: getattr(body.material, name) for name in ELASTIC}
    values = {
        name: float(value) if np.ndim(value) == 0 else per_element(body, named(name), value)
        for name, value in given.items()
        if value is not None
    }
    return replace(body.material, **values)


def elastic_per_element(body):
    """The body's material with every elastic constant per element."""
    m = elastic_constants(body)
    given = {name: getattr(m, name) for name in ELASTIC}
    return replace(
        m, **{n: per_element(body, named(n), v) for n, v in given.items() if v is not None}
    )


def named(constant):
    """The name of a constant in messages."""
    return constant.replace("_", " ")


def lumped(vertex_count, corners, element_mass):
    """Mass of every vertex [kg]: each element's mass, in equal shares."""
    share = np.repeat(element_mass / corners.shape[1], corners.shape[1])
    return np.bincount(corners.ravel(), share, minlength=vertex_count)
