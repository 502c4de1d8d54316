# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiments with four coefficients of friction: a cube on a slope, four bodies in a box.

    python -m vbd.benchmarks.experiments.contact_friction [--meshes FOLDER] [--frames N]

Writes docs/gallery/contact_incline.png and docs/gallery/contact_frictions.png. The bodies are jacks
of six arms or, given the FOLDER of the paper's meshes, octopi.
"""

import argparse

import numpy as np

from vbd.benchmarks.experiments import contact_scenes as scenes
from vbd.benchmarks.experiments import figures
from vbd.benchmarks.experiments.contact_run import draw, play
from vbd.benchmarks.experiments.contact_shapes import read_tets

ANGLE = 20.0
# Fractions of the tangent of the angle, which decides between sliding and sticking.
AROUND_CRITICAL = (0.55, 0.99, 1.01, 2.0)
FRICTIONS = (0.0, 0.1, 0.3, 1.0)
GRAVITY = 9.81


def slope(part):
    """Scene, its last positions and the mean speed downhill [m/s] in every frame."""
    tilt = np.radians(ANGLE)
    friction = part * np.tan(tilt)
    scene = scenes.incline(friction, ANGLE)
    downhill = np.array([np.cos(tilt), 0.0, -np.sin(tilt)])
    places, bad = [(scene.deformable[0].points @ downhill).mean()], 0
    for frame, found, _ in play(scene):
        places.append((frame.exact_positions[0] @ downhill).mean())
        bad += found.total
    speeds = np.diff(places) / scene.settings.frame_time
    third = len(speeds) // 3
    gained = (speeds[-1] - speeds[third]) / ((len(speeds) - 1 - third) * scene.settings.frame_time)
    pull = GRAVITY * (np.sin(tilt) - friction * np.cos(tilt))
    law = f"accelerates by {gained:.4f} m/s², wanted {pull:.4f}"
    if part > 1.0:
        law = f"creeps at {1e3 * speeds[-1]:.4f} mm/s, wanted 0"
    print(f"μ_c {friction:.4f} ({part} tan θ): {law}; {bad} intersections", flush=True)
    return scene, frame.exact_positions, f"μ = {friction:.3f}"


def heap(mesh, friction, frames):
    """Scene, its last positions and a title."""
    scene, bad, pairs, deepest, seconds = scenes.into_a_box(mesh, friction=friction), 0, 0, 0.0, 0.0
    for frame, found, spent in play(scene, frames):
        bad += found.total
        pairs, deepest = max(pairs, frame.stats.pairs), max(deepest, frame.stats.deepest)
        seconds += spent
    points = np.concatenate(frame.exact_positions)
    wide = np.linalg.norm(points[:, :2] - points[:, :2].mean(axis=0), axis=1).mean()
    thickness = scene.deformable[0].material.collision_thickness
    print(
        f"μ_c {friction}: {bad} intersections in {frame.index} frames, {pairs} pairs, deepest "
        f"{deepest / thickness:.2f} of the thickness, {seconds / frame.index:.2f} s a frame, mean "
        f"height {points[:, 2].mean():.3f} m, mean distance from the middle {wide:.3f} m, kinetic "
        f"energy {frame.stats.kinetic_energy:.3g} J",
        flush=True,
    )
    return scene, frame.exact_positions, f"μ = {friction}"


def side_by_side(results, name):
    """Picture of the last frames of several (scene, positions, title)."""
    figure, axes = figures.pyplot.subplots(1, len(results), figsize=(3.0 * len(results), 3.2))
    seen = [
        draw(part, scene, positions, scene.frames, title)
        for part, (scene, positions, title) in zip(axes, results, strict=True)
    ]
    low, high = (f(np.concatenate(seen), axis=0) for f in (np.min, np.max))
    margin = 0.05 * (high - low).max()
    for part, (_, _, title) in zip(axes, results, strict=True):
        figures.frame_view(part, low - margin, high + margin, title)
    figure.tight_layout()
    figures.save(figure, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--meshes", metavar="FOLDER")
    parser.add_argument("--frames", type=int, default=60)
    given = parser.parse_args()
    mesh = read_tets(given.meshes, "octopus_5k") if given.meshes else None
    side_by_side([slope(part) for part in AROUND_CRITICAL], "contact_incline")
    last = [heap(mesh, friction, given.frames) for friction in FRICTIONS]
    side_by_side(last, "contact_frictions")


if __name__ == "__main__":
    main()
