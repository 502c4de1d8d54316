# SPDX-License-Identifier: GPL-3.0-or-later
"""The surfaces of a scene on the device."""

import numpy as np
import warp as wp

from ..kernels.contact import pairs


def surface_on_device(surface, kinematic_start, x, upload):
    """Return the `SurfaceArrays` of a `ContactSurface` whose vertices begin at x [vertex]. Those
    from number `kinematic_start` on are moved by animation; no vertex has a trust radius or
    intersects yet.
    """
    struct = pairs.SurfaceArrays()
    struct.vertices = upload(surface.vertices, int)
    struct.edges = upload(surface.edges, wp.vec2i)
    struct.triangles = upload(surface.triangles, wp.vec3i)
    struct.may_touch = upload(surface.may_touch.ravel(), wp.int8)
    struct.closed = upload(surface.closed.astype(np.int32), int)
    struct.support_rank = upload(surface.support_rank.astype(np.int32), int)
    rigid = np.isin(np.arange(len(surface.closed)), surface.body[slice(*surface.rigid)])
    struct.rigid = upload(rigid.astype(np.int32), int)
    struct.side = upload(np.ones(surface.may_touch.size), int)
    struct.bodies, struct.deformable = len(surface.may_touch), surface.body_count
    starts = "rod_start", "grain_start", "collider_start", "point_start"
    for name in ("body_edges", "body_triangles", *starts):
        setattr(struct, name, getattr(surface, name))
    struct.kinematic_start = kinematic_start
    struct.joint = upload(surface.joint, int)
    struct.body = upload(surface.body, int)
    struct.rest, struct.start = upload(surface.rest, wp.vec3), wp.clone(x)
    count = len(surface.body)
    struct.trust_radius = upload(np.zeros(count), float)
    struct.path = upload(np.zeros((count, 3)), wp.vec3)
    struct.moved = upload(np.ones(count), int)
    struct.remaining_path, struct.facing = wp.zeros_like(struct.path), wp.zeros_like(struct.path)
    struct.inside = upload(np.zeros(count), int)
    struct.crosses, struct.excluded = (upload(np.zeros(count), int) for _ in range(2))
    return struct
