# SPDX-License-Identifier: GPL-3.0-or-later
"""Moduli of solid bodies [Pa], per element; those of one number take no memory."""

import numpy as np

from ..messages import message
from .body_constants import elastic_constants
from .materials import divides_by_lam, solid_constants, solid_lame


def moduli_of(body):
    """The constants μ and λ of a body's energy, and Lamé's μ and λ [element], not to be changed."""
    m = elastic_constants(body)
    mu, lam = solid_constants(m)
    if divides_by_lam(m.solid_model) and (np.asarray(lam) <= 0.0).any():
        raise ValueError(message("material.lam_solid", name=body.name))
    return _per_element(body, mu, lam, *solid_lame(m))


def lame_of(body):
    """Lamé's constants μ and λ of a body [element], not to be changed."""
    return _per_element(body, *solid_lame(elastic_constants(body)))


def _per_element(body, *values):
    return [np.broadcast_to(each, len(body.elements)) for each in values]
