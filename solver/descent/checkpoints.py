# SPDX-License-Identifier: GPL-3.0-or-later
"""The state between two substeps: to do a frame again from its start, or to go on another day."""

from dataclasses import dataclass

import numpy as np
import warp as wp

from ..model.assembly import middle
from ..model.tearing import vertex_index
from .state_names import LAYOUT, readable

# What owners keep of growing lists may take so many bytes, and so many more per vertex.
MOST_BYTES, MOST_BYTES_PER_VERTEX = 1 << 20, 1 << 16
# Copies of a list have room for so many times what is in it.
ROOM = 1.5


class UnfitError(ValueError):
    """Why a scene cannot go on from a `Restart`."""


@dataclass(frozen=True)
class Restart:
    """The `arrays` of a `Checkpoints` after a frame, by name, to go on from there."""

    frame: int
    arrays: dict

    @property
    def shapes(self):
        """Type and shape of every array, by name."""
        return {name: (array.dtype.str, array.shape) for name, array in self.arrays.items()}

    def load(self):
        """The arrays; those on disk are read now."""
        return self.arrays


class Checkpoints:
    """Keeps what passes from one substep to the next.

    Of the `owners` those that hold arrays of that kind have them by name in `kept`. Those with
    anything else have a method `keep()`, which returns it as arrays by name, parts of arrays on
    the device or NumPy arrays that nobody changes, and `bring_back(arrays)`, which takes such
    (perhaps fewer, of other settings), and raises ValueError for what cannot be. When all is back,
    `brought_back()` is called where there is one. States have all of it by the owner's `state_name`
    and its own: "model.x", "model/order".
    """

    def __init__(self, owners):
        self.owners = {owner.state_name: owner for owner in owners if keeps(owner)}
        self.hearing = [owner for owner in owners if hasattr(owner, "brought_back")]
        self.copies, self.rooms, self.others = {}, {}, {}

    def _arrays(self):
        return {
            f"{name}.{key}": array
            for name, owner in self.owners.items()
            for key, array in getattr(owner, "kept", {}).items()
        }

    def _others(self):
        return {name: owner.keep() for name, owner in self.owners.items() if hasattr(owner, "keep")}

    def keep(self):
        """Keep the state of now."""
        arrays = self._arrays()
        for name, array in arrays.items():
            copy = self.copies.get(name)
            if copy is None or copy.shape != array.shape:
                self.copies[name] = wp.clone(array)
            else:
                wp.copy(copy, array)
        self.others = {
            name: {key: self._part(f"{name}/{key}", array) for key, array in kept.items()}
            for name, kept in self._others().items()
        }

    def _part(self, name, array):
        """A copy of what `keep()` of an owner has returned; it has room, as lists grow."""
        if isinstance(array, np.ndarray):
            return array
        room = self.rooms.get(name)
        if room is None or len(room) < len(array):
            room = wp.empty(int(ROOM * len(array)), dtype=array.dtype, device=array.device)
            self.rooms[name] = room
        wp.copy(room, array, 0, 0, len(array))
        return room[: len(array)]

    def go_back(self):
        """Bring back what was kept last, also into arrays that have been replaced."""
        for name, kept in self.others.items():
            self.owners[name].bring_back(kept)
        for name, array in self._arrays().items():
            wp.copy(array, self.copies[name])
        self._end()

    def _end(self):
        for owner in self.hearing:
            owner.brought_back()

    def state(self):
        """All of the state of now, as NumPy arrays by name; structs are rows of bytes."""
        arrays = self._arrays()
        for name, kept in self._others().items():
            arrays |= {f"{name}/{key}": array for key, array in kept.items()}
        layout = {LAYOUT: np.zeros(0, np.uint8)}
        return layout | {name: plain(array) for name, array in arrays.items()}

    def restore(self, restart):
        """Go on from a `Restart`; `UnfitError` when it is not of a scene like this one."""
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
                    owner.bring_back(others[name])
                except KeyError as error:
                    raise ValueError(f"the restart point lacks {error} of {name}") from error
        for name, array in self._arrays().items():
            if name in values:
                self._assign(name, array, values[name])
        self._end()

    def _refuse_other_shapes(self, shapes, arrays):
        """Before anything is read: refuse arrays that cannot be those of this scene."""
        if "model.x" not in shapes:
            raise ValueError("the restart point has no positions")
        before, now = sum(shapes["model.x"][1][:1]), len(arrays["model.x"])
        if before != now:
            raise ValueError(
                f"all that takes part had {before} vertices and has {now} now: meshes, pins or "
                "resolution have changed"
            )
        rest, room = 0, MOST_BYTES + MOST_BYTES_PER_VERTEX * now
        for name, (dtype, shape) in shapes.items():
            if name in arrays:
                if (np.dtype(dtype), tuple(shape)) != plain_type(arrays[name]):
                    raise ValueError(
                        f"the restart point has other {name}: meshes, pins or resolution have "
                        "changed"
                    )
            elif "/" in name:
                rest += np.dtype(dtype).itemsize * int(np.prod(shape, dtype=object))
        if rest > room:
            raise ValueError(f"the restart point has {rest} bytes of contacts, too many to be true")

    @staticmethod
    def _assign(name, array, values):
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise ValueError(f"{name} in the restart point is not a number everywhere")
        dtype = array.numpy().dtype if array.size else None
        if dtype is not None:
            array.assign(values.view(dtype).reshape(array.numpy().shape))


def positions_after(restart, bodies):
    """Positions of every one of the simulated `bodies` [m], float64 [vertex, 3], in a restart
    point; ValueError when it is not of these.
    """
    arrays = readable(restart.load())
    if "model.x" not in arrays or "model/order" not in arrays:
        raise ValueError("the restart point has no positions")
    x, order = arrays["model.x"], arrays["model/order"]
    ends = np.cumsum([len(vertex_index(body)) for body in bodies])
    if len(order) != ends[-1] or not 0 <= order.min() <= order.max() < len(x):
        raise ValueError("vertices are numbered anew: meshes, pins or attachments have changed")
    origin = middle(np.concatenate([body.points for body in bodies]))
    return np.split(x[order].astype(np.float64) + origin, ends[:-1])


def keeps(owner):
    """Tell if an owner has state that passes from one substep to the next."""
    return hasattr(owner, "kept") or hasattr(owner, "keep")


def plain(array):
    """A copy of a Warp or NumPy array as NumPy array; structs are rows of bytes."""
    values = np.array(array if isinstance(array, np.ndarray) else array.numpy())
    if values.dtype.names is None:
        return values
    return values.view(np.uint8).reshape(len(values), values.dtype.itemsize)


def plain_type(array):
    """Type and shape of `plain(array)`."""
    values = array if isinstance(array, np.ndarray) else array.numpy()
    if values.dtype.names is None:
        return values.dtype, values.shape
    return np.dtype(np.uint8), (len(values), values.dtype.itemsize)
