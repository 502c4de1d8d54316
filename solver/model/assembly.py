# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies joined into one set of NumPy arrays, in the order in which the solver keeps them.

float64, metres relative to the bodies' common origin, so that float32 keeps its digits later.
"""

from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np

from ..bodies import Cloth, Rod, Solid
from ..elements import materials, records
from ..scene.attachments import Rows, join
from ..scene.thickness import collision_thickness
from ..topology.coloring import vertex_order
from ..topology.graphs import unique_edges
from .tearing import vertex_index


@dataclass
class Elements:
    """Elements of one kind as columns of equal length; `elements[mask]` takes some."""

    corners: np.ndarray

    def __getitem__(self, mask):
        return type(self)(*(getattr(self, f.name)[mask] for f in fields(self)))


@dataclass
class Tets(Elements):
    """`model` is a place in `records.SOLID_MODELS`; all moduli [Pa]."""

    model: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    lame_mu: np.ndarray
    lame_lam: np.ndarray
    damping_time: np.ndarray


@dataclass
class Triangles(Elements):
    """`stable` tells neo-Hookean triangles with μ, λ [N/m] from StVK ones.

    `stiffness` [triangle, 4] (K₁, K₂, K₁₂, G_s) [N/m] is that of StVK, and of all viscosity.
    `inverse` [triangle, 2, 2] is the inverse of the rest edges in the plane [1/m]; `mass` [kg].
    """

    stable: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    stiffness: np.ndarray
    inverse: np.ndarray
    area: np.ndarray
    mass: np.ndarray
    damping_time: np.ndarray


@dataclass
class Links(Elements):
    """Hinges (N m, rad) or springs (N/m, m)."""

    stiffness: np.ndarray
    rest: np.ndarray
    damping_time: np.ndarray


@dataclass
class Assembly:
    """One scene. Vertices are in solver order; `place` gives, per body, where its vertices are."""

    origin: np.ndarray
    place: list
    color_start: np.ndarray
    points: np.ndarray
    rest_points: np.ndarray
    velocities: np.ndarray
    parent: np.ndarray
    """The vertex each vertex is a duplicate of, for a tear to come, or itself."""
    mass: np.ndarray
    friction: np.ndarray
    thickness: np.ndarray
    tets: Tets
    triangles: Triangles
    hinges: Links
    springs: Links
    attachments: Rows

    @property
    def free_count(self):
        """Number of free vertices; the pinned ones follow behind them."""
        return int(self.color_start[-1])


def per_element(body, what, values):
    """`values` as float64 [element]; one number serves all, one per vertex is averaged."""
    values = np.asarray(values, dtype=np.float64)
    count = len(body.elements)
    if values.ndim == 0:
        return np.full(count, float(values))
    if values.shape == (count,):
        return values
    if values.shape == (len(body.points),):
        return values[body.elements].mean(axis=1)
    raise ValueError(
        f"{body.name}: {what} has the shape {values.shape}; give one number, {count} for the "
        f"elements or {len(body.points)} for the vertices"
    )


def damping_time(body, settings):
    """k_d [s] per element: that of the material and that of the scene."""
    return per_element(body, "damping", body.material.damping) + settings.damping


ELASTIC = ("youngs_modulus", "poisson_ratio", "weft_modulus", "shear_modulus", "mu", "lam")


def elastic_per_element(body):
    """The body's material with every elastic constant per element, whatever it was given for."""
    given = {name: getattr(body.material, name) for name in ELASTIC}
    values = {
        name: per_element(body, name.replace("_", " "), value)
        for name, value in given.items()
        if value is not None
    }
    return replace(body.material, **values)


def joined(parts):
    """The elements of one kind over all bodies."""
    struct = type(parts[0])
    columns = (np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(struct))
    return struct(*columns)


def lumped(vertex_count, corners, element_mass):
    """Each element's mass in equal parts on its vertices [kg]."""
    share = np.repeat(element_mass / corners.shape[1], corners.shape[1])
    return np.bincount(corners.ravel(), share, minlength=vertex_count)


def solid_elements(body, settings):
    """Mass per vertex [kg] and the elements of a solid."""
    m = elastic_per_element(body)
    mu, lam = materials.solid_constants(m)
    if m.solid_model != "corotated" and (lam <= 0.0).any():
        raise ValueError(f"{body.name}: λ must be above zero for a neo-Hookean solid; raise ν or λ")
    lame = materials.solid_lame(m)
    volumes, _ = records.tet_gradients(body.rest_points, body.tets)
    density = per_element(body, "density", m.density)
    mass = lumped(len(body.points), body.tets, density * volumes)
    model = np.full(len(body.tets), records.SOLID_MODELS[m.solid_model])
    tets = Tets(body.tets, model, mu, lam, *lame, damping_time(body, settings))
    return mass, {"tets": tets}


def warp_directions(body):
    """Direction of growing u at rest, in the plane of every triangle [triangle, 3]."""
    corner_uv = body.uv if body.uv.ndim == 3 else body.uv[body.triangles]
    d_uv = corner_uv[:, 1:] - corner_uv[:, :1]
    area, size = np.abs(np.linalg.det(d_uv)), (d_uv**2).sum(axis=(1, 2))
    flat = np.flatnonzero(~(area > 1e-12 * size))  # so written, NaN is flat too
    if len(flat):
        raise ValueError(
            f"{body.name}: {len(flat)} of {len(d_uv)} triangles have no area in the UV map "
            f"(first: triangle {flat[0]}); unwrap the mesh again"
        )
    corners = body.rest_points[body.triangles]
    edges = corners[:, 1:] - corners[:, :1]
    return np.einsum("tk,tki->ti", np.linalg.inv(d_uv)[:, 0], edges)


