# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of drapes in a row."""

import numpy as np
from PIL import Image

from ..experiments.figures import GALLERY, LIGHT, pyplot, to_rgb, view
from . import scenes

COLOR, PEER, SOLID, PAPER = "#6f8fd8", "#d9a066", "#b9b9b9", "#ffffff"
# Azimuth and elevation [°], and the middle and half width of the view [m].
VIEWS = {
    "box": (28.0, 30.0, (0.0, 0.95), 1.75),
    "meshes": (28.0, 30.0, (0.0, 0.95), 1.75),
    "sphere": (28.0, 20.0, (0.0, -0.1), 0.95),
    "corners": (20.0, 8.0, (0.0, -0.4), 0.62),
    "side": (60.0, 10.0, (0.4, -0.5), 0.7),
    "curtain": (15.0, 10.0, (0.0, 0.0), 1.15),
    "skirt": (20.0, 20.0, (0.0, -0.25), 0.6),
    "flag": (60.0, 12.0, (0.65, 0.0), 0.95),
}
# Pixels across a picture, each of which is the mean of so many squared.
PIXELS, FINER = 300, 3
# Colliders that are drawn: not the floor.
FLOORS = 2


def seen_colors(triangles, color):
    """Colors [triangle, 3] in 0 … 1 of triangles [triangle, corner, 3] in the picture's axes, lit
    on the side that is seen.
    """
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-30)[:, None]
    normal *= np.where(normal[:, 2:] < 0.0, -1.0, 1.0)
    light = 0.35 + 0.65 * np.maximum(normal @ (LIGHT / np.linalg.norm(LIGHT)), 0.0)
    return np.clip(light[:, None] * np.array(to_rgb(color)) * 1.15, 0.0, 1.0)


def rasterized(triangles, colors, size):
    """A picture [size, size, 3] of triangles in pixels from the upper left and depth."""
    picture = np.tile(to_rgb(PAPER), (size, size, 1))
    depth = np.full((size, size), -np.inf)
    for (a, b, c), color in zip(triangles, colors, strict=True):
        low = np.maximum(np.floor(np.minimum(np.minimum(a, b), c)[:2]).astype(int), 0)
        high = np.minimum(np.ceil(np.maximum(np.maximum(a, b), c)[:2]).astype(int) + 1, size)
        double = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if (low >= high).any() or abs(double) < 1e-9:
            continue
        x, y = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
        u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / double
        v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / double
        there = slice(low[1], high[1]), slice(low[0], high[0])
        z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        seen = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (z > depth[there])
        depth[there][seen] = z[seen]
        picture[there][seen] = color
    return picture


def image(name, mesh, color):
    """A picture [pixel, pixel, 3] of one drape, points [vertex, 3] and triangles, on its
    support.
    """
    azimuth, elevation, middle, half = VIEWS[name]
    rows = view(azimuth, elevation)
    solids = scenes.SCENES.get(name, scenes.box)(16).colliders
    solids = [m for m in solids if len(m[1]) > FLOORS]
    triangles, colors = [], []
    for (points, corners), tint in ((mesh, color), *((m, SOLID) for m in solids)):
        seen = (points @ rows.T)[corners]
        triangles.append(seen)
        colors.append(seen_colors(seen, tint))
    triangles, size = np.concatenate(triangles), PIXELS * FINER
    # Cloth that lies on a solid is drawn in front of it, though its faces cut off the edges.
    triangles[: len(mesh[1]), :, 2] += 0.02 * half
    scale = 0.5 * size / half
    places = (triangles[:, :, :2] - middle) * [scale, -scale] + 0.5 * size
    places = np.concatenate([places, triangles[:, :, 2:]], axis=2)
    picture = rasterized(places, np.concatenate(colors), size)
    return picture.reshape(PIXELS, FINER, PIXELS, FINER, 3).mean(axis=(1, 3))


def row(name, drapes):
    """Write docs/gallery/cloth_`name`.jpg of drapes (title, (points, triangles), is a peer)."""
    width, height = 2.4 * len(drapes), 2.7
    figure, axes = pyplot.subplots(
        1, len(drapes), figsize=(width, height), squeeze=False, layout="constrained"
    )
    for one, (says, mesh, is_peer) in zip(axes[0], drapes, strict=True):
        one.imshow(image(name, mesh, PEER if is_peer else COLOR))
        one.set_title(says, fontsize=9)
        one.axis("off")
    path = GALLERY / f"cloth_{name}.jpg"
    figure.savefig(path.with_suffix(".png"), dpi=125)
    pyplot.close(figure)
    picture = Image.open(path.with_suffix(".png")).convert("RGB")
    picture.save(path, quality=85, optimize=True)
    path.with_suffix(".png").unlink()
    print(f"{path.name}: {path.stat().st_size // 1024} kB", flush=True)
