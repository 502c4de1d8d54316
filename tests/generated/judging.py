# SPDX-License-Identifier: GPL-3.0-or-later
"""The law of every input: an error in words before the first step, or frames that are right."""

import re
import string
import warnings

import numpy as np

from vbd.solver.bodies import Deformable
from vbd.solver.messages import table
from vbd.solver.simulate import simulate

from .building import scene_of

ANY = r"[\s\S]*"


def _pattern(text):
    """A regular expression of all that a template of a message may become."""
    parts = string.Formatter().parse(text)
    return "".join(re.escape(plain) + ANY * (name is not None) for plain, name, _, _ in parts)


def _patterns():
    texts = (entry[key] for entry in table().values() for key in ("text", "one") if key in entry)
    # Some templates are nearly all fields: they would take any text.
    long = (text for text in texts if len(re.sub(r"\{.*?\}", "", text)) > 12)
    return re.compile("|".join(f"(?:{_pattern(text)})" for text in long))


OURS = _patterns()


def is_ours(error):
    """Return whether an error is one of the messages of the solver."""
    return type(error) is ValueError and OURS.match(str(error)) is not None


def place(error):
    """The innermost place of an error in the solver, file:line."""
    trace, found = error.__traceback__, "?"
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "/solver/" in name and "/tests/" not in name:
            found = f"{name.rpartition('/solver/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def judge(spec, steps):
    """The fault of the solver with an input, in words, or None; and what became of the input:
    "refused", "built" or "solved". Without `steps`, only the set-up runs.
    """
    solved = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NumPy, about numbers that are refused later
            bodies, settings, more = scene_of(spec)
            frames = simulate(bodies, settings, **more)
            if not steps:
                frames.close()
                return None, "built"
            for frame in frames:
                solved += 1
                fault = _fault(frame, bodies, more)
                if fault:
                    return f"{fault} in frame {frame.index}", "solved"
    except Exception as error:
        if not is_ours(error):
            return f"{type(error).__name__} at {place(error)}: {str(error)[:200]}", "refused"
        return None, "refused"
    if solved != more["frame_count"]:
        return f"{solved} of {more['frame_count']} frames", "solved"
    return None, "solved"


def _fault(frame, bodies, more):
    deformable = [body for body in bodies if isinstance(body, Deformable)]
    if len(frame.exact_positions) != len(deformable):
        return f"{len(frame.exact_positions)} of {len(deformable)} bodies"
    meshes = [getattr(body, "mesh_points", body.points) for body in deformable]
    start = np.concatenate(meshes)
    origin = 0.5 * (start.min(axis=0) + start.max(axis=0))
    for body, given, points, elements in zip(
        deformable, meshes, frame.exact_positions, frame.elements, strict=True
    ):
        tears = getattr(body, "tear_strain", None) is not None
        if not np.isfinite(points).all():
            return "positions that are not finite"
        if not tears and points.shape != given.shape:
            return f"{len(points)} of {len(given)} vertices"
        whole = getattr(body, "triangles", body.elements)
        if len(elements) != len(whole):
            return f"{len(elements)} of {len(whole)} elements"
        if body.pins is not None and len(bodies) == 1 and not body.material.self_contact:
            fault = _moved_pins(body.pins, body.points, points, origin, frame.index)
            if fault:
                return fault
    return None


def _moved_pins(pins, start, points, origin, index):
    """Pins are exact in float32 relative to the origin, where there is no contact."""
    goals = start[pins.indices] if pins.targets is None else pins.targets
    if callable(goals):
        goals = goals(1.0)
    elif np.ndim(goals) == 3:
        goals = goals[index]
    goals = np.asarray(goals, dtype=np.float64).reshape(-1, 3)
    gap = np.abs(points[pins.indices] - goals)
    if (gap > np.finfo(np.float32).eps * np.abs(goals - origin)).any():
        return f"pins {gap.max():.3g} m from their targets"
    return None
