# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies joined into one set of NumPy arrays, in the order in which the solver keeps them.

float64, metres relative to the bodies' common origin, so that float32 keeps its digits later.
"""

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from . import records
from .bodies import Cloth, Rod, Solid
from .order import unique_edges, vertex_order


@dataclass
class Continuum:
    """Tets (μ, λ in Pa) or membrane triangles (μ, λ in N/m); one entry per element."""

    corners: np.ndarray
    mu: np.ndarray
    lam: np.ndarray
    damping_time: np.ndarray


@dataclass
class Links:
    """Hinges (N m, rad) or springs (N/m, m); one entry per element."""

    corners: np.ndarray
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
    mass: np.ndarray
    friction: np.ndarray
    thickness: np.ndarray
    tets: Continuum
    triangles: Continuum
    hinges: Links
    springs: Links

    @property
    def free_count(self):
        """Number of free vertices; the pinned ones follow behind them."""
        return int(self.color_start[-1])


def per_element(body, what, values, count):
    """`values` as float64 [count]; a single number serves all elements."""
    values = np.asarray(values, dtype=np.float64)
    if values.ndim == 0:
        return np.full(count, float(values))
    if values.shape != (count,):
        raise ValueError(
            f"{body.name}: {what} has the shape {values.shape}; "
            f"give one number or {count}, one per element"
        )
    return values


def joined(kind, parts):
    """The elements of one kind over all bodies."""
    struct, corners = KINDS[kind]
    nothing = struct(np.zeros((0, corners), np.int64), *np.zeros((3, 0)))
    parts = [nothing, *parts]
    columns = (np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(struct))
    return struct(*columns)


def lumped(vertex_count, corners, element_mass):
    """Each element's mass in equal parts on its vertices [kg]."""
    share = np.repeat(element_mass / corners.shape[1], corners.shape[1])
    return np.bincount(corners.ravel(), share, minlength=vertex_count)


def solid_elements(body, damping_time):
    """Mass per vertex [kg] and the elements of a solid."""
    m, count = body.material, len(body.tets)
    mu, lam = (per_element(body, "stiffness", v, count) for v in m.solid_constants())
    if (lam <= 0.0).any():
        raise ValueError(
            f"{body.name}: λ must be above zero for a solid; raise Poisson's ratio or lam"
        )
    volumes, _ = records.tet_gradients(body.rest_points, body.tets)
    density = per_element(body, "density", m.density, count)
    mass = lumped(len(body.points), body.tets, density * volumes)
    time = np.full(count, m.damping + damping_time)
    return mass, {"tets": Continuum(body.tets, mu, lam, time)}


def cloth_elements(body, damping_time):
    """Mass per vertex [kg] and the elements of a cloth."""
    m, count = body.material, len(body.triangles)
    mu, lam = (per_element(body, "stiffness", v, count) for v in m.membrane_constants())
    _, areas = records.triangle_frames(body.rest_points, body.triangles)
    density = per_element(body, "density", m.density, count)
    mass = lumped(len(body.points), body.triangles, density * areas)
    rigidity = per_element(body, "bending stiffness", m.bending_stiffness, count)
    hinges, owners = records.cloth_hinges(body.triangles)
    stiffness = records.hinge_stiffness(
        body.rest_points, hinges, areas[owners], rigidity[owners].mean(axis=1)
    )
    keep = stiffness > 0.0
    hinges, stiffness = hinges[keep], stiffness[keep]
    time = m.damping + damping_time
    return mass, {
        "triangles": Continuum(body.triangles, mu, lam, np.full(count, time)),
        "hinges": Links(
            hinges,
            stiffness,
            records.dihedral_angles(body.rest_points, hinges),
            np.full(len(hinges), time),
        ),
    }


def rod_elements(body, damping_time):
    """Mass per vertex [kg] and the elements of a rod; stiffness E A / L₀ of a round section."""
    m, count = body.material, len(body.edges)
    ends = body.rest_points[body.edges]
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    if m.spring_stiffness is None:
        modulus = per_element(body, "Young's modulus", m.youngs_modulus, count)
        stiffness = modulus * np.pi * (0.5 * m.thickness) ** 2 / length
    else:
        stiffness = per_element(body, "spring stiffness", m.spring_stiffness, count)
    if m.vertex_mass is None:
        density = per_element(body, "density", m.density, count)
        mass = lumped(len(body.points), body.edges, density * length)
    else:
        mass = per_element(body, "vertex mass", m.vertex_mass, len(body.points))
    time = np.full(count, m.damping + damping_time)
    return mass, {"springs": Links(body.edges, stiffness, length, time)}


ELEMENTS_OF = {Solid: solid_elements, Cloth: cloth_elements, Rod: rod_elements}
KINDS = {
    "tets": (Continuum, 4),
    "triangles": (Continuum, 3),
    "hinges": (Links, 4),
    "springs": (Links, 2),
}


def assemble(bodies, settings):
    """Join deformable bodies (Solid, Cloth, Rod) into one `Assembly`."""
    counts = [len(body.points) for body in bodies]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    points = np.concatenate([body.points for body in bodies])
    origin = 0.5 * (points.min(axis=0) + points.max(axis=0))
    pinned = np.zeros(len(points), dtype=bool)
    masses, parts = [], {kind: [] for kind in KINDS}
    for body, offset in zip(bodies, offsets[:-1], strict=True):
        if body.pins is not None:
            pinned[offset + body.pins.indices] = True
        mass, elements = ELEMENTS_OF[type(body)](body, settings.damping)
        masses.append(mass)
        for kind, part in elements.items():
            part.corners = part.corners + offset
            parts[kind].append(part)
    kinds = {kind: joined(kind, parts[kind]) for kind in KINDS}

    edges = unique_edges(*(elements.corners for elements in kinds.values()))
    order, color_start = vertex_order(points, pinned, edges)
    place = np.empty(len(points), dtype=np.int64)
    place[order] = np.arange(len(points))
    for elements in kinds.values():
        elements.corners = place[elements.corners]

    def ordered(values):
        return np.concatenate(values)[order]

    def spread(value_of):
        return ordered([np.full(len(b.points), value_of(b.material)) for b in bodies])

    return Assembly(
        origin=origin,
        place=[place[a:b] for a, b in pairwise(offsets)],
        color_start=color_start,
        points=(points - origin)[order],
        rest_points=ordered([body.rest_points for body in bodies]),
        velocities=ordered([body.velocities for body in bodies]),
        mass=ordered(masses),
        friction=spread(lambda m: settings.friction if m.friction is None else m.friction),
        thickness=spread(lambda m: m.collision_thickness),
        **kinds,
    )
