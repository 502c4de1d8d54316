# SPDX-License-Identifier: GPL-3.0-or-later
"""Pressure inside closed cloth (kernels/elements/pressure.py)."""

from dataclasses import dataclass, replace

import numpy as np

from ..bodies import Cloth
from ..kernels.elements import pressure as kernels
from ..messages import message
from ..topology.closing import closed_surface
from ..topology.graphs import connected_components
from ..topology.meshes import signed_volumes, triangle_areas
from ..topology.values import as_array, shown
from .element_kind import Columns, ElementKind
from .triangles import FOLLOWING
from .vertex_records import in_vertex_order

# A volume below this fraction of its area to the power of 3/2 has no sign.
FLAT = 1e-9


@dataclass
class PressedTriangles(Columns):
    """Triangles that enclose air, counterclockwise seen from outside: those of a body, then those
    that close it. The air has a pressure [Pa]; `keeps` is True if its amount is constant, `varies`
    if its pressure changes in time (descent/enclosed_air.py); `volume` [m³] is that of the whole
    enclosure at this pressure: in the rest shape, or the modeled one of a body that keeps it.
    """

    pressure: np.ndarray
    keeps: np.ndarray
    varies: np.ndarray
    volume: np.ndarray


def enclosures(triangles):
    """Connected surface of each of some triangles, by number [triangle], and the number of
    surfaces.
    """
    edges = triangles[:, [[0, 1], [1, 2]]].reshape(-1, 2)
    of_vertex = connected_components(edges, int(triangles.max(initial=-1)) + 1)
    names, of = np.unique(of_vertex[triangles[:, 0]], return_inverse=True)
    return of, len(names)


def outward(points, triangles):
    """Triangles of closed surfaces, flipped where these are inside out, and which belong to one
    without a volume, bool [triangle].
    """
    of, count = enclosures(triangles)
    area = np.bincount(of, triangle_areas(points, triangles), minlength=count)
    volume = signed_volumes(points, triangles, of, count)
    least = FLAT * area**1.5
    turned = np.where((volume < -least)[of, None], triangles[:, ::-1], triangles)
    return turned, (np.abs(volume) <= least)[of]


def pressed_triangles(body, settings):
    """The `PressedTriangles` of cloth with a pressure inside."""
    m = body.material
    if not isinstance(body, Cloth):
        return None
    varies = body.pressure_in_time is not None
    if not (m.pressure or m.keep_volume or varies):
        return None
    closed = closed_surface(
        body.name, body.rest_points, body.triangles, body.seams, m.fill_openings
    )
    triangles, flat = outward(body.rest_points, closed)
    count = len(triangles)
    if m.keep_volume and flat.any():
        first = triangles[np.flatnonzero(flat)[0]].tolist()
        raise ValueError(message("material.no_rest_volume", name=body.name, vertices=first))
    if m.keep_volume and settings.is_accelerated:
        # Extrapolation assumes sweeps of one energy, but the energy changes with the pressure.
        raise ValueError(message("material.keep_volume_chebyshev", name=body.name))
    if m.keep_volume and body.tear_strain is not None:
        raise ValueError(message("material.tears_keeps_volume", name=body.name))
    if varies and body.tear_strain is not None:
        raise ValueError(message("material.tears_pressure", name=body.name))
    of, enclosed = enclosures(triangles)
    points = body.points if body.keeps_shape else body.rest_points
    volume = signed_volumes(points, triangles, of, enclosed)[of]
    values = float(m.pressure), m.keep_volume, varies
    return PressedTriangles(triangles, *(np.full(count, value) for value in values), volume)


def pressure_at(pressure, time):
    """Return the pressure [Pa] that a function gives at a time [s]; refuses what is no number."""
    value = as_array(pressure(time))
    if value is None or value.shape or value.dtype.kind not in "iuf" or not np.isfinite(value):
        raise ValueError(message("material.pressure_not_finite", time=time, value=shown(value)))
    return float(value)


def pressure_records(points, pressed, _h):
    """Records, with the pressure of every enclosure as rest values."""
    of, count = enclosures(pressed.corners)
    columns = {
        "a": pressed.corners[:, FOLLOWING[:, 0]],
        "b": pressed.corners[:, FOLLOWING[:, 1]],
        "enclosure": of,
    }
    made = in_vertex_order(len(points), kernels.PressureRecord, pressed.corners, columns)
    pressure = np.zeros(count)
    pressure[of] = pressed.pressure
    return replace(made, rest=pressure, blend=np.zeros(count))


def exact_columns(points, pressed):
    """Fields of `ExactPressedTriangle`."""
    a, b, c = (points[pressed.corners[:, k]] for k in range(3))
    volume = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0
    return {
        "pressure": np.where(pressed.keeps | pressed.varies, 0.0, pressed.pressure),
        "volume": volume,
    }


def torn(pressed, tear):
    """Return all triangles, without pressure once the cloth is torn."""
    if np.array_equal(tear.triangles, tear.body.triangles):
        return pressed
    return replace(pressed, pressure=np.zeros(len(pressed)))


PRESSURE = ElementKind(
    name="pressure",
    corners=3,
    columns=3,
    cost=10.0,
    of_body=pressed_triangles,
    records=pressure_records,
    element_columns=lambda _points, pressed, _h: {"enclosure": enclosures(pressed.corners)[0]},
    is_local=False,
    exact_columns=exact_columns,
    torn=torn,
    record=kernels.PressureRecord,
    force_hessian=kernels.pressure_force_hessian,
    moved_rest=kernels.pressure_moved_rest,
    element=kernels.PressedTriangle,
    gradient=kernels.pressure_gradient,
    weight=kernels.pressure_weight,
    balanced=False,
    stress=kernels.pressure_stress,
    slope=kernels.pressure_slope,
    exact=kernels.ExactPressedTriangle,
    energy=kernels.pressure_energy,
)
