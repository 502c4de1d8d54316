# SPDX-License-Identifier: GPL-3.0-or-later
"""Strategies of hypothesis for inputs of the solver as plain data (building.py).

Sound scenes take any size, place, material and time step in the ranges of the solver; `scenes` may
damage a value of one.
"""

from copy import deepcopy
from dataclasses import fields
from math import inf, nan

import numpy as np
from hypothesis import strategies as st

from vbd.solver.bodies.deformable import KEYED
from vbd.solver.scene.directors import with_directors
from vbd.solver.scene.force_fields import FALLOFFS, KINDS, SHAPES, SIDES
from vbd.solver.settings import Material, Settings

from .building import CLASSES
from .meshes import MESHES
from .rigid import grains, joints, rigid_bodies
from .values import WRONG, mapped, maps, materials, powers, scene_settings, sound

BODIES = ("Solid", "Cells", "Cloth", "Rod", "Grains", "RigidBody")
# Inputs that are made of one scene.
COPIES = 8


@st.composite
def bodies(draw, number, kinds=BODIES, is_common=False):
    """A sound body."""
    kind = draw(st.sampled_from(kinds))
    if kind == "Grains":
        return draw(grains(number))
    if kind == "RigidBody":
        return draw(rigid_bodies(number))
    points, elements = draw(st.sampled_from(MESHES[kind]))
    args, (matrix, shift) = {}, draw(maps())
    if kind == "Rod" and draw(st.booleans()):
        points, directors = with_directors(points, np.array(elements))
        args["directors"] = directors.tolist()
    count = len(points)
    args |= {"points": mapped(points, matrix, shift), "material": draw(materials(is_common))}
    args["elements"] = np.array(elements).tolist()
    if kind == "Cells" or draw(st.integers(0, 3)) == 0:
        size = abs(np.linalg.det(matrix)) ** (1.0 / 3.0) or 1.0
        args["rest_points"] = mapped(points, size * np.eye(3), np.zeros(3))
    if draw(st.booleans()):
        chosen = draw(st.lists(st.integers(0, count - 1), max_size=count, unique=True))
        args["pins"] = draw(pins(np.array(args["points"]), chosen))
    if draw(st.integers(0, 3)) == 0:
        speed = draw(powers(-6, 6))
        args["velocities"] = (speed * np.array([draw(st.integers(-1, 1)) for _ in "xyz"])).tolist()
    if draw(st.integers(0, 7)) == 0:
        args["collides_with"] = draw(st.sampled_from([[], [f"Body {number - 1}"], [""]]))
    if not is_common and draw(st.integers(0, 9)) == 0:
        name = draw(st.sampled_from(KEYED))
        args["keyed"] = {name: {"time": [draw(sound(Material, name)), draw(sound(Material, name))]}}
    if kind in ("Solid", "Cells") and not is_common and draw(st.integers(0, 9)) == 0:
        args["keeps_shape"] = True
    if kind == "Cloth" and not is_common:
        args |= draw(of_cloth(np.array(args["points"]), elements))
    return {"new": kind, "args": args | {"name": f"Body {number}"}}


@st.composite
def pins(draw, points, chosen):
    args, goals = {"indices": chosen}, points[chosen]
    if chosen and draw(st.booleans()):
        way = draw(powers(-6, 6)) * np.ptp(points, axis=0).max()
        paths = [(goals + way * k).tolist() for k in range(3)]
        args["targets"] = draw(st.sampled_from([paths[1], paths, {"time": paths[:2]}]))
    return {"new": "Pins", "args": args}


@st.composite
def of_cloth(draw, points, triangles):
    args = {}
    if draw(st.integers(0, 3)) == 0:
        args["uv"] = points[:, :2].tolist()
    if draw(st.integers(0, 9)) == 0:
        args["tear_strain"] = draw(powers(-6, 3))
    if draw(st.integers(0, 9)) == 0:
        args["pressure_in_time"] = {"time": [draw(powers(-3, 6)), draw(powers(-3, 6))]}
    if draw(st.integers(0, 9)) == 0:
        args["seams"] = [[0, len(points) - 1]]
    return args


@st.composite
def colliders(draw, number):
    matrix, shift = draw(maps())
    friction = draw(st.sampled_from([None, 0.0, 0.5, 100.0, {"time": [0.0, 1.0]}]))
    args, size = {"friction": friction, "name": f"Collider {number}"}, np.abs(matrix).max() or 1.0
    kind = draw(st.sampled_from(["Collider", "Collider", "Plane", "Box", "Sphere"]))
    if kind == "Collider":
        points, triangles = draw(st.sampled_from(MESHES["Collider"]))
        rest = np.array(mapped(points, matrix, shift))
        way = draw(powers(-6, 6)) * size
        paths = [(rest + way * k).tolist() for k in range(3)]
        args["points"] = draw(st.sampled_from([paths[0], paths, {"time": paths[:2]}]))
        args |= {"triangles": np.array(triangles).tolist(), "thickness": draw(powers(-9, 2))}
        return {"new": kind, "args": args}
    if kind == "Plane":
        args |= {"point": shift.tolist(), "normal": matrix[2].tolist()}
    elif kind == "Box":
        args |= {"low": (shift - size).tolist(), "high": (shift + size).tolist()}
    else:
        args |= {"center": shift.tolist(), "radius": size}
    if draw(st.integers(0, 3)) == 0:
        motion = np.eye(4)
        motion[:3, :3], motion[:3, 3] = matrix, draw(powers(-6, 6))
        args["motion"] = {"time": [np.eye(4).tolist(), motion.tolist()]}
    return {"new": kind, "args": args}


