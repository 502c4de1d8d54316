# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies that keep their shape, as a scene that stands still without contact."""

import hashlib
import json
from dataclasses import replace

import numpy as np

from ..bodies import Cells, Cloth, Collider, Pins, Rod
from ..elements.body_constants import per_element
from ..elements.pressure import pressure_at
from ..fingerprint import fingerprint, plain
from ..model.masses import element_mass
from ..scene.attachments import Attachment
from ..settings import acceleration
from ..topology.graphs import connected_components
from .store import VERSION

# Iterations from the modeled shape in a round.
ITERATIONS = 8
# Without damping, which delays an equilibrium, flow and self contact. Enclosed air has its pressure
# in the modeled shape.
AT_REST = {
    "damping": 0.0,
    "bending_damping": 0.0,
    "yield_strain": 0.0,
    "crease_radius": 0.0,
    "self_contact": False,
    "keep_volume": False,
}


class StaticScene:
    """The bodies that keep their shape, and what holds them; `solve(bodies, settings)` yields the
    frames of a simulation.
    """

    def __init__(self, bodies, kept, settings, gravity, solve):
        self.kept = kept
        self.attachments = [body for body in bodies if isinstance(body, Attachment)]
        pairs = zip(kept, loose_vertices(kept, self.attachments), strict=True)
        self.still = [still(body, loose) for body, loose in pairs]
        self.settings, self.solve = still_settings(settings, gravity), solve

    def attached(self, bodies):
        """The attachments between new `bodies`, in the order of those that keep their shape."""
        now = {id(old): new for old, new in zip(self.kept, bodies, strict=True)}
        held = (still_attachment(each, now) for each in self.attachments)
        return [each for each in held if each is not None]

    def key(self):
        """A hash of all that the rest shapes depend on."""
        digest = hashlib.sha256(VERSION.encode())
        for each in [*self.still, *self.attached(self.still)]:
            digest.update(fingerprint(each).encode())
        digest.update(json.dumps(plain(self.settings)).encode())
        return digest.hexdigest()

    def solved(self, rests, starts=None, iterations=ITERATIONS, accuracy=0.0):
        """Positions of every body after some iterations with these rest points, from the modeled
        shapes or from `starts`; None when cancelled.
        """
        bodies = [resting(body, rest) for body, rest in zip(self.still, rests, strict=True)]
        held = self.attached(bodies)
        for body, start in zip(bodies, starts or (), strict=False):
            body.points = start
        settings = replace(self.settings, iterations=iterations, accuracy=accuracy)
        frames = self.solve([*bodies, *held], settings)
        return next((frame.exact_positions for frame in frames), None)


def resting(body, rest):
    """A body with rest points [vertex, 3], those of cells unstressed, and with the mass of its
    modeled shape.
    """
    if isinstance(body, Cells):
        return replace(body, unstressed_points=rest)
    modeled = element_mass(replace(body, rest_points=body.points))
    new = replace(body, rest_points=rest)
    share = modeled / element_mass(new)
    density = per_element(body, "density", body.material.density) * share
    return replace(new, material=replace(body.material, density=density))


def loose_vertices(kept, attachments):
    """The vertices of each body, of which neither pins nor attachments hold the connected part."""
    counts = [len(body.points) for body in kept]
    offset = {id(body): sum(counts[:k]) for k, body in enumerate(kept)}
    edges, held = [np.zeros((0, 2), np.int64)], np.zeros(sum(counts), dtype=bool)
    for body in kept:
        corners = joined_vertices(body) + offset[id(body)]
        edges += [corners[:, [0, k]] for k in range(1, corners.shape[1])]
        if body.pins is not None:
            held[body.pins.indices + offset[id(body)]] = True
    for each in attachments:
        rows = each.grips(0, 0.0) > 0.0
        ends = (each.body, each.vertices), (each.other, each.corners)
        ends = [at[rows] + offset[id(body)] for body, at in ends if id(body) in offset]
        if len(ends) == 2:
            edges.append(np.stack([ends[0][:, 0], ends[1][:, 0]], axis=1))
        elif ends:
            held[ends[0]] = True
    component = connected_components(np.concatenate(edges), len(held))
    is_held = np.zeros(component.max() + 1, dtype=bool)
    is_held[component[held]] = True
    return [np.flatnonzero(part) for part in np.split(~is_held[component], np.cumsum(counts)[:-1])]


def joined_vertices(body):
    """The vertices that each element of a body joins, directors of rods included."""
    if isinstance(body, Rod) and body.directors is not None:
        return np.column_stack([body.elements, body.directors])
    return body.elements


def still(body, loose):
    """A body at its start, without motion, contact, damping and flow. Vertices that are `loose`
    are pinned: what falls freely has no stress.
    """
    pinned = np.zeros(0, np.int64) if body.pins is None else body.pins.indices
    pins = Pins(np.union1d(pinned, loose))
    changes = {"pressure_in_time": None, "tear_strain": None} if isinstance(body, Cloth) else {}
    material = replace(body.material, **AT_REST)
    if getattr(body, "pressure_in_time", None) is not None:
        material = replace(material, pressure=pressure_at(body.pressure_in_time, 0.0))
    return replace(body, pins=pins, material=material, velocities=None, collides_with=(), **changes)


def still_settings(settings, gravity):
    """Settings for a few iterations towards the equilibrium."""
    return replace(
        settings,
        gravity=settings.gravity if gravity is None else tuple(acceleration(gravity(0.0)).tolist()),
        quasistatic=True,
        substeps=1,
        damping=0.0,
        augmented=False,
        use_ground=False,
    )


def still_attachment(attachment, now):
    """An `Attachment` at its start, between the bodies `now` [old body → new one]; None without
    one of them. Bodies that are not among them, and colliders, stand still.
    """
    a = attachment
    mine, other = now.get(id(a.body)), now.get(id(a.other))
    if mine is None and other is None:
        return None
    rest, there = a.rest_offset(), a.there(0, 0.0)
    own = (mine, a.vertices, a.own_weights)
    far = (other, a.corners, a.weights)
    if mine is None:
        own, far, rest = far, own, -rest
        there = _points_at_start(a.body, a.vertices, a.own_weights)
    elif other is None and a.other is not None:
        there = _points_at_start(a.other, a.corners, a.weights)
    changes = {"points": there, "other": None, "corners": None, "weights": None}
    if far[0] is not None:
        changes = {"points": None, "other": far[0], "corners": far[1], "weights": far[2]}
    return replace(
        a,
        body=own[0],
        vertices=own[1],
        own_weights=own[2],
        offset=rest,
        shrink_speed=0.0,
        damping=0.0,
        grip=None if a.grip is None else a.grips(0, 0.0),
        **changes,
    )


def _points_at_start(body, corners, weights):
    """Weighted points of a body or collider at its start, [row, 3] in m."""
    points = body.start if isinstance(body, Collider) else body.points
    return np.einsum("rk,rki->ri", weights, points[corners])
