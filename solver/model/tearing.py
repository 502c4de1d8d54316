# SPDX-License-Identifier: GPL-3.0-or-later
"""Tearing of cloth: an edge stretched beyond its limit splits a vertex (VBD 2024, §3.9, Fig. 10).

The number of vertices is fixed in advance, so that a cache or a baked mesh never grows: a vertex
with k triangles brings k − 1 sleeping duplicates, at its position and in its color. A duplicate
that wakes takes some of its triangles; two vertices without a common triangle never get one, so the
coloring stays valid.
"""

from itertools import chain

import numpy as np

from ..bodies import RigidBody
from ..elements.body_constants import per_element
from ..messages import message
from ..topology.meshes import triangle_areas


def vertex_index(body):
    """Return the body's vertex of each solver vertex: its own ones, then the duplicates."""
    own = np.arange(len(body.points))
    if getattr(body, "tear_strain", None) is None:
        return own
    triangles = np.bincount(body.triangles.ravel(), minlength=len(own))
    if body.pins is not None:
        triangles[body.pins.indices] = 1
    return np.concatenate([own, np.repeat(own, triangles - 1)])


def shown_elements(body):
    """Return the elements between the positions of a body in a frame."""
    return body.triangles if isinstance(body, RigidBody) else body.elements


class Tear:
    """The tearing of one cloth.

    `triangles` are the current ones, in vertices of the body and its duplicates; these have the
    numbers `vertices` in solver order, and are copies of the vertices `index` of the body.
    """

    def __init__(self, body, vertices, triangle_mass):
        self.body, self.vertices, self.triangle_mass = body, vertices, triangle_mass
        self.index = vertex_index(body)
        self.triangles = body.triangles.copy()
        edges = body.rest_points[body.triangles]
        self.rest = np.linalg.norm(np.roll(edges, -1, axis=1) - edges, axis=2)
        self._put_to_sleep()

    def _put_to_sleep(self):
        """Put all duplicates without triangles to sleep."""
        own = len(self.body.points)
        self.sleeping = [[] for _ in range(own)]
        for duplicate in np.setdiff1d(np.arange(own, len(self.index)), self.triangles):
            self.sleeping[self.index[duplicate]].append(int(duplicate))

    def asleep(self):
        """Return the sleeping duplicates, and their original vertices."""
        asleep = np.array(sorted(chain.from_iterable(self.sleeping)), dtype=np.int64)
        return asleep, self.index[asleep]

    def can_wake(self):
        """Return the mask [vertex] of vertices with a sleeping duplicate."""
        return np.array([len(asleep) > 0 for asleep in self.sleeping])[self.index]

    def restore(self, triangles):
        """Take over saved triangles; raise ValueError if they are not of this cloth."""
        shape, own = self.triangles.shape, self.body.triangles
        known = triangles.shape == shape and triangles.dtype.kind == "i"
        known = known and 0 <= triangles.min() <= triangles.max() < len(self.index)
        if not known or not np.array_equal(self.index[triangles], own):
            raise ValueError(message("resume.triangles", name=self.body.name))
        self.triangles = triangles.copy()
        self._put_to_sleep()

    def split(self, x):
        """Split vertices of overstretched edges; x [vertex, 3]. Return pairs (old, new)."""
        corners = x[self.triangles]
        edges = np.roll(corners, -1, axis=1) - corners
        strain = np.linalg.norm(edges, axis=2) / self.rest - 1.0
        over = np.argwhere(strain > self.body.tear_strain)
        over = over[np.argsort(-strain[tuple(over.T)], kind="stable")]
        done, woken = set(), []
        for triangle, k in over:
            ends = self.triangles[triangle, [k, (k + 1) % 3]]
            along = edges[triangle, k]
            if done.intersection(ends):
                continue
            for old, other in (ends, ends[::-1]):
                new = self._split_vertex(old, along if other == ends[1] else -along, corners, x)
                if new is not None:
                    done.update((old, other, new))
                    woken.append((old, new))
                    break
        return woken

    def _split_vertex(self, old, along, corners, x):
        """Give the triangles on the side of `along` to a duplicate; None if a side is empty."""
        sleeping = self.sleeping[self.index[old]]
        mine, corner = np.nonzero(self.triangles == old)
        side = (corners[mine].mean(axis=1) - x[old]) @ along > 0.0
        if not sleeping or side.all() or not side.any():
            return None
        new = sleeping.pop(0)
        self.triangles[mine[side], corner[side]] = new
        return new


class Tearing:
    """The tearing of a scene, by the host, between substeps."""

    state_name = "tearing"

    def __init__(self, bodies, model):
        self.model, self.assembly, self.tears = model, model.assembly, {}
        for at, (body, vertices) in enumerate(zip(bodies, self.assembly.vertices, strict=True)):
            if getattr(body, "tear_strain", None) is not None:
                mass = per_element(body, "density", body.material.density)
                mass = mass * triangle_areas(body.rest_points, body.triangles)
                self.tears[at] = Tear(body, vertices, mass)
        self.bodies = bodies
        scene = self.assembly
        self.untorn = scene.mass.copy(), dict(scene.elements), dict(scene.owner)

    def elements(self):
        """Return the current elements of every body, in the vertices of its positions."""
        return [
            self.tears[at].triangles.copy() if at in self.tears else shown_elements(body)
            for at, body in enumerate(self.bodies)
        ]

    def lay_duplicates(self, positions):
        """Put sleeping duplicates at their original vertices, in the positions of every body."""
        for at, tear in self.tears.items():
            asleep, with_vertex = tear.asleep()
            positions[at][asleep] = positions[at][with_vertex]
        return positions

    def save(self):
        """Return the triangles of every cloth that tears."""
        return {f"triangles{at}": tear.triangles.copy() for at, tear in self.tears.items()}

    def restore(self, saved):
        """Restore the state of tearing that `save` has returned."""
        changed = False
        for at, tear in self.tears.items():
            triangles = saved.get(f"triangles{at}", tear.triangles)
            if not np.array_equal(triangles, tear.triangles):
                tear.restore(triangles)
                changed = True
        if changed:
            scene, (mass, elements, owner) = self.assembly, self.untorn
            scene.mass[:] = mass
            scene.elements.update(elements)
            scene.owner.update(owner)
            for at in self.tears:
                self._weigh_and_join(at)
            self.model.renew()

    def tear(self):
        """Split vertices of overstretched edges."""
        x, torn = self.model.x.numpy(), False
        for at, tear in self.tears.items():
            woken = tear.split(x[tear.vertices].astype(np.float64))
            if woken:
                self._wake(at, np.array(woken))
                torn = True
        if torn:
            self.model.renew()

    def _wake(self, at, woken):
        """Wake duplicates of body `at` with the states of their original vertices."""
        tear = self.tears[at]
        old, new = tear.vertices[woken.T]
        for state in self.model.inherited:
            values = state.numpy().copy()
            values[new] = values[old]
            state.assign(values)
        self._weigh_and_join(at)

    def _weigh_and_join(self, at):
        """Set masses and elements of body `at` from its current triangles."""
        scene, tear = self.assembly, self.tears[at]
        share = np.repeat(tear.triangle_mass / 3.0, 3)
        torn_mass = np.bincount(tear.triangles.ravel(), share, minlength=len(tear.index))
        scene.mass[tear.vertices] = torn_mass
        for kind in scene.kinds:
            if kind.torn is not None:
                scene.replace(kind, at, lambda columns, kind=kind: kind.torn(columns, tear))
