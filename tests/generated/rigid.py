# SPDX-License-Identifier: GPL-3.0-or-later
"""Strategies of hypothesis for rigid bodies, their joints, and grains."""

import numpy as np
from hypothesis import strategies as st

from vbd.solver.scene.joints import KINDS, MOVABLE

from .meshes import MESHES
from .values import mapped, maps, materials, powers


def directions():
    """Vectors [3] of -1, 0 and 1."""
    return st.tuples(*[st.sampled_from([-1.0, 0.0, 1.0])] * 3).map(list)


@st.composite
def rigid_bodies(draw, number):
    """A rigid body, closed, or open with a thickness."""
    points, triangles = draw(st.sampled_from(MESHES["Cloth"]))
    matrix, shift = draw(maps())
    args = {"points": mapped(points, matrix, shift), "elements": np.array(triangles).tolist()}
    args |= {"material": draw(materials()), "name": f"Body {number}"}
    for name, least, most in (("thickness", -6, 1), ("mass", -9, 9)):
        if draw(st.booleans()):
            args[name] = draw(powers(least, most))
    for name in ("velocity", "angular_velocity"):
        if draw(st.integers(0, 3)) == 0:
            args[name] = (draw(powers(-6, 6)) * np.array(draw(directions()))).tolist()
    if draw(st.integers(0, 7)) == 0:
        moved = np.eye(4)
        moved[:3, 3] = draw(powers(-3, 3))
        args["poses"] = {"time": [np.eye(4).tolist(), moved.tolist()]}
        args["until"] = draw(st.sampled_from([None, 0.0, 0.05]))
    return {"new": "RigidBody", "args": args}


@st.composite
def grains(draw, number):
    """Up to nine grains, apart or overlapping."""
    count, size = draw(st.integers(1, 9)), draw(powers(-6, 6))
    places = np.array([[k % 3, k // 3, 0.0] for k in range(count)])
    apart = draw(st.sampled_from([2.0, 2.001, 1.0, 10.0]))
    shift = draw(st.sampled_from([0.0, 1.0, 1e6])) * np.array(draw(directions()))
    radius = draw(st.sampled_from([size, [size] * count]))
    args = {"points": (apart * size * places + shift).tolist(), "radius": radius}
    args |= {"material": draw(materials()), "name": f"Body {number}"}
    if draw(st.booleans()):
        args["velocities"] = (draw(powers(-6, 6)) * np.array(draw(directions()))).tolist()
    return {"new": "Grains", "args": args}


@st.composite
def joints(draw, made, rigid):
    """A joint of one of the bodies whose numbers are `rigid`, to another one or to space."""
    at, kind = draw(st.sampled_from(rigid)), draw(st.sampled_from(KINDS))
    args = {"kind": kind, "body": {"body": at}, "axis": draw(directions())}
    args["point"] = draw(st.sampled_from(made[at]["args"]["points"]))
    others = [number for number in rigid if number != at]
    if others and draw(st.booleans()):
        args["other"] = {"body": draw(st.sampled_from(others))}
    if kind in MOVABLE and draw(st.booleans()):
        args["limits"] = [-draw(powers(-3, 1)), draw(powers(-3, 1))]
    if kind in MOVABLE and draw(st.booleans()):
        goal = draw(st.sampled_from([0.0, 1.0, {"time": [0.0, 1.0]}]))
        motor = {draw(st.sampled_from(["speed", "position"])): goal}
        motor["maximum"] = draw(powers(-3, 6))
        args["motor"] = {"new": "Motor", "args": motor}
    if draw(st.booleans()):
        args["strength"] = draw(powers(-3, 9))
    args["collides"] = draw(st.booleans())
    return {"new": "Joint", "args": args}
