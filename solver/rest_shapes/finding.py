# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes of all bodies of a scene that keep their shape, found before the first frame."""

from copy import copy

import numpy as np

from ..bodies import Deformable
from ..messages import message
from ..scene.attachments import Attachment
from ..scene.joints import Joint
from .search import RestSearch
from .static_scene import StaticScene, resting
from .store import RestShape, RestShapes

# The most rounds, each of a few iterations of the solver.
ROUNDS = 30
# To see whether a shape is stable it is pushed by this part of the size, and has so many iterations
# to come back, up to an accuracy; a shape that does not is followed further.
PUSH, BACK, FURTHER = 2e-3, (64, 0.02), (256, 0.0)
# A body stands if no vertex is farther from the modeled shape than this part of its size.
STANDS = 1e-3


def with_rest_shapes(bodies, settings, gravity, solve, begin, known=None):
    """Return `bodies` in which those that keep their shape have the rest shape for it.

    `solve(bodies, settings)` yields the frames of a simulation, none when cancelled. `begin(text)`
    is called before each round. `known` are `RestShapes`; they are searched again, and replaced,
    unless they were found for the same input. Returns None when cancelled.
    """
    kept = [body for body in bodies if isinstance(body, Deformable) and body.keeps_shape]
    if not kept:
        if known is not None:
            known.key, known.shapes = "", []  # those of an earlier input
        return bodies
    known = RestShapes() if known is None else known
    scene = StaticScene(bodies, kept, settings, gravity, solve)
    key = scene.key()
    if known.key != key or not known.fits(kept):
        shapes = find(scene, begin)
        if shapes is None:
            return None
        known.key, known.shapes = key, shapes
    known.names = [body.name for body in kept]
    pairs = zip(kept, known.shapes, strict=True)
    new = {id(body): resting(body, shape.points) for body, shape in pairs}
    return [with_new_bodies(body, new) for body in bodies]


def with_new_bodies(body, new):
    """A body, attachment or joint, with bodies replaced by those in `new`, by their id."""
    if isinstance(body, Attachment | Joint):
        own, other = (new.get(id(each), each) for each in (body.body, body.other))
        if own is not body.body or other is not body.other:
            body = copy(body)  # with its functions of time, which `replace` would lose
            body.body, body.other = own, other
        return body
    return new.get(id(body), body)


def find(scene, begin):
    """Return a `RestShape` for every body of a `StaticScene`; None when cancelled."""
    searches = [RestSearch(body) for body in scene.still]
    for number in range(1, ROUNDS + 1):
        begin(message("progress.rest_shapes", round=number, most=ROUNDS))
        positions = scene.solved([search.rest for search in searches])
        if positions is None:
            return None
        for search, x in zip(searches, positions, strict=True):
            search.advance(x)
        if all(search.ended for search in searches):
            break
    begin(message("progress.rest_shapes_tested"))
    return tested(scene, searches)


def tested(scene, searches):
    """Return the `RestShape`s that have been found, with the way that bodies go from them after a
    push; None when cancelled.
    """
    rests, starts = [search.points for search in searches], [pushed(each) for each in searches]
    for limits in (BACK, FURTHER):
        starts = scene.solved(rests, starts, *limits)
        if starts is None:
            return None
        ways = [search.way(x) for search, x in zip(searches, starts, strict=True)]
        sags = [
            way if way > STANDS * search.size else 0.0
            for search, way in zip(searches, ways, strict=True)
        ]
        if not any(sags):
            break
    return [RestShape(rest, sag) for rest, sag in zip(rests, sags, strict=True)]


def pushed(search):
    """The modeled shape of a `RestSearch`, with its free vertices pushed by a smooth field."""
    x = search.target
    phase = 2.0 * np.pi * (x - x.mean(axis=0)) / search.size
    field = (1.0 + np.sin(phase[:, [1, 2, 0]])) / 3.0
    return x + np.where(search.fit.free[:, None], PUSH * search.size * field, 0.0)
