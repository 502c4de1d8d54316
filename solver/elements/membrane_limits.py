# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of compression and stretch of cloth triangles (kernels/elements/buckling.py), and their
flexural rigidity.
"""

import numpy as np

from ..bodies.folds import buckling_load, mesh_rigidity
from ..kernels.elements.buckling import Limits
from .body_constants import per_element
from .vertex_records import structured

WOVEN = "orthotropic"
# Stands for a load or strain that is never reached.
NEVER = 1e30
# Cloth hardens from this fraction of its maximum stretch on, by this factor: at its maximum stretch
# it pulls with 9 times the force that it would have without hardening.
ONSET, HARDENING = 0.2, 10.0


def bending_of(body, settings):
    """Flexural rigidity [N m] and density [kg/m²] of every triangle of a cloth, and gravity
    [m/s²].
    """
    rigidity = per_element(body, "bending stiffness", body.material.bending_stiffness)
    density = per_element(body, "density", body.material.density)
    return rigidity, density, np.linalg.norm(settings.gravity)


def rigidity_of(body, settings, areas):
    """Flexural rigidity [N m] of every triangle of a cloth with these rest areas [m²]: the larger
    of its material's and its mesh's.
    """
    bending = bending_of(body, settings)
    return mesh_rigidity(*bending, areas) if body.material.adapt_folds else bending[0]


def load_of(body, settings, areas):
    """Buckling load N_c [N/m] of every triangle; `NEVER` where faces do not buckle."""
    if not body.material.adapt_folds:
        return np.full(len(areas), NEVER)
    rigidity, density, gravity = bending_of(body, settings)
    if body.material.membrane == WOVEN:
        rigidity = rigidity * np.sqrt(per_element(body, "weft bending", body.material.weft_bending))
    return buckling_load(rigidity, density, gravity, areas)


def limits_of(body, settings, areas, stiffness):
    """(N_c [N/m], e_max, K_L [N/m], isotropy) of every triangle, as in buckling.py."""
    stretch = 1.0 + per_element(body, "maximum stretch", body.material.maximum_stretch)
    is_limited = stretch > 1.0
    most = np.where(is_limited, ONSET * 0.5 * (stretch**2 - 1.0), NEVER)
    hardening = np.where(is_limited, HARDENING * stiffness[:, :2].max(axis=1), 0.0)
    isotropy = np.full(len(areas), float(body.material.membrane != WOVEN))
    return np.stack([load_of(body, settings, areas), most, hardening, isotropy], axis=1)


def limits_data(limits, stiffness, area, rate=1.0, struct=Limits):
    """Return limits [triangle, 4] of `limits_of` as `Limits` or `ExactLimits`, for a stiffness (K₁,
    K₂, K₁₂, G_s) [N/m], areas [m²] and 1 + κ.
    """
    load, most, hardening, isotropy = limits.T
    k_1, k_2, k_12 = (np.maximum(stiffness[:, k], 1e-30) for k in range(3))
    fields = {
        "load": load * area,
        "onset": np.minimum(load / k_1, NEVER),
        "most": most,
        "hardening": hardening * area,
        "isotropy": isotropy,
    }
    if struct is Limits:
        fields |= {"rate": rate, "ratio_1": k_12 / k_1, "ratio_2": k_12 / k_2}
    return structured(struct, len(limits), fields)
