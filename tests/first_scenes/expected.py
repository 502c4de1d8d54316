# SPDX-License-Identifier: GPL-3.0-or-later
"""Expected result of a first scene, and the list of all scenes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Material of a new soft body.
STIFFNESS, DENSITY, GRAVITY = 1e5, 1000.0, 9.81

SCENES = {}


@dataclass
class Expected:
    """Expected result of a scene. Lengths in m.

    `floor`: nothing goes below it. `heights`: those of objects at the end, from statics, each to a
    tenth. `rests`: all is still at the end. `keeps_volume`: soft bodies do, to a tenth. `warns`:
    more iterations may be advised. `says`: other warning of the report. `drapes`: cloth ends in
    smooth folds, with this fraction of its faces crumpled at most. `creases`: fraction of the edges
    of such cloth that may be sharply creased. `also(baked)` checks the rest.
    """

    frames: int
    floor: float | None = 0.0
    heights: dict | None = None
    rests: bool = False
    keeps_volume: bool = True
    warns: bool = False
    says: str = ""
    drapes: float | None = None
    creases: float = 0.0
    also: Callable | None = None


def scene(build):
    SCENES[build.__name__] = build
    return build


def standing(height):
    """Height of a column of the default material under its own weight: E ε = ρ g (H − z)."""
    return height * (1.0 - 0.5 * DENSITY * GRAVITY * height / STIFFNESS)


def hangs_by(baked, name):
    """Assert that an object pinned at its start hangs below it, and not much longer than it was."""
    start, end = baked.start(name), baked.end(name)
    assert end[:, 2].min() < start[:, 2].min()
    assert (
        np.linalg.norm(end - end[:, None], axis=2).max()
        < 1.1 * np.linalg.norm(start - start[:, None], axis=2).max()
    )


def drape(*fabrics):
    """A scene of new cloth with its default material, and one of each of these fabrics."""

    def listed(build):
        SCENES[build.__name__] = lambda: build(None)
        for fabric in fabrics:
            SCENES[f"{build.__name__}_of_{fabric.lower()}"] = lambda fabric=fabric: build(fabric)
        return build

    return listed


def hangs_over(name, drop, within=0.05):
    """A judge: a sheet that started flat hangs down from its support without stretching.

    `drop(x, y)` [m] is the distance below the top at which a point of the flat sheet hangs. Nothing
    hangs lower; on average the sheet is higher by a fraction of the largest drop only.
    """

    def judge(baked):
        straight = np.array([drop(x, y) for x, y, _ in baked.start(name)])
        end = baked.end(name)[:, 2]
        higher = end - (np.median(end[straight == straight.min()]) - straight)
        assert higher.min() > -within * straight.max(), higher.min()
        assert higher.mean() < within * straight.max(), higher.mean()

    return judge
