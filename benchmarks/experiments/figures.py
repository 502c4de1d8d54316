# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the experiments: surfaces of tets, shaded, and saving to the gallery."""

from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
# Direction towards the light, in the picture's own axes: right, up, out of the picture.
LIGHT = np.array([-0.35, 0.6, 0.72])
# Corners of a tet's faces, such that normals point out of a tet of positive volume.
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def surface(tets):
    """Triangles [n, 3] of the faces that only one tet has, facing outwards."""
    faces = tets[:, FACES].reshape(-1, 3)
    _, first, times = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    return faces[first[times == 1]]


def view(azimuth, elevation):
    """Rows right, up and out of the picture [3, 3] for angles in degrees; 0, 0 looks along +y."""
    a, e = np.radians([azimuth, elevation])
    out = np.array([np.cos(e) * np.sin(a), -np.cos(e) * np.cos(a), np.sin(e)])
    right = np.array([np.cos(a), np.sin(a), 0.0])
    return np.stack([right, np.cross(out, right), out])


def draw_surface(axes, points, triangles, axis_rows, color, shift=(0.0, 0.0), edges=0.0):
    """Draw triangles from back to front in orthographic projection, lit from one side."""
    corners = (points @ axis_rows.T)[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    normal /= np.maximum(length, 1e-30)[:, None]
    # Light both sides: the inside of a flattened body shows as well.
    light = 0.3 + 0.7 * np.abs(normal @ (LIGHT / np.linalg.norm(LIGHT)))
    order = np.argsort(corners[:, :, 2].mean(axis=1))
    paint = np.clip(light[:, None] * np.array(to_rgb(color)) * 1.15, 0.0, 1.0)[order]
    line = paint if not edges else np.full_like(paint, 0.15)
    axes.add_collection(
        PolyCollection(
            corners[order, :, :2] + np.array(shift),
            facecolors=paint,
            edgecolors=line,
            linewidths=edges or 0.15,
        )
    )


def frame_view(axes, low, high, title=""):
    """Equal scales over [low, high] (each x, y) without ticks."""
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", title=title)
    axes.axis("off")


def save(figure, name):
    """Write docs/gallery/`name`.png with 256 colors, which keeps it below 200 kB."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    path = GALLERY / f"{name}.png"
    figure.savefig(path, dpi=90)
    pyplot.close(figure)
    Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1024} kB")
