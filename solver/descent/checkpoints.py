# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints of the state between substeps: to repeat a frame, or to resume a simulation later."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..messages import message
from ..model.assembly import middle
from ..model.tearing import vertex_index
from .state_names import LAYOUT, readable

# Bytes that growing lists may take in a checkpoint: at most so many, and so many per vertex.
MOST_BYTES, MOST_BYTES_PER_VERTEX = 1 << 20, 1 << 16
# Buffers for copies of a list have so many times the capacity that it needs.
RESERVE = 1.5


class UnfitError(ValueError):
    """A scene cannot be resumed from a `Restart`; the message has the reason."""


@dataclass(frozen=True)
class Restart:
    """The `arrays` of a `Checkpoints` after a frame, by name, to resume from there."""

    frame: int
    arrays: dict

    @property
    def shapes(self):
        """Types and shapes of all arrays, by name."""
        return {name: (array.dtype.str, array.shape) for name, array in self.arrays.items()}

    def load(self):
        """Return the arrays; those on disk are read now."""
        return self.arrays


class Checkpoints:
    """Saves and restores the state that passes from one substep to the next.

    Each of the `owners` has arrays of fixed size by name in `saved`, or a method `save()` that
    returns arrays by name: slices of arrays on the device, or NumPy arrays that never change. Then
    `restore(arrays)` takes such arrays back (perhaps fewer, of other settings), and raises
    ValueError for impossible ones. After all owners are restored, `on_restored()` is called on
    those that have it. States name arrays by the owner's `state_name` and their own: "model.x",
    "model/order".
    """

    def __init__(self, owners):
        self.owners = {owner.state_name: owner for owner in owners if has_state(owner)}
        self.listeners = [owner for owner in owners if hasattr(owner, "on_restored")]
        self.copies, self.buffers, self.others = {}, {}, {}

    def _arrays(self):
        return {
            f"{name}.{key}": array
            for name, owner in self.owners.items()
            for key, array in getattr(owner, "saved", {}).items()
        }

    def _others(self):
        return {name: owner.save() for name, owner in self.owners.items() if hasattr(owner, "save")}

    def save(self):
        """Save the current state."""
        arrays = self._arrays()
        for name, array in arrays.items():
            copy = self.copies.get(name)
            if copy is None or copy.shape != array.shape:
                self.copies[name] = wp.clone(array)
            else:
                wp.copy(copy, array)
        self.others = {
            name: {key: self._copy(f"{name}/{key}", array) for key, array in saved.items()}
            for name, saved in self._others().items()
        }

    def _copy(self, name, array):
        """Return a copy of an array from `save()` of an owner, in a buffer with reserve."""
        if isinstance(array, np.ndarray):
            return array
        buffer = self.buffers.get(name)
        if buffer is None or len(buffer) < len(array):
            buffer = wp.empty(int(RESERVE * len(array)), dtype=array.dtype, device=array.device)
            self.buffers[name] = buffer
        wp.copy(buffer, array, 0, 0, len(array))
        return buffer[: len(array)]

    def rewind(self):
        """Restore the last saved state, also into arrays that have been replaced."""
        for name, saved in self.others.items():
            self.owners[name].restore(saved)
        for name, array in self._arrays().items():
            wp.copy(array, self.copies[name])
        self._notify()

    def _notify(self):
        for owner in self.listeners:
            owner.on_restored()

    def state(self):
        """Return the current state as NumPy arrays by name; structs are rows of bytes."""
        arrays = self._arrays()
        for name, saved in self._others().items():
            arrays |= {f"{name}/{key}": array for key, array in saved.items()}
        layout = {LAYOUT: np.zeros(0, np.uint8)}
        return layout | {name: plain(array) for name, array in arrays.items()}

    def restore(self, restart):
        """Resume from a `Restart`; raise `UnfitError` if it does not fit this scene."""
        try:
            self._restore(restart)
        except ValueError as error:
            raise UnfitError(str(error)) from error

    def _restore(self, restart):
        arrays = self._arrays()
        self._refuse_other_shapes(readable(restart.shapes), arrays)
        values = readable(restart.load())
        others = {name: {} for name in self.owners}
        for name, array in values.items():
            owner, slash, key = name.partition("/")
            if slash and owner in others:
                others[owner][key] = array
        for name, owner in self.owners.items():
            if others[name]:
                try:
                    owner.restore(others[name])
                except KeyError as error:
                    raise ValueError(message("cache.lacks", field=error, name=name)) from error
        for name, array in self._arrays().items():
            if name in values:
                self._assign(name, array, values[name])
        self._notify()

    def _refuse_other_shapes(self, shapes, arrays):
        """Refuse arrays that do not fit this scene, before any is read."""
        if "model.x" not in shapes:
            raise ValueError(message("cache.no_positions"))
        before, now = sum(shapes["model.x"][1][:1]), len(arrays["model.x"])
        if before != now:
            raise ValueError(message("resume.vertex_total", before=before, now=now))
        extra, limit = 0, MOST_BYTES + MOST_BYTES_PER_VERTEX * now
        for name, (dtype, shape) in shapes.items():
            if name in arrays:
                if (np.dtype(dtype), tuple(shape)) != plain_type(arrays[name]):
                    raise ValueError(message("resume.other_state", name=name))
            elif "/" in name:
                extra += np.dtype(dtype).itemsize * int(np.prod(shape, dtype=object))
        if extra > limit:
            raise ValueError(message("cache.contact_bytes", count=extra))

    @staticmethod
    def _assign(name, array, values):
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError(message("cache.not_a_number", name=name))
        dtype = array.numpy().dtype if array.size else None
        if dtype is not None:
            array.assign(values.view(dtype).reshape(array.numpy().shape))


def positions_after(restart, bodies):
    """Return the positions [m] of all simulated `bodies` in a checkpoint, float64 [vertex, 3]
    each; raise ValueError if it is of other bodies.
    """
    arrays = readable(restart.load())
    if "model.x" not in arrays or "model/order" not in arrays:
        raise ValueError(message("cache.no_positions"))
    x, order = arrays["model.x"], arrays["model/order"]
    ends = np.cumsum([len(vertex_index(body)) for body in bodies])
    if len(order) != ends[-1] or not 0 <= order.min() <= order.max() < len(x):
        raise ValueError(message("resume.numbered"))
    origin = middle(np.concatenate([body.points for body in bodies]))
    return np.split(x[order].astype(np.float64) + origin, ends[:-1])


def has_state(owner):
    """Return whether an owner has state that passes from one substep to the next."""
    return hasattr(owner, "saved") or hasattr(owner, "save")


def plain(array):
    """Return a copy of a Warp or NumPy array as NumPy array; structs are rows of bytes."""
    values = np.array(array if isinstance(array, np.ndarray) else array.numpy())
    if values.dtype.names is None:
        return values
    return values.view(np.uint8).reshape(len(values), values.dtype.itemsize)


def plain_type(array):
    """Return type and shape of `plain(array)`."""
    values = array if isinstance(array, np.ndarray) else array.numpy()
    if values.dtype.names is None:
        return values.dtype, values.shape
    return np.dtype(np.uint8), (len(values), values.dtype.itemsize)
