# SPDX-License-Identifier: GPL-3.0-or-later
"""Run scenes with contact, look for intersections in their frames and draw them.

    python -m vbd.benchmarks.experiments.contact_run NAME ... [--meshes FOLDER] [--frames N]
        [--every K] [--picture]

`--picture` writes docs/gallery/contact_NAME.png. FOLDER holds the paper's meshes (`.t`).
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np

from vbd.benchmarks.experiments import contact_scenes as scenes
from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments.contact_scenes import ROD_SIDES, SHOWN_ROD
from vbd.benchmarks.experiments.contact_shapes import tube_segments
from vbd.solver.bodies import Rod
from vbd.solver.scene.thickness import collision_thickness
from vbd.solver.simulate import simulate
from vbd.tests.intersections import intersecting_pairs, joined

COLORS = ("#4f8fbf", "#d08a3c", "#7f9f5f", "#b06070", "#8a78b8", "#5fa8a0", "#c4a24a", "#9a7a60")
COLLIDER_COLOR = "#b8b8b8"
SHOWN = 5
# Segments of a rod this near to each other along it are neighbors.
KINK = 2
MEASURES = (
    "pairs",
    "deepest",
    "truncated",
    "searches",
    "residual",
    "kinetic_energy",
    "rejected",
    "inverted",
)


@dataclass(frozen=True)
class Crossings:
    """Pairs of triangles that intersect in one frame."""

    own: int
    """Pairs within one body."""
    bodies: int
    """Pairs of two bodies."""
    colliders: int
    """Pairs of a body and a collider."""

    @property
    def total(self):
        return self.own + self.bodies + self.colliders


def crossings(scene, positions, frame, rod=SHOWN_ROD):
    """`Crossings` of the surfaces in a frame, by the exact test of triangles.

    The tube that stands for a rod, of `rod` times its thickness, may intersect itself where the
    rod has a kink.
    """
    points, triangles, owner = joined(scene.surfaces(positions, frame, rod))
    pairs = intersecting_pairs(points, triangles)
    one, other = owner[pairs].reshape(-1, 2).T
    own = (one == other) & (one < len(scene.deformable))
    for number, body in enumerate(scene.deformable):
        if isinstance(body, Rod):
            segment = tube_segments(len(body.points), ROD_SIDES)
            at = np.flatnonzero(own & (one == number))
            near = segment[pairs[at] - np.argmax(owner == number)]
            own[at] = np.abs(near[:, 0] - near[:, 1]) > KINK
    collider = np.maximum(one, other) >= len(scene.deformable)
    mixed = one != other
    return Crossings(int(own.sum()), int((mixed & ~collider).sum()), int((mixed & collider).sum()))


def play(scene, frames=None, every=1):
    """Yields (frame, `Crossings` or None, seconds) of a scene; checks every `every`th frame."""
    count = frames or scene.frames
    started = time.perf_counter()
    for frame in simulate(scene.bodies, scene.settings, count):
        seconds = time.perf_counter() - started
        look = frame.index % every == 0 or frame.index == count
        found = crossings(scene, frame.exact_positions, frame.index) if look else None
        yield frame, found, seconds
        started = time.perf_counter()


def measures(statistics):
    """Numbers of a frame in a few words."""
    return "  ".join(f"{name} {getattr(statistics, name):.3g}" for name in MEASURES)


def draw(axes, scene, positions, frame, title):
    """Draw all surfaces from back to front; for closed ones only faces towards the eye, but for
    closed colliders only those that face away.

    Returns the places [n, 2] in the picture that it should show.
    """
    rows = figures.view(*scene.view)
    meshes = scene.surfaces(positions, frame)
    points, triangles, owner = joined(meshes)
    seen = points @ rows.T
    corners = seen[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    collider = owner >= len(scene.deformable)
    keep = np.where(collider, normal < 0.0, normal > 0.0) | is_open(triangles, owner)
    order = np.flatnonzero(keep)[np.argsort(corners[keep, :, 2].mean(axis=1), kind="stable")]
    # Colliders with large triangles lie behind everything, which sorting cannot detect.
    backdrop = collider & is_large(corners)
    order = order[np.argsort(~backdrop[order], kind="stable")]
    colors = np.array(
        [
            figures.to_rgb(
                COLLIDER_COLOR if k >= len(scene.deformable) else COLORS[k % len(COLORS)]
            )
            for k in range(len(meshes))
        ]
    )
    light = figures.LIGHT / np.linalg.norm(figures.LIGHT)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.maximum(np.linalg.norm(across, axis=1), 1e-30)[:, None]
    paint = np.clip((0.3 + 0.8 * np.abs(across @ light))[:, None] * colors[owner], 0.0, 1.0)
    axes.add_collection(
        figures.PolyCollection(
            corners[order, :, :2], facecolors=paint[order], edgecolors=paint[order], linewidths=0.2
        )
    )
    return seen[np.unique(triangles[~backdrop]), :2]


def is_open(triangles, owner):
    """True per triangle where its surface has a border."""
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    _, edge, uses = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    single = np.zeros(owner.max() + 1, dtype=bool)
    single[owner[np.flatnonzero(uses[edge.ravel()] == 1) // 3]] = True
    return single[owner]


def is_large(corners):
    """True per triangle where it is larger than a tenth of the whole."""
    size = np.ptp(corners, axis=1).max(axis=1)
    return size > 0.1 * np.ptp(corners.reshape(-1, 3), axis=0).max()


def picture(scene, name, shown):
    """Write the picture of frames {index: positions}, with the same scale in all of them."""
    figure, axes = figures.pyplot.subplots(1, len(shown), figsize=(3.0 * len(shown), 3.2))
    seen = []
    for part, (index, positions) in zip(axes, sorted(shown.items()), strict=True):
        seen.append(draw(part, scene, positions, index, name))
    low, high = (f(np.concatenate(seen), axis=0) for f in (np.min, np.max))
    if scene.focus:
        low, high = np.full(2, -scene.focus), np.full(2, scene.focus)
    margin = 0.05 * (high - low).max()
    for part, index in zip(axes, sorted(shown), strict=True):
        now = index * scene.settings.frame_time
        figures.frame_view(part, low - margin, high + margin, f"{now:.2f} s")
    figure.tight_layout()
    figures.save(figure, f"contact_{name}")


def report(name, scene, frames, every, with_picture):
    """Simulate a scene and print its intersections."""
    start = [body.points for body in scene.deformable]
    vertices = sum(len(points) for points in start)
    count = frames or scene.frames
    moments = {*np.linspace(0, count, SHOWN).round().astype(int)}
    thickness = min(collision_thickness(body) for body in scene.deformable)
    shown, bad, spent, looks = {0: start}, [], [], 0
    pairs = depth = truncated = 0
    print(f"{name}: {len(start)} bodies, {vertices} vertices, {count} frames")
    print(f"  at the start {crossings(scene, start, 0)}")
    for frame, found, seconds in play(scene, count, every):
        spent.append(seconds)
        looks += found is not None
        pairs, depth = max(pairs, frame.stats.pairs), max(depth, frame.stats.deepest)
        truncated = max(truncated, frame.stats.truncated)
        if found and found.total:
            bad.append(frame.index)
        if frame.index in moments:
            shown[frame.index] = frame.exact_positions
        if found and (found.total or frame.index in moments):
            print(f"  {frame.index:4d}  {found}  {seconds:.2f} s  {measures(frame.stats)}")
        if not all(np.isfinite(x).all() for x in frame.exact_positions):
            print(f"  {frame.index:4d}  not finite")
            break
    print(f"  frames with intersections, of {looks}: {bad or 'none'}")
    # Two bodies meet at the sum of their thicknesses.
    print(
        f"  most pairs {pairs}, most truncated {truncated}, deepest {depth / thickness:.3f} of the "
        f"least thickness {thickness:.4g} m"
    )
    # The first frame compiles kernels.
    typical, most = np.median(spent), max(spent[1:] or spent)
    print(f"  seconds a frame: median {typical:.3f}, most {most:.3f}")
    if with_picture:
        picture(scene, name, shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=[*scenes.SCENES, *scenes.SCENES_OF_MESHES])
    parser.add_argument("--meshes", metavar="FOLDER")
    parser.add_argument("--frames", type=int)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--picture", action="store_true")
    given = parser.parse_args()
    for name in given.names:
        if name in scenes.SCENES:
            scene = scenes.SCENES[name]()
        elif given.meshes is None:
            parser.error(f"{name} needs --meshes FOLDER")
        else:
            scene = scenes.SCENES_OF_MESHES[name](given.meshes)
        report(name, scene, given.frames, given.every, given.picture)


if __name__ == "__main__":
    main()
