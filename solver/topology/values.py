# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from scripts, converted to numbers and arrays. Errors name the owner and the value."""

import reprlib

import numpy as np

from ..messages import message

# Indices fit into int32.
MOST = np.iinfo(np.int32).max
# Beyond this, squares overflow float32; Blender turns infinity into such numbers.
FARTHEST = 1e12


def numbers(name, what, values):
    """Return real numbers as float64 of their shape, not to be changed; refuses everything else."""
    array = as_array(values)
    if array is None or not (array.dtype.kind in "biuf" or not array.size):
        raise ValueError(message("script.no_numbers", name=name, what=what, value=shown(values)))
    return array.astype(np.float64, copy=False)


def number(name, what, value):
    """Return one finite number as a float; refuses everything else."""
    array = numbers(name, what, value)
    if array.shape != () or not np.isfinite(array):
        raise ValueError(message("script.not_finite", name=name, what=what, value=shown(value)))
    return float(array)


def three_numbers(name, what, values):
    """Return three finite numbers, such as a place or a direction, as a new float64 array [3];
    refuses everything else.
    """
    array = np.array(numbers(name, f"the {what}", values))
    if array.shape != (3,) or not (np.abs(array) <= FARTHEST).all():
        known = {"what": what, "values": shown(values)}
        raise ValueError(message("script.three_numbers", name=name, **known))
    return array


def whole_numbers(name, what, values):
    """Return whole numbers as int64 of their shape, not to be changed; refuses everything else."""
    array = as_array(values)
    if array is not None and not array.size:
        return array.astype(np.int64)
    if array is None or array.dtype.kind not in "iu" or array.max() > MOST or array.min() < -MOST:
        raise ValueError(message("script.no_whole", name=name, what=what, value=shown(values)))
    return array.astype(np.int64, copy=False)


def refuse_other(name, what, value, kind):
    """Raise ValueError unless a value is of the class `kind`, or callable for `kind` None."""
    if callable(value) if kind is None else isinstance(value, kind):
        return
    kind = "function" if kind is None else getattr(kind, "__name__", "list")
    known = {"value": shown(value), "kind": kind}
    raise ValueError(message("script.other_kind", name=name, what=what, **known))


def shown(value):
    """Return a value as it is shown in a message: not more than its beginning."""
    return reprlib.repr(value.tolist() if isinstance(value, np.ndarray | np.generic) else value)


def as_array(values):
    """Return the array that values make, or None."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # rows of unequal length, and so on
        return None
