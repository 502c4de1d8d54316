# SPDX-License-Identifier: GPL-3.0-or-later
"""Colliders without a mesh: their objects -> analytic colliders of the solver."""

import numpy as np

from ...solver.messages import message

# Files store the number of a shape, and 4 was the former Bowl: new shapes start at 5.
ANALYTIC_SHAPES = (
    (
        "PLANE",
        "Plane",
        "An endless plane through the origin of the object, across its Z axis: everything stays on "
        "the side to which Z points",
    ),
    ("BOX", "Box", "Everything stays inside of the bounding box of the object, turned with it"),
    (
        "SPHERE",
        "Sphere",
        "Everything stays out of the sphere around the origin of the object that holds its mesh",
    ),
)


def is_analytic(ob):
    """Return whether an object is a collider with a shape other than Mesh."""
    return ob.vbd.role == "COLLIDER" and ob.vbd.collider_shape != "MESH"


def analytic_colliders_of(ob, pose, **contact):
    """The solver's analytic colliders [m] of a collider object with a shape other than Mesh.

    `contact` are their `friction`, `static_friction` and `motion` from this pose.
    A plane needs no points in its pose. Raises ValueError for objects that do not give the shape.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.scene.analytic_colliders import Plane, Sphere

    shape, origin = ob.vbd.collider_shape, pose.matrix[:3, 3]
    if not shape:  # Bowl, in an old file
        raise ValueError(message("collider.bowl", name=ob.name))
    facing = _gradients(pose)
    if shape == "PLANE":
        return [Plane(origin, facing[2], name=ob.name, **contact)]
    if not len(pose.points):
        raise ValueError(message("collider.no_size", name=ob.name))
    if shape == "BOX":
        sides = _sides(ob, pose, facing)
        return [Plane(*side, name=name, **contact) for side, name in sides]
    return [Sphere(origin, _radius(ob, pose), name=ob.name, **contact)]


def _gradients(pose):
    """Directions in which the local coordinates grow fastest, [axis, 3]: rows of the inverse."""
    return np.linalg.inv(pose.matrix[:3, :3])


def _sides(ob, pose, facing):
    """((point, normal), name) of the six sides of the bounding box, facing inwards.

    They are planes of their own because the box may be turned, or sheared by a parent.
    """
    low, high = pose.points.min(axis=0), pose.points.max(axis=0)
    if not (high > low).all():
        raise ValueError(message("collider.flat_box", name=ob.name))
    corners = pose.matrix[:3, :3] @ np.stack([low, high], axis=1) + pose.matrix[:3, 3:]
    for axis, letter in enumerate("XYZ"):
        yield (corners[:, 0], facing[axis]), f"{ob.name} -{letter}"
        yield (corners[:, 1], -facing[axis]), f"{ob.name} +{letter}"


def _radius(ob, pose):
    """Radius [m] of the smallest sphere around the origin that holds the mesh."""
    from ...solver.scene.analytic_colliders import even_scale

    scale = even_scale(ob.name, pose.matrix[:3, :3])
    return scale * float(np.linalg.norm(pose.points.astype(np.float64), axis=1).max())
