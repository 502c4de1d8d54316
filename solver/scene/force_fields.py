# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields: accelerations of free vertices and motions of the air, by position."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import warp as wp

from ..kernels.scene import force_fields as kernels
from ..messages import message
from ..topology.values import numbers, refuse_other, shown, whole_numbers

KINDS = {
    "wind": kernels.WIND,
    "force": kernels.FORCE,
    "vortex": kernels.VORTEX,
    "magnetic": kernels.MAGNETIC,
    "harmonic": kernels.HARMONIC,
    "turbulence": kernels.TURBULENCE,
    "drag": kernels.DRAG,
    "texture": kernels.TEXTURE,
}
SHAPES = {"point": kernels.POINT, "line": kernels.LINE, "plane": kernels.PLANE}
FALLOFFS = {"sphere": kernels.SPHERE, "tube": kernels.TUBE, "cone": kernels.CONE}
SIDES = {"both": 0, "positive": 1, "negative": -1}


@dataclass(frozen=True, kw_only=True)
class FieldNumbers:
    """The numbers of a force field at one time, around `origin` [m] in the direction `axis` [3].

    `strength` is an acceleration [m/s²], and the speed of air [m/s] of a field that `blows`; it is
    a factor [1] of a texture, [1/s²] of a harmonic field and a vortex around a point, [1/s] of
    other vortices and a magnetic field, [1/m] of drag. Gusts change it by up to about `noise`, in
    the same unit. `flow` [1/s] is a drag on motion. `damping` is the damping ratio [1] of a
    harmonic field, or the linear part [1/s] of drag.

    It falls off with 1/(1 + (r − nearest)/unit)^power at distances r [m] beyond `nearest`, and ends
    at `farthest`; likewise with the distance [m] from the axis, or the angle [°] to it, by the
    `radial` numbers. `unit` is in m. `size` [m] is that of turbulence, or the rest length of a
    harmonic field.
    """

    origin: tuple = (0.0, 0.0, 0.0)
    axis: tuple = (0.0, 0.0, 1.0)
    unit: float = 1.0
    strength: float = 1.0
    flow: float = 0.0
    damping: float = 0.0
    noise: float = 0.0
    size: float = 0.0
    power: float = 0.0
    nearest: float = 0.0
    farthest: float = np.inf
    radial_power: float = 0.0
    radial_nearest: float = 0.0
    radial_farthest: float = np.inf


@dataclass(eq=False)
class ForceField:
    """A field of one of the `KINDS`; `numbers` are constant, or a function of the time [s].

    `blows`: it moves the air, which pushes surfaces, instead of masses. `by_square`: a force that
    falls with the square of the distance, in addition to `power`. `is_global`: turbulence that does
    not move with the field. `seed` chooses the gusts.

    Two functions of the time [s] and of points [m], [vertex, 3], are called at the start of a
    frame, for the free vertices of all bodies: `texture` returns accelerations [m/s²], [vertex, 3],
    for a strength of 1, and `visibility` the fraction of the field that reaches the points past
    obstacles, [vertex], which is 1 without it. Where a cache cannot call them at any
    time, their attribute `made_of` identifies them.
    """

    kind: str
    numbers: FieldNumbers | Callable[[float], FieldNumbers]
    shape: str = "point"
    falloff: str = "sphere"
    side: str = "both"
    blows: bool = False
    by_square: bool = False
    is_global: bool = False
    seed: int = 0
    name: str = "Force field"
    texture: Callable[[float, np.ndarray], np.ndarray] | None = None
    visibility: Callable[[float, np.ndarray], np.ndarray] | None = None

    def __post_init__(self):
        for what, known in (
            ("kind", KINDS),
            ("shape", SHAPES),
            ("falloff", FALLOFFS),
            ("side", SIDES),
        ):
            value = getattr(self, what)
            if not (isinstance(value, str) and value in known):
                shows = {"value": value if isinstance(value, str) else shown(value)}
                shows["names"] = ", ".join(known)
                raise ValueError(message("script.one_of", name=self.name, what=what, **shows))
        if (self.kind == "texture") != (self.texture is not None):
            raise ValueError(message("script.field_texture", name=self.name))
        for what in ("blows", "by_square", "is_global"):
            refuse_other(self.name, what, getattr(self, what), bool)
        if whole_numbers(self.name, "seed", self.seed).shape:
            known = {"what": "seed", "value": shown(self.seed)}
            raise ValueError(message("script.no_whole", name=self.name, **known))
        for what in ("texture", "visibility"):
            if getattr(self, what) is not None:
                refuse_other(self.name, what, getattr(self, what), None)

    def at(self, time):
        """Its `FieldNumbers` at a time [s]; refuses numbers that are not finite."""
        given = self.numbers(time) if callable(self.numbers) else self.numbers
        refuse_other(self.name, "numbers", given, FieldNumbers)
        for name, value in vars(given).items():
            with np.errstate(over="ignore"):
                array = numbers(self.name, name, value).astype(np.float32)
            endless = name in ("farthest", "radial_farthest")
            known = np.isfinite(array).all() or (endless and not np.isnan(array).any())
            if not known or array.shape != ((3,) if name in ("origin", "axis") else ()):
                raise ValueError(
                    message("script.not_finite", name=self.name, what=name, value=shown(value))
                )
        return given

    def is_given(self):
        """Return whether the field is given vertex by vertex."""
        return self.texture is not None or self.visibility is not None

    def given(self, time, points):
        """Acceleration by a texture at `points` [vertex, 3], and the fraction of the field that
        reaches them, at a time [s]; float32 [vertex, 4]. Refuses values that are not finite.
        """
        rows = np.zeros((len(points), 4), np.float32)
        rows[:, 3] = 1.0
        if self.texture is not None:
            rows[:, :3] = self._of_points("texture", self.texture(time, points), rows[:, :3])
        if self.visibility is not None:
            rows[:, 3] = self._of_points("visibility", self.visibility(time, points), rows[:, 3])
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(bad):
            raise ValueError(
                message(
                    "script.field_not_finite", name=self.name, place=np.round(points[bad[0]], 3)
                )
            )
        return rows

    def _of_points(self, what, values, rows):
        """Return values at points, for `rows` of the same shape, or one for all."""
        array = numbers(self.name, what, values)
        if array.shape not in (rows.shape, rows.shape[1:]):
            known = {"what": what, "value": shown(values)}
            raise ValueError(message("script.no_numbers", name=self.name, **known))
        return array


