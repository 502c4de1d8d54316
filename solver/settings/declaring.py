# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of dataclasses that declare their range, unit and texts, and the check of their values."""

from dataclasses import field, fields
from math import inf
from typing import get_args

import numpy as np

from ..messages import message
from ..topology.values import shown


def number(default, label, text, *, unit="", low=-inf, high=inf, soft_low=None, soft_high=None):
    """A dataclass field with its range [low, high], slider range, unit and tooltip."""
    return field(
        default=default,
        metadata={
            "label": label,
            "text": text,
            "unit": unit,
            "low": low,
            "high": high,
            "soft_low": low if soft_low is None else soft_low,
            "soft_high": high if soft_high is None else soft_high,
        },
    )


def switch(default, label, text):
    """A dataclass field that is on or off, with its tooltip."""
    return field(default=default, metadata={"label": label, "text": text})


def choice(default, label, text, **names):
    """A dataclass field that takes one of the keywords of `names`, each shown by its text."""
    return field(default=default, metadata={"label": label, "text": text, "names": names})


def check_ranges(owner):
    """Refuse the first field of a dataclass that is not of its type, or outside its range."""
    for f in fields(owner):
        value = getattr(owner, f.name)
        if "names" in f.metadata:
            _check_name(f, value)
        elif "low" in f.metadata and not (value is None and f.default is None):
            _check_number(f, value)
        elif isinstance(f.default, bool) and not isinstance(value, bool | np.bool_):
            raise ValueError(message("material.switch", name=f.name, value=shown(value)))


def _check_name(f, value):
    names = f.metadata["names"]
    if not (isinstance(value, str) and value in names):
        known = {"value": value if isinstance(value, str) else shown(value)}
        raise ValueError(message("material.one_of", name=f.name, **known, names=", ".join(names)))


def _check_number(f, value):
    low, high, unit = (f.metadata[k] for k in ("low", "high", "unit"))
    if isinstance(f.default, int) and not isinstance(value, int | np.integer):
        raise ValueError(message("material.whole_number", name=f.name, value=shown(value)))
    try:
        values = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(message("material.no_number", name=f.name, value=shown(value))) from None
    if values.ndim and np.ndarray not in get_args(f.type):
        raise ValueError(message("material.no_array", name=f.name, value=shown(value)))
    bad = ~(np.isfinite(values) & (values >= low) & (values <= high))
    if bad.any():
        first = values[bad].flat[0]
        where = f" (element {int(np.flatnonzero(bad)[0])})" if values.ndim else ""
        known = {"value": first, "where": where, "low": low, "high": high}
        text = message("material.range_at", name=f.name, **known)
        raise ValueError(text + (f" {unit}" if unit else ""))
