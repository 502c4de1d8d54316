# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the weights of vertex groups, which pins, attachments and painted values take."""

from collections import Counter

# Vertices that are read at a time: some 2 ms.
SLICE = 1000
# Slices that are read at each look while an object is in Weight Paint mode; else one is.
PAINTED = 10
# What a slice without weights is.
EMPTY = hash(())


class WeightWatch:
    """Reads a few vertices of the objects at each look; `changes` counts those found, by name. It
    lasts as long as Live, so a change is found whenever it comes.
    """

    def __init__(self):
        self.changes, self.known, self.next = Counter(), {}, 0

    def begin(self, objects):
        """Read what has not been read before, since the solver is about to read it too: yields
        after each slice.
        """
        for ob, first in _slices(objects):
            if (ob.name, first) not in self.known:
                self.known[ob.name, first] = _read(ob, first)
                yield

    def look(self, objects):
        """Compare the next slices with what they were when they were read last, those of objects
        that are being painted if there are any.
        """
        painted = [ob for ob in objects if ob.mode == "WEIGHT_PAINT"]
        slices = _slices(painted or objects)
        for _ in range(min(PAINTED if painted else 1, len(slices))):
            self.next = (self.next + 1) % len(slices)
            ob, first = slices[self.next]
            if self.known.get((ob.name, first), EMPTY) != _read(ob, first):
                self.changes[ob.name] += 1
                # One change, however many slices it reaches.
                self.known |= {(ob.name, first): _read(ob, first) for _, first in _slices([ob])}


def _slices(objects):
    """The slices of all meshes that have weights: objects and numbers of first vertices."""
    meshes = [ob for ob in objects if ob.type == "MESH" and len(ob.vertex_groups)]
    return [(ob, first) for ob in meshes for first in range(0, len(ob.data.vertices), SLICE)]


def _read(ob, first):
    return hash(tuple(_weights(ob.data.vertices[first : first + SLICE])))


def _weights(vertices):
    """The groups of some vertices, and their weights in those."""
    for vertex in vertices:
        yield from [(vertex.index, entry.group, entry.weight) for entry in vertex.groups]
