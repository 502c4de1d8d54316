# SPDX-License-Identifier: GPL-3.0-or-later
"""Drape cloth at many resolutions; print and draw how far the drapes agree.

    python -m vbd.benchmarks.cloth_resolution drape box sphere --faces 12 30 60
        [--by adapted plain peer] [--keep FOLDER]
    python -m vbd.benchmarks.cloth_resolution meshes [--faces 30]
    python -m vbd.benchmarks.cloth_resolution scan [--faces 20 30 60] [--shortest …] [--within …]
    python -m vbd.benchmarks.cloth_resolution draw box sphere --keep FOLDER

`drape`: scenes, each at all numbers of faces along a side; by this solver with folds adapted to the
mesh and without (plain), and by Blender's own cloth (peer), where Blender is there as a module.
`meshes`: the tablecloth on other kinds of mesh, and on a box half a face beside its middle. `scan`:
the tablecloth with other lengths of folds. Each prints a table in Markdown. `--keep` writes the
drapes to a folder, from which `draw` makes the pictures of the page, in rows.

Seconds are those of one thread, with compiled kernels. Heights are in metres; measures.py explains
how folds are counted.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from vbd.solver.bodies import folds

from . import measures, ours, scenes

HEAD = """| {} | corners | mean height | lowest | largest radius | folds | s |
| --- | --- | --- | --- | --- | --- | --- |"""


def played(scene, what):
    """Frames of a scene, and their seconds; `what`: adapted, plain or peer."""
    if what == "peer":
        from .blenders import motion

        arguments = {}
    else:
        motion, arguments = ours.motion, {"adapt_folds": what == "adapted"}
    started = time.perf_counter()
    frames = motion(scene, **arguments)
    return frames, time.perf_counter() - started


def tell(title, scene, frames, seconds):
    d = measures.drape(scene, frames)
    corner = "–" if np.isnan(d.corner) else f"{d.corner:.3f}"
    numbers = f"{d.mean:.3f} | {d.lowest:.3f} | {d.radius:.3f} | {d.folds:.1f} | {seconds:.1f}"
    print(f"| {title} | {corner} | {numbers} |", flush=True)


def keep(given, name, scene, frames):
    if given.keep:
        path = Path(given.keep) / f"{name}.npz"
        np.savez_compressed(path, x=frames[-1], triangles=scene.sheet.triangles)


def drape(given):
    for name in given.scenes or scenes.SCENES:
        print(HEAD.format(name), flush=True)
        for what in given.by:
            for faces in given.faces or (12, 30, 60):
                scene = scenes.SCENES[name](faces)
                frames, seconds = played(scene, what)
                tell(f"{faces}², {what}", scene, frames, seconds)
                keep(given, f"{name}_{what}_{faces}", scene, frames)


def other_meshes(given):
    print(HEAD.format("mesh"), flush=True)
    for faces in given.faces or (30,):
        for kind in scenes.meshes.SQUARES:
            scene = scenes.box(faces, kind)
            frames, seconds = played(scene, "adapted")
            tell(f"{kind}, {len(scene.sheet.points)} vertices", scene, frames, seconds)
            keep(given, f"mesh_{kind}_{faces}", scene, frames)
        scene = scenes.box(faces, beside=2.0 / faces)
        frames, seconds = played(scene, "adapted")
        tell("alternating, half a face beside", scene, frames, seconds)


def scan(given):
    print(HEAD.format("SHORTEST, WITHIN"), flush=True)
    for shortest in given.shortest:
        for within in given.within:
            folds.SHORTEST, folds.WITHIN = shortest, within
            for faces in given.faces or (20, 30, 60):
                scene = scenes.box(faces)
                frames, seconds = played(scene, "adapted")
                tell(f"{shortest}, {within}: {faces}²", scene, frames, seconds)


def kept(given, name, kind):
    """(faces, (points, triangles)) of the saved drapes of a scene, coarse ones first."""
    paths = Path(given.keep).glob(f"{name}_{kind}_*.npz")
    numbered = sorted((int(path.stem.split("_")[-1]), path) for path in paths)
    for faces, path in numbered:
        if not given.faces or faces in given.faces:
            with np.load(path) as file:
                yield faces, (file["x"], file["triangles"])


def draw(given):
    from . import pictures

    says = {"adapted": "", "plain": ", not adapted", "peer": ", Blender's own"}
    for name in given.scenes or (*scenes.SCENES, "meshes"):
        if name == "meshes":
            kinds = scenes.meshes.SQUARES
            drapes = [(k, mesh, False) for k in kinds for _, mesh in kept(given, "mesh", k)]
        else:
            drapes = [
                (f"{faces}²{text}", mesh, kind == "peer")
                for kind, text in says.items()
                for faces, mesh in kept(given, name, kind)
            ]
        pictures.row(name, drapes)


COMMANDS = {"drape": drape, "meshes": other_meshes, "scan": scan, "draw": draw}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--faces", type=int, nargs="*")
    parser.add_argument(
        "--by", nargs="*", choices=("adapted", "plain", "peer"), default=["adapted"]
    )
    parser.add_argument("--shortest", type=float, nargs="*", default=(0.35, 0.5, 0.7))
    parser.add_argument("--within", type=float, nargs="*", default=(0.5, 1.0))
    parser.add_argument("--keep")
    given = parser.parse_args()
    if given.keep:
        Path(given.keep).mkdir(parents=True, exist_ok=True)
    COMMANDS[given.command](given)


if __name__ == "__main__":
    main()
