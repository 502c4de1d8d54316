# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes: a sheet, its pins, its colliders and the places where it is measured."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..experiments.contact_shapes import cuboid, icosphere
from . import meshes

HOOKS, SKIRT = 9, (0.15, 0.75)
# Speed of the wind [m/s].
WIND = 6.0
FLOOR = np.array([[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [5.0, 5.0, 0.0], [-5.0, 5.0, 0.0]])


@dataclass
class Scene:
    """A sheet and its surroundings. `pins`: the pinned vertices, and their positions at a time [s],
    [pin, 3]. `colliders`: (points, triangles). `corners`: vertices whose heights are reported.
    `hem`: the vertices, in order, along which folds are counted; `is_loop` if they close. `wind`
    [m/s] along y. The last `lasts` frames are measured.
    """

    sheet: meshes.Sheet
    frames: int
    size: float
    hem: np.ndarray
    is_loop: bool = True
    pins: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    targets: Callable[[float], np.ndarray] | None = None
    colliders: tuple = ()
    corners: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    wind: float = 0.0
    lasts: int = 1


def extreme(points, *directions):
    """The vertices that are farthest along some directions."""
    return np.array([np.argmax(points @ np.array(d)) for d in directions])


def over(sheet, size, height, frames, *colliders):
    """A square sheet that falls on something."""
    sheet.points[:, 2] = height
    corners = extreme(sheet.points, *((a, b, 0.0) for a in (-1.0, 1.0) for b in (-1.0, 1.0)))
    return Scene(sheet, frames, size, sheet.hem, colliders=colliders, corners=corners)


def box(faces, kind="alternating", beside=0.0):
    """A tablecloth of 4 m falls from 0.5 m on a box of 2 m, which stands `beside` its middle by so
    much along x and y.
    """
    floor = FLOOR, np.array([[0, 1, 2], [0, 2, 3]])
    block = cuboid((2.0, 2.0, 2.0), (beside, beside, 1.0))
    return over(meshes.SQUARES[kind](faces, 4.0), 2.0, 2.5, 100, floor, block)


def sphere(faces):
    """A cloth of 2 m falls from 0.1 m on a ball of 1 m."""
    return over(meshes.SQUARES["alternating"](faces, 2.0), 1.0, 0.6, 96, icosphere(4, 0.5))


def drawn_together(points, distance, time):
    """The function that draws two points [2, 3] to a distance [m] within a time [s]."""
    middle, apart = points.mean(axis=0), np.linalg.norm(points[1] - points[0])

    def targets(now):
        part = min(now / time, 1.0)
        return middle + (points - middle) * (1.0 + part * (distance / apart - 1.0))

    return targets


def corners(faces):
    """A sheet of 1 m, level at first, hangs from two opposite corners, drawn together to 1 m."""
    sheet = meshes.SQUARES["alternating"](faces, 1.0)
    held = extreme(sheet.points, (-1.0, -1.0, 0.0), (1.0, 1.0, 0.0))
    targets = drawn_together(sheet.points[held], 1.0, 1.0)
    free = extreme(sheet.points, (-1.0, 1.0, 0.0), (1.0, -1.0, 0.0))
    return Scene(sheet, 96, 1.0, sheet.hem, pins=held, targets=targets, corners=free)


def side(faces):
    """A sheet of 1 m, level at first, hangs from one of its sides and has swung out."""
    sheet = meshes.SQUARES["alternating"](faces, 1.0)
    held = np.flatnonzero(sheet.points[:, 1] > 0.5 - 1e-9)
    hem = np.flatnonzero(sheet.points[:, 1] < -0.5 + 1e-9)
    return Scene(sheet, 96, 1.0, hem, False, pins=held, corners=hem[[0, -1]])


def curtain(faces):
    """A curtain of 2 m hangs from nine hooks, which are drawn together to 1.2 m in two seconds."""
    sheet = meshes.rectangle(faces, faces, (2.0, 2.0))
    sheet.points = sheet.points[:, [0, 2, 1]]
    top = np.flatnonzero(sheet.points[:, 2] > 1.0 - 1e-9)
    held = top[np.round(np.linspace(0.0, faces, HOOKS)).astype(int)]
    # A small displacement, so that rounding alone does not choose the side of a fold.
    sheet.points[:, 1] = 1e-3 * np.cos(9.0 * sheet.points[:, 0] + 4.0 * sheet.points[:, 2])
    start = sheet.points[held]

    def targets(now):
        return start * [1.0 - 0.4 * min(0.5 * now, 1.0), 1.0, 1.0]

    hem = np.flatnonzero(sheet.points[:, 2] < -1.0 + 1e-9)
    ends = hem[[0, -1]]
    return Scene(sheet, 144, 2.0, hem, False, pins=held, targets=targets, corners=ends)


def skirt(faces):
    """A circle skirt, level at first, hangs from its waist of 30 cm and is 60 cm long."""
    sheet = meshes.annulus(faces, *SKIRT)
    held = np.arange(2 * faces)
    return Scene(sheet, 96, 2.0 * SKIRT[1], sheet.hem, pins=held)


def flag(faces):
    """A flag of 1.5 m by 1 m in a wind of 6 m/s; its last two seconds are measured."""
    sheet = meshes.rectangle(2 * faces // 3, faces, (1.0, 1.5))
    points = sheet.points[:, [2, 1, 0]] + [0.0, 0.75, 0.0]
    sheet.points = points + 1e-3 * np.sin(5.0 * points[:, 1:2]) * [1.0, 0.0, 0.0]
    held = np.flatnonzero(points[:, 1] < 1e-9)
    hem = np.flatnonzero(points[:, 2] < -0.5 + 1e-9)
    ends = extreme(points, (0.0, 1.0, -1.0), (0.0, 1.0, 1.0))
    scene = Scene(sheet, 120, 1.0, hem, False, pins=held, corners=ends)
    scene.wind, scene.lasts = WIND, 48
    return scene


SCENES = {
    "box": box,
    "sphere": sphere,
    "corners": corners,
    "side": side,
    "curtain": curtain,
    "skirt": skirt,
    "flag": flag,
}