@st.composite
def attachments(draw, made):
    """An attachment of one of the bodies made so far, to space or to another of them."""
    at = draw(st.integers(0, len(made) - 1))
    points = np.array(made[at]["args"]["points"])
    rows = draw(st.lists(st.integers(0, len(points) - 1), min_size=1, max_size=3))
    args = {"body": {"body": at}, "vertices": rows, "stiffness": draw(powers(-6, 12))}
    if draw(st.booleans()):
        goals = points[rows].tolist()
        args["points"] = draw(
            st.sampled_from([goals, {"time": [goals, (points[rows] * 2).tolist()]}])
        )
    else:
        other = draw(st.integers(0, len(made) - 1))
        args |= {"other": {"body": other}, "corners": [0] * len(rows)}
        args["offset"] = draw(st.sampled_from([None, 0.0]))
    free, held = [0.0] * len(rows), [1.0] * len(rows)
    options = {
        "normal": st.sampled_from([[0.0, 0.0, 1.0], [1e-9, 0.0, 0.0]]),
        "tangential_stiffness": powers(-6, 12),
        "strength": powers(-6, 6),
        "maximum_force": powers(-6, 6),
        "damping": powers(-6, 1),
        "length": powers(-3, 3),
        "shrink_speed": powers(-3, 3),
        "grip": st.sampled_from([held, {"time": [free, held]}]),
    }
    for name in draw(st.lists(st.sampled_from(sorted(options)), max_size=2, unique=True)):
        args[name] = draw(options[name])
    return {"new": "Attachment", "args": args}


@st.composite
def force_fields(draw):
    names = ("strength", "flow", "noise", "size", "power", "nearest", "radial_power", "unit")
    chosen = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    numbers = {name: draw(st.sampled_from([0.0, 1.0]) | powers(-6, 6)) for name in chosen}
    args = {
        "kind": draw(st.sampled_from(sorted(KINDS.keys() - {"texture"}))),
        "numbers": {"new": "FieldNumbers", "args": numbers},
        "shape": draw(st.sampled_from(sorted(SHAPES))),
        "falloff": draw(st.sampled_from(sorted(FALLOFFS))),
        "side": draw(st.sampled_from(sorted(SIDES))),
        "blows": draw(st.booleans()),
    }
    return {"new": "ForceField", "args": args}


@st.composite
def sound_scenes(draw, families=(BODIES,), is_common=False):
    """A scene without damage. `families`: tuples of the kinds of bodies that one may have.
    `is_common`: of fields that compile few kernels.
    """
    kinds, count = draw(st.sampled_from(families)), draw(st.sampled_from([1, 1, 1, 2]))
    made = [draw(bodies(number, kinds, is_common)) for number in range(count)]
    more = [draw(colliders(k)) for k in range(draw(st.sampled_from([0, 0, 1, 2])))]
    if not is_common and draw(st.integers(0, 3)) == 0:
        more.append(draw(attachments(made)))
    if not is_common and draw(st.integers(0, 5)) == 0:
        more.append(draw(force_fields()))
    rigid = [k for k, body in enumerate(made) if body["new"] == "RigidBody"]
    if rigid and draw(st.booleans()):
        more.append(draw(joints(made, rigid)))
    simulate = {"frame_count": draw(st.sampled_from([1, 1, 2]))}
    return {
        "settings": draw(scene_settings(is_common)),
        "bodies": made + more,
        "simulate": simulate,
    }


@st.composite
def damaged_scenes(draw):
    """Copies of a scene: a sound one, and others in which one or two values are damaged."""
    copies = [draw(sound_scenes())]
    for _ in range(COPIES - 1):
        spec = deepcopy(copies[0])
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            _damage(draw, spec)
        copies.append(spec)
    return copies


def _objects(value):
    """All objects in a value."""
    if isinstance(value, dict):
        if "new" in value:
            yield value
        for part in value.values():
            yield from _objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part)


def _damage(draw, spec):
    """Damage a value in a scene."""
    where = draw(st.sampled_from(["object", "object", "object", "array", "array", "scene"]))
    known = list(_objects(spec["bodies"]))
    if where == "scene":
        owner = draw(st.sampled_from(["settings", "simulate", "bodies"]))
        if owner == "settings":
            name = draw(st.sampled_from([f.name for f in fields(Settings)]))
            spec[owner][name] = draw(WRONG)
        elif owner == "simulate":
            name = draw(st.sampled_from(["frame_count", "device", "gravity"]))
            spec[owner][name] = draw(WRONG)
        else:
            spec[owner].append(draw(WRONG))
        return
    args = draw(st.sampled_from(known))
    if where == "array":
        arrays = [name for name, value in args["args"].items() if _is_array(value)]
        if arrays:
            _damage_array(draw, args["args"][draw(st.sampled_from(arrays))])
            return
    names = [f.name for f in fields(CLASSES[args["new"]]) if f.init and f.name != "name"]
    if args["new"] == "Grains":
        names.remove("elements")  # their constructor makes them
    args["args"][draw(st.sampled_from(names))] = draw(WRONG)


def _is_array(value):
    return isinstance(value, list) and bool(value)


def _damage_array(draw, array):
    """Change, repeat, drop or cut short an entry of nested lists."""
    at = draw(st.integers(0, len(array) - 1))
    inner = array[at]
    if isinstance(inner, list) and inner and draw(st.booleans()):
        _damage_array(draw, inner)
        return
    how = draw(st.sampled_from(["wild", "number", "number", "repeat", "drop", "copy"]))
    if how == "wild":
        array[at] = draw(WRONG)
    elif how == "number":
        array[at] = draw(st.sampled_from([nan, inf, 1e300, -1, 99, 0, 1e12, 1 << 40]))
    elif how == "repeat":
        array.insert(at, inner)
    elif how == "drop":
        del array[at]
    else:
        array[draw(st.integers(0, len(array) - 1))] = inner
