# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints of the input of frames, and the changes between two inputs in words."""

import hashlib
import json
import math
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property

import numpy as np

from .messages import message
from .settings import Material, Settings

# Attributes that define the shape of a body.
SHAPE = ("points", "start", "elements", "triangles", "rest_points")
MESH = "The mesh"
# Letters that are shown of a text from a file.
MOST_LETTERS = 60
# Attributes that are newer than version 0.1, with their defaults: a body that has only defaults of
# these has the hash that version 0.1 gives it.
LATER_NUMBERS = (
    *("drag", "air_friction", "bending_factor", "pressure", "keep_volume", "shrink"),
    "fill_openings",
    *("weft_bending", "crease_radius", "yield_strain", "flow_time"),
    *("adapt_folds", "maximum_stretch", "bending_damping", "static_friction"),
    "cohesion",
    *("fiber_stiffness", "active_stress", "activation"),
)
LATER_FIELDS = (
    *("directors", "pressure_in_time", "field_weights", "texture", "visibility"),
    *("seams", "unstressed_points", "keyed", "motion", "fibers", "smooth"),
)
LATER = {name: getattr(Material, name) for name in LATER_NUMBERS} | dict.fromkeys(LATER_FIELDS)
LATER["keeps_shape"] = False
# Faces of version 0.1 do not buckle.
LATER["adapt_folds"] = False
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
# Units that are usual with a prefix.
PREFIXED = ("Pa", "N/m", "N")


def fingerprint(body):
    """Hash of a body at its input state: mesh, material and pins, without their motion."""
    digest = hashlib.sha256(type(body).__name__.encode())
    _add(digest, {name: value for name, value in _given(body).items() if name != "name"})
    return digest.hexdigest()


def _given(one):
    """Attributes by name, without those that only keep what a property computes from others."""
    kind = type(one)
    return {
        name: value
        for name, value in vars(one).items()
        if not isinstance(getattr(kind, name, None), cached_property)
    }


def shape_of(body):
    """Hash of the mesh of a body at its input state."""
    digest = hashlib.sha256()
    _add(digest, {name: getattr(body, name) for name in SHAPE if hasattr(body, name)})
    return digest.hexdigest()


def _add(digest, value):
    """Feed a value into the hash; a function of time counts by its value at time 0, unless it has
    an attribute `made_of`.
    """
    if hasattr(value, "made_of"):
        value = value.made_of
    if callable(value):
        value = value(0.0)
    if isinstance(value, Material):
        value = vars(value)
    if isinstance(value, dict):
        for name, entry in value.items():
            if _is_later(name, entry):
                continue
            digest.update(name.encode())
            _add(digest, entry)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype} {value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, list | tuple):
        for entry in value:
            _add(digest, entry)
    elif hasattr(value, "__dict__"):
        _add(digest, _given(value))
    else:
        digest.update(repr(value).encode())


def _is_later(name, value):
    """Return whether an attribute is newer than version 0.1 and has its default, rounded to float32
    as in Blender.
    """
    if name not in LATER or callable(value):
        return False
    default = LATER[name]
    if value is None or default is None:
        return value is default
    return np.size(value) == 1 and bool(np.float32(value) == np.float32(default))


def plain(settings):
    """Settings as plain JSON values, without the thread count, which changes no result."""
    values = {f.name: getattr(settings, f.name) for f in fields(settings) if f.name != "threads"}
    return json.loads(json.dumps(values))


def values_of(body):
    """The numbers, switches and choices of a body and its material, by name."""
    values = dict(vars(body))
    material = values.pop("material", None)
    if is_dataclass(material):
        values |= vars(material)
    return {
        name: value
        for name, value in values.items()
        if name != "name" and isinstance(value, bool | int | float | str)
    }


@dataclass(frozen=True)
class Change:
    """A changed input: `what` of the object `of`, or of the scene."""

    what: str
    of: str = ""
    was: object = None
    now: object = None

    def __str__(self):
        said = f"{self.what} of {self.of}" if self.of and self.what else self.what or self.of
        if self.was is None and self.now is None:
            return message("resume.has_changed", what=said)
        return message("resume.was_is", what=said, before=self.was, now=self.now)


def changed_values(was, now, declared, of=""):
    """Yield `Change`s of numbers in words; `declared`: dataclass with their labels and units."""
    known = {f.name: f.metadata for f in fields(declared)}
    for name, value in now.items():
        before = was.get(name, value)
        if before != value:
            data = known.get(name, {})
            label, unit = data.get("label"), data.get("unit", "")
            label = label or name.replace("_", " ").capitalize()
            unit = "" if " or " in unit else unit  # it depends on the body
            names = data.get("names", {})
            words = (in_units(names.get(str(v), v), unit) for v in (before, value))
            yield Change(label, of, *words)


def changed_bodies(was, now):
    """Yield `Change`s of bodies, between {name: {"all": hash, "shape": hash, "values": {…}}}."""
    for name in {**was, **now}:
        if name not in now:
            yield Change("", name, message("resume.in_bake"), message("resume.not_any_more"))
        elif name not in was:
            yield Change("", name, message("resume.not_in_bake"), message("resume.now"))
        elif was[name]["all"] != now[name]["all"]:
            values = was[name].get("values", {}), now[name]["values"]
            found = list(changed_values(*values, Material, name))
            if was[name].get("shape", now[name]["shape"]) != now[name]["shape"]:
                found.append(Change(MESH, name))
            yield from found or [Change("", name)]


def changed_settings(was, now):
    """Yield `Change`s of settings. A setting that older frames lack had its default then; only
    accuracy was 0 where it has an effect now.
    """
    settings = Settings(**now)
    later = {"accuracy": 0.0 if settings.ends_at_accuracy else settings.accuracy}
    yield from changed_values({**plain(Settings()), **later, **was}, now, Settings)


def in_units(value, unit):
    """Return a value with its unit as text: 20 kPa."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return f"({', '.join(in_units(v, '') for v in value)})"
    if not isinstance(value, int | float) or not math.isfinite(value):
        return str(value)[:MOST_LETTERS]
    if unit in PREFIXED:
        for factor, prefix in PREFIXES:
            if abs(value) >= factor:
                return f"{_short(value / factor)} {prefix}{unit}"
    return f"{_short(value)} {unit}".rstrip()


def _short(value):
    return str(value) if isinstance(value, int) else f"{value:.6g}"
