# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that distinguish one drape from another."""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

# A fold stands out by this fraction of the size of the scene.
STANDS_OUT = 0.02
# Number of samples of the hem, at equal distances along its length at rest.
PLACES = 240
# Tips of cones hang lower by this fraction of the size; standard deviation of the smoothing over
# the length of the hem.
HANGS_LOWER, SMOOTHING = 0.05, 1.0 / 80.0


@dataclass
class Drape:
    """Heights [m] of the corners (mean), of all vertices (mean, by area) and of the lowest one; the
    largest distance [m] from the vertical axis through the origin; the number of folds.
    """

    corner: float
    mean: float
    lowest: float
    radius: float
    folds: float


def vertex_areas(points, triangles):
    """A third of the rest area [m²] of all triangles around every vertex."""
    a, b, c = points[triangles].swapaxes(0, 1)
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return np.bincount(triangles.ravel(), np.repeat(area / 3.0, 3), minlength=len(points))


def along_hem(values, rest, is_loop):
    """Values [vertex, any] of the vertices of a hem, sampled at equal distances along it."""
    if is_loop:
        values, rest = (np.concatenate([v, v[:1]]) for v in (values, rest))
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rest, axis=0), axis=1))])
    at = np.linspace(0.0, way[-1], PLACES, endpoint=not is_loop)
    return np.stack([np.interp(at, way, column) for column in values.T], axis=1)


def fold_count(hem, rest, is_loop, size):
    """Number of folds of a hem [vertex, 3].

    For a closed hem: the maxima of its distance from the vertical axis through its middle that
    stand out from the minima beside them by at least 2 % of the size of the scene. For an open one:
    half the number of such maxima and minima of its distance from the vertical plane that fits it
    best.
    """
    places = along_hem(hem, rest, is_loop)
    flat = places[:, :2] - places[:, :2].mean(axis=0)
    least = STANDS_OUT * size
    if is_loop:
        out = np.linalg.norm(flat, axis=1)
        start = int(np.argmin(out))
        out = np.concatenate([out[start:], out[: start + 1]])
        return float(len(find_peaks(out, prominence=least)[0]))
    across = flat @ np.linalg.svd(flat, full_matrices=False)[2][1]
    tops = find_peaks(across, prominence=least)[0]
    bottoms = find_peaks(-across, prominence=least)[0]
    return 0.5 * (len(tops) + len(bottoms))


def drape(scene, motion):
    """`Drape` of positions [frame, vertex, 3]: the mean of the last frames of the scene."""
    weight = vertex_areas(scene.sheet.points, scene.sheet.triangles)
    rest = scene.sheet.points[scene.hem]
    rows = []
    for x in motion[-scene.lasts :]:
        corner = x[scene.corners, 2].mean() if len(scene.corners) else np.nan
        folds = fold_count(x[scene.hem], rest, scene.is_loop, scene.size)
        radius = np.hypot(x[:, 0], x[:, 1]).max()
        mean = np.average(x[:, 2], weights=weight)
        rows.append([corner, mean, x[:, 2].min(), radius, folds])
    return Drape(*np.mean(rows, axis=0))


def cone_tips(scene, x):
    """Number of places on the hem of a tablecloth, per quarter between the planes x = 0 and y = 0,
    [4], that hang lower than the hem on both sides of them by at least 5 % of the size of the
    scene, where the hem is smoothed over a fortieth of its length.

    A corner that hangs as one cone has one tip. One that crumples has several, or none.
    """
    places = along_hem(x[scene.hem], scene.sheet.points[scene.hem], True)
    places = gaussian_filter1d(places, SMOOTHING * PLACES, axis=0, mode="wrap")
    # Begin at the highest place, so that no tip is at an end.
    places = np.roll(places, -int(np.argmax(places[:, 2])), axis=0)
    closed = np.append(places[:, 2], places[0, 2])
    tips = find_peaks(-closed, prominence=HANGS_LOWER * scene.size)[0]
    quarter = 2 * (places[tips, 0] > 0.0) + (places[tips, 1] > 0.0)
    return np.bincount(quarter, minlength=4)
