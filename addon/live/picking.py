# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertex of a simulated body under the mouse."""

import numpy as np
from bpy_extras import view3d_utils

from ..objects.curves import is_curve
from ..objects.modifiers import reshaping
from ..objects.units import unit_scale
from .pulls import MousePull, pullable, stiffness_for

# A point is under the mouse within this distance [pixels], where the mouse meets no face.
REACH = 30.0


def pick(context, session, mouse):
    """The `MousePull` of the nearest visible vertex under the `mouse` (x, y), and its place in
    units of Blender; None without one.
    """
    region, view = context.region, context.region_data
    begin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    along = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    depsgraph = context.evaluated_depsgraph_get()
    hit, place, _, _, ob, _ = context.scene.ray_cast(depsgraph, begin, along)
    points, scale = points_shown(session), unit_scale(context.scene)
    name = ob.name if hit else ""
    if name in points:
        point = int(np.linalg.norm(points[name] / scale - np.array(place), axis=1).argmin())
    else:
        limit = (place - begin).dot(along) if hit else np.inf
        eye = _Eye(region, view, np.array(begin), np.array(along), limit)
        near = [(*eye.nearest(p / scale, mouse), body) for body, p in points.items()]
        distance, point, name = min(near, default=(np.inf, 0, ""))
        if distance > REACH:
            return None
    at = points[name][point]
    return _pull(context, session, name, point, at), at / scale


class _Eye:
    """A view: projects points, and leaves out those behind a `limit` of depth along a ray."""

    def __init__(self, region, view, begin, along, limit):
        self.size = np.array((region.width, region.height))
        self.matrix = np.array(view.perspective_matrix)
        self.begin, self.along, self.limit = begin, along, limit

    def nearest(self, points, mouse):
        """Distance [pixels] and number of the visible point that is nearest to the mouse."""
        flat = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        depth = flat[:, 3]
        with np.errstate(divide="ignore", invalid="ignore"):
            screen = (0.5 + 0.5 * flat[:, :2] / depth[:, None]) * self.size
        distance = np.linalg.norm(screen - np.array(mouse), axis=1)
        hidden = (depth <= 0.0) | ((points - self.begin) @ self.along > self.limit)
        distance[hidden] = np.inf
        point = int(distance.argmin())
        return float(distance[point]), point


def points_shown(session):
    """The points that a pull can take, [point, 3] in metres by body, where the viewport shows them;
    none in a frame that was solved before this Live.
    """
    run = session.run
    bodies, known = run.gathered.simulated(), run.shown()
    if run.preview.shown == 0:
        known = [_start_of(body) for body in bodies], [None] * len(bodies)
    if known is None:
        return {}
    found = zip(bodies, *known, strict=True)
    return {body.name: pullable(body, positions, skin) for body, positions, skin in found}


def _start_of(body):
    """Points of a body of the solver at the start [m], of a rigid one those of its mesh."""
    return getattr(body, "mesh_points", body.points)


def _pull(context, session, name, point, at):
    run, strength = session.run, context.scene.vbd.pull_strength
    names = [target.name for target in run.gathered.targets]
    number = names.index(name)
    body, target = run.gathered.simulated()[number], run.gathered.targets[number]
    start = pullable(body, _start_of(body))[point]
    places = (target.first or target.start).world_points()
    vertex = int(np.linalg.norm(places - start, axis=1).argmin())
    ob = context.scene.objects.get(name)  # None if it has just been renamed
    has_vertex = ob is not None and not is_curve(ob) and not reshaping(ob)
    stiffness = stiffness_for(body, strength)
    return MousePull(name, point, vertex, np.array(at), stiffness, start, has_vertex)