@dataclass(frozen=True)
class ExternalForces:
    """External forces on a scene besides constant gravity: `gravity` as a function of the time [s]
    or None, force fields, and pressures [Pa] that vary in time, each with the number of its
    body.
    """

    gravity: Callable[[float], np.ndarray] | None = None
    fields: tuple[ForceField, ...] = ()
    pressures: tuple[tuple[int, Callable[[float], float]], ...] = ()


class Fields:
    """All force fields of a scene on the device, at both ends of a frame."""

    def __init__(self, fields, origin, frame_time, device):
        self.fields, self.origin, self.frame_time = list(fields), origin, frame_time
        self.by_vertex = [field for field in self.fields if field.is_given()]
        self.changes = bool(self.by_vertex)  # in this frame
        first = self._read(0.0)
        self.start, self.end, self.now = (
            wp.array(first, dtype=kernels.Field, device=device) for _ in range(3)
        )

    def __len__(self):
        return len(self.fields)

    def ensure_capacity(self, count):
        """Allocate `given` [row, vertex] for `count` vertices."""
        shape = (len(self.by_vertex), count if self.by_vertex else 0)
        self.given = wp.zeros(shape, dtype=wp.vec4, device=self.now.device)

    def weights(self, of_bodies):
        """Weight of every field on every body, float32 [body, field], from the bodies' weights by
        names of fields.
        """
        given = [weights or {} for weights in of_bodies]
        table = [[weights.get(field.name, 1.0) for field in self.fields] for weights in given]
        return np.array(table, dtype=np.float32).reshape(len(given), len(self.fields))

    def begin_frame(self, time, x):
        """Read the fields at both ends of the frame that ends at a time [s], and the values given
        vertex by vertex at the positions x [vertex, 3] at its start.
        """
        if self.fields:
            start, end = self._read(time - self.frame_time), self._read(time)
            self.start.assign(start)
            self.end.assign(end)
            self.changes = bool(self.by_vertex) or changes_in_time(start, end)
        if self.by_vertex:
            points = x.numpy()[: self.given.shape[1]].astype(np.float64) + self.origin
            start = time - self.frame_time
            self.given.assign(np.stack([field.given(start, points) for field in self.by_vertex]))

    def _read(self, time):
        """The `kernels.Field` of every field at a time, as a structured array."""
        rows = np.zeros(len(self.fields), dtype=kernels.Field.numpy_dtype())
        for row, field in zip(rows, self.fields, strict=True):
            for name, value in vars(field.at(time)).items():
                row[name] = value
            length = np.linalg.norm(row["axis"])
            if not length > 0.0:
                raise ValueError(message("animation.no_direction", name=field.name))
            row["axis"] /= length
            row["origin"] -= self.origin
            row["world"] = self.origin
            row["time"], row["seed"] = time, field.seed
            row["kind"], row["shape"] = KINDS[field.kind], SHAPES[field.shape]
            row["falloff"], row["side"] = FALLOFFS[field.falloff], SIDES[field.side]
            row["row"] = self.by_vertex.index(field) if field in self.by_vertex else -1
            for name in ("blows", "by_square", "is_global"):
                row[name] = getattr(field, name)
        return rows


def changes_in_time(start, end):
    """Return whether fields change between two times, of which these are the structured arrays."""
    names = [name for name in start.dtype.names if name != "time"]
    return start["noise"].any() or any((start[name] != end[name]).any() for name in names)
