# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes as data, which stay the same when the generator of random scenes changes.

A file has arrays by number, and a text in JSON that assigns them.
"""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np

from vbd.solver import bodies, settings
from vbd.solver.bodies import solids
from vbd.solver.scene import analytic_colliders, attachments, joints

from . import driven, scenes

FAILED = Path(__file__).resolve().parent / "failed"
MODULES = (bodies, solids, settings, analytic_colliders, attachments, joints, driven, scenes)


def given(value, name):
    """A field as it was given: rigid bodies replace their meshes."""
    if isinstance(value, bodies.RigidBody):
        derived = {"points": value.mesh_points, "elements": value.triangles}
        derived |= dict.fromkeys(("velocities", "rest_points"))
        return derived.get(name, getattr(value, name))
    return getattr(value, name)


def write(path, scene):
    """Write a scene whose motion is keyframes or those of driven.py, not functions."""
    known, arrays = [], []

    def told(value):
        if is_dataclass(value):
            for number, other in enumerate(known):
                if other is value:  # such as the body of an attachment
                    return {"again": number}
            parts = {f.name: told(given(value, f.name)) for f in fields(value) if f.init}
            known.append(value)
            return {"class": type(value).__name__, **parts}
        if isinstance(value, np.ndarray):
            arrays.append(value)
            return {"array": len(arrays) - 1}
        if isinstance(value, list | tuple):
            return [told(part) for part in value]
        if isinstance(value, dict):
            return {"by name": {name: told(part) for name, part in value.items()}}
        return value.item() if isinstance(value, np.generic) else value

    text = json.dumps(told(scene))
    np.savez_compressed(path, *arrays, text=text)


def read(path):
    """The scene of a file, without fields that no longer exist."""
    known, stored = [], np.load(path)

    def made(value):
        if isinstance(value, list):
            return tuple(made(part) for part in value)
        if not isinstance(value, dict):
            return value
        if "again" in value:
            return known[value["again"]]
        if "array" in value:
            return stored[f"arr_{value['array']}"]
        if "by name" in value:
            return {name: made(part) for name, part in value["by name"].items()}
        # Older files say "kind", which joints have as a field.
        name = value.pop("class") if "class" in value else value.pop("kind")
        kind = next(getattr(module, name) for module in MODULES if hasattr(module, name))
        has = {f.name for f in fields(kind) if f.init}
        parts = {key: made(part) for key, part in value.items()}
        known.append(kind(**{key: part for key, part in parts.items() if key in has}))
        return known[-1]

    return made(json.loads(str(stored["text"])))
