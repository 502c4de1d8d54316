# SPDX-License-Identifier: GPL-3.0-or-later
"""Strategies of hypothesis for numbers, materials, settings and places, sound and wrong ones."""

from copy import deepcopy
from dataclasses import fields
from functools import cache
from math import inf, nan

import numpy as np
from hypothesis import strategies as st

from vbd.solver.settings import Material, Settings

# Values that are wrong nearly everywhere.
WILD = [
    *(None, nan, inf, -inf, -1, 0, 1, 0.5, 1e-300, 1e300, -1e12, 1 << 31, 1 << 70, True, False),
    *("", "text", [], {}, [[]], [nan], [inf, 0, 0], [1, 2], [0, 0, 0], [[0, 0, 0]], [None], ["a"]),
    *([[1, 2], [3]], [[0, 1, 2], [0, 1]], [-1], [99], [1 << 40], [0.5], [True], [[[0.0] * 3] * 2]),
    *({"complex": [0, 1]}, {"object": 1}, {"array": [], "dtype": "int64"}),
    {"array": [1, 2], "dtype": "complex128"},
    {"array": [0, 1], "dtype": "uint8"},
    {"array": [1 << 63], "dtype": "uint64"},
    {"array": 3.0, "dtype": "float16"},
    {"array": [[1.0, 2.0, 3.0]] * 2, "dtype": "object"},
    {"array": [[[0.0] * 3] * 2] * 2, "dtype": "float64"},
]
WILD += [{"time": [0.0, value]} for value in WILD[:12]] + [{"time": [value, 0.0]} for value in WILD]
WRONG = st.sampled_from(WILD).map(deepcopy)


@cache
def powers(low, high):
    """Numbers with a uniform exponent."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


def in_range(field):
    """Sound values of a field with a range: its bounds, its default, and any order between."""
    low, high = field.metadata["low"], field.metadata["high"]
    if isinstance(field.default, int):
        return st.sampled_from([low, field.default, min(low + 1, high), min(low + 6, high)])
    least = np.log10(max(low, high * 1e-16))
    some = powers(least, np.log10(high)).map(lambda value: min(max(value, low), high))
    return st.one_of(st.sampled_from([low, high, field.default]), some)


@cache
def sound(cls, name):
    """Sound values of a field of `Material` or `Settings`."""
    (field,) = (f for f in fields(cls) if f.name == name)
    if "names" in field.metadata:
        return st.sampled_from(sorted(field.metadata["names"]))
    return in_range(field) if "low" in field.metadata else st.booleans()


def some_of(draw, cls, names, most):
    """Sound values of up to `most` fields of `Material` or `Settings`."""
    chosen = {draw(st.sampled_from(names)) for _ in range(draw(st.integers(0, most)))}
    return {name: draw(sound(cls, name)) for name in sorted(chosen)}


MATERIALS = [f.name for f in fields(Material) if f.name not in ("mu", "lam")]
# Thousands of iterations of a step take as long as they take.
SETTINGS = [
    f.name
    for f in fields(Settings)
    if f.name not in ("gravity", "threads", "iterations", "substeps")
]
# Fields of which no kernel depends, so that scenes of these alone compile few.
COMMON = {
    *("youngs_modulus", "poisson_ratio", "density", "thickness", "bending_stiffness", "friction"),
    *("collision_thickness", "self_contact", "frame_time", "collision_stiffness", "relaxation"),
    *("friction_velocity", "accuracy", "initial_guess", "truncation", "use_ground", "sleep"),
}


@st.composite
def materials(draw, is_common=False):
    args = some_of(draw, Material, of_common(MATERIALS, is_common), 6)
    if is_common:
        return {"new": "Material", "args": args}
    if draw(st.integers(0, 9)) == 0:
        args |= {"mu": draw(powers(-3, 13)), "lam": draw(powers(-3, 14))}
    return {"new": "Material", "args": args}


def of_common(names, is_common):
    return [name for name in names if name in COMMON] if is_common else names


@st.composite
def scene_settings(draw, is_common=False):
    args = some_of(draw, Settings, of_common(SETTINGS, is_common), 4) | {"threads": 1}
    args["substeps"] = draw(st.sampled_from([1, 1, 2, 4]))
    args["iterations"] = draw(st.sampled_from([1, 2, 3, 6, 8, 20]))
    if draw(st.booleans()):
        args["gravity"] = [draw(st.sampled_from([0.0, -9.81, 1e-12, 1e4, 1e12])) for _ in range(3)]
    return args


@st.composite
def maps(draw):
    """A matrix [3, 3] and a shift [3]: turned, sheared, mirrored, tiny, huge, flat, far away."""
    scale = draw(st.sampled_from([1.0, 1.0, 1e-3, 1e3]) | powers(-12, 12))
    matrix = scale * np.eye(3)
    how = draw(st.sampled_from(["even", "even", "mirrored", "uneven", "sheared", "turned", "flat"]))
    if how == "mirrored":
        matrix[draw(st.integers(0, 2))] *= -1.0
    elif how == "uneven":
        matrix *= [draw(powers(-6, 6)) for _ in range(3)]
    elif how == "sheared":
        matrix[0, 2] = scale * draw(powers(-3, 4))
    elif how == "turned":
        angle = draw(st.floats(-4.0, 4.0))
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        matrix[1:, 1:] = scale * np.array(turn)
    elif how == "flat":
        matrix[draw(st.integers(0, 2))] = 0.0
    far = draw(st.sampled_from([0.0, 0.0, 0.0, 1.0, 10.0]) | powers(-3, 12))
    return matrix, far * np.array([draw(st.integers(-1, 1)) for _ in range(3)])


def mapped(points, matrix, shift):
    return (np.asarray(points) @ matrix.T + shift).tolist()