def cloth_elements(body, settings):
    """Mass per vertex [kg] and the elements of a cloth."""
    m, count = elastic_per_element(body), len(body.triangles)
    stable, warp = m.membrane == "neo_hookean", None
    if m.membrane == "orthotropic":
        if body.uv is None:
            raise ValueError(f"{body.name}: woven cloth needs a UV map, whose U is the warp")
        warp = warp_directions(body)
        stiffness = materials.orthotropic_stiffness(m)
    else:
        stiffness = materials.stvk_stiffness(*materials.membrane_lame(m))
    constants = materials.membrane_constants(m)
    if stable and (constants[1] <= 0.0).any():
        raise ValueError(f"{body.name}: λ must be above zero for this membrane; raise lam")
    inverse, areas = records.triangle_frames(body.rest_points, body.triangles, warp)
    mass = per_element(body, "density", m.density) * areas
    time = damping_time(body, settings)
    triangles = Triangles(
        body.triangles, np.full(count, stable), *constants, stiffness, inverse, areas, mass, time
    )

    rigidity = per_element(body, "bending stiffness", m.bending_stiffness)
    hinges, owners = records.cloth_hinges(body.triangles)
    bending = records.hinge_stiffness(
        body.rest_points, hinges, areas[owners], rigidity[owners].mean(axis=1)
    )
    rest = records.dihedral_angles(body.rest_points, hinges)
    links = Links(
        hinges, bending, np.zeros_like(rest) if m.rest_flat else rest, time[owners].mean(axis=1)
    )
    vertex_mass = lumped(len(body.points), body.triangles, mass)
    return vertex_mass, {"triangles": triangles, "hinges": links[bending > 0.0]}


def rod_elements(body, settings):
    """Mass per vertex [kg] and the elements of a rod; stiffness E A / L₀ of a round section."""
    m = body.material
    ends = body.rest_points[body.edges]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    if m.spring_stiffness is None:
        modulus = per_element(body, "Young's modulus", m.youngs_modulus)
        stiffness = modulus * np.pi * (0.5 * m.thickness) ** 2 / length
    else:
        stiffness = per_element(body, "spring stiffness", m.spring_stiffness)
    if m.vertex_mass is None:
        mass = lumped(
            len(body.points), body.edges, per_element(body, "density", m.density) * length
        )
    else:
        mass = np.broadcast_to(np.asarray(m.vertex_mass, dtype=float), len(body.points))
    return mass, {"springs": Links(body.edges, stiffness, length, damping_time(body, settings))}


ELEMENTS_OF = {Solid: solid_elements, Cloth: cloth_elements, Rod: rod_elements}
NONE = np.zeros(0)
NOTHING = {
    "tets": Tets(np.zeros((0, 4), np.int64), np.zeros(0, np.int64), *[NONE] * 5),
    "triangles": Triangles(
        np.zeros((0, 3), np.int64),
        np.zeros(0, bool),
        NONE,
        NONE,
        np.zeros((0, 4)),
        np.zeros((0, 2, 2)),
        *[NONE] * 3,
    ),
    "hinges": Links(np.zeros((0, 4), np.int64), *[NONE] * 3),
    "springs": Links(np.zeros((0, 2), np.int64), *[NONE] * 3),
}


def assemble(bodies, settings, attachments=()):
    """Join deformable bodies (Solid, Cloth, Rod) and their attachments into one `Assembly`."""
    index = [vertex_index(body) for body in bodies]
    offsets = np.concatenate([[0], np.cumsum([len(i) for i in index])]).astype(np.int64)
    parent = np.concatenate([i + offset for i, offset in zip(index, offsets, strict=False)])

    def extended(values):
        """Values per vertex of every body, for its duplicates too."""
        return np.concatenate([v[i] for v, i in zip(values, index, strict=True)])

    points = extended([body.points for body in bodies])
    origin = 0.5 * (points.min(axis=0) + points.max(axis=0))
    pinned = np.zeros(len(points), dtype=bool)
    masses, parts = [], {kind: [nothing] for kind, nothing in NOTHING.items()}
    for body, offset in zip(bodies, offsets[:-1], strict=True):
        if body.pins is not None:
            pinned[offset + body.pins.indices] = True
        mass, elements = ELEMENTS_OF[type(body)](body, settings)
        mass = np.append(mass, np.zeros(len(vertex_index(body)) - len(mass)))
        masses.append(mass)
        for kind, part in elements.items():
            part.corners = part.corners + offset
            parts[kind].append(part)
    kinds = {kind: joined(some) for kind, some in parts.items()}

    rows = join(attachments, bodies, offsets[:-1])
    edges = unique_edges(*(elements.corners for elements in kinds.values()), rows.edges())
    order, color_start = vertex_order(points, pinned, edges, parent)
    place = np.empty(len(points), dtype=np.int64)
    place[order] = np.arange(len(points))
    for elements in kinds.values():
        elements.corners = place[elements.corners]
    rows.corners = place[rows.corners]

    def ordered(values):
        return extended(values)[order]

    def spread(value_of):
        return ordered([np.full(len(b.points), value_of(b)) for b in bodies])

    def friction(body):
        own = body.material.friction
        return settings.friction if own is None else own

    return Assembly(
        origin=origin,
        place=[place[a:b] for a, b in pairwise(offsets)],
        color_start=color_start,
        points=(points - origin)[order],
        rest_points=ordered([body.rest_points for body in bodies]),
        velocities=ordered([body.velocities for body in bodies]),
        parent=place[parent[order]],
        mass=np.concatenate(masses)[order],
        friction=spread(friction),
        thickness=spread(collision_thickness),
        attachments=rows,
        **kinds,
    )
