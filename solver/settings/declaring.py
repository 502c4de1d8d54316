# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of dataclasses that declare their range, unit and texts, and the check of their values."""

from dataclasses import field, fields
from math import inf

import numpy as np

from ..messages import message


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
    """Refuse the first field of a dataclass that is not finite or outside its declared range."""
    for f in fields(owner):
        names = f.metadata.get("names")
        if names and getattr(owner, f.name) not in names:
            raise ValueError(
                message(
                    "material.one_of",
                    name=f.name,
                    value=getattr(owner, f.name),
                    names=", ".join(names),
                )
            )
        if "low" not in f.metadata:
            continue
        value = getattr(owner, f.name)
        if value is None and f.default is None:
            continue
        low, high, unit = (f.metadata[k] for k in ("low", "high", "unit"))
        if isinstance(f.default, int) and not isinstance(value, int | np.integer):
            raise ValueError(message("material.whole_number", name=f.name, value=value))
        values = np.asarray(value, dtype=float)
        bad = ~(np.isfinite(values) & (values >= low) & (values <= high))
        if bad.any():
            first = values[bad].flat[0]
            where = f" (element {int(np.flatnonzero(bad)[0])})" if values.ndim else ""
            raise ValueError(
                message(
                    "material.range_at", name=f.name, value=first, where=where, low=low, high=high
                )
                + (f" {unit}" if unit else "")
            )
