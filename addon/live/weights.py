# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the weights of vertex groups, which pins, attachments and painted values take."""

from collections import Counter

# Vertices that are read at a time: some 2 ms.
SLICE = 1000


class WeightWatch:
    """Reads a few vertices of the objects at each look; `changes` counts those found, by name."""

    def __init__(self):
        self.changes, self.known, self.next = Counter(), {}, 0

    def look(self, objects):
        """Compare the next slice of vertices with what it was when it was read last."""
        meshes = [ob for ob in objects if ob.type == "MESH" and len(ob.vertex_groups)]
        slices = [(ob, first) for ob in meshes for first in range(0, len(ob.data.vertices), SLICE)]
        if not slices:
            return
        self.next = (self.next + 1) % len(slices)
        ob, first = slices[self.next]
        now = hash(tuple(_weights(ob.data.vertices[first : first + SLICE])))
        key = ob.name, first
        self.changes[ob.name] += self.known.setdefault(key, now) != now
        self.known[key] = now


def _weights(vertices):
    """The groups of some vertices, and their weights in those."""
    for vertex in vertices:
        yield from [(vertex.index, entry.group, entry.weight) for entry in vertex.groups]
