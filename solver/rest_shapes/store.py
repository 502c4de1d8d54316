# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes that have been found, to be used again while nothing that they depend on changes."""

from dataclasses import dataclass, field

import numpy as np

# Change it where a new version finds other shapes.
VERSION = "2"
KEY, SAGS, POINTS = "key", "sags", "points_{}"


@dataclass
class RestShape:
    """Rest points [vertex, 3] of a body, and by how much it sags nonetheless [m]; 0 if it stands
    within the tolerance.
    """

    points: np.ndarray
    sag: float


@dataclass
class RestShapes:
    """The rest shapes of the bodies of a scene that keep their shape, in their order.

    `key` is a hash of their input. Give the same object to `simulate` again, or `arrays` of it from
    a file, and the shapes are not searched again for the same input.
    """

    key: str = ""
    shapes: list = field(default_factory=list)
    names: list = field(default_factory=list)

    def sags(self):
        """By how much bodies sag [m], by name, of those that do not stand."""
        known = zip(self.names, self.shapes, strict=True)
        return {name: shape.sag for name, shape in known if shape.sag > 0.0}

    def arrays(self):
        """All shapes as arrays by name, for `read`."""
        points = {POINTS.format(k): shape.points for k, shape in enumerate(self.shapes)}
        key = np.frombuffer(self.key.encode(), dtype=np.uint8)
        return {KEY: key, SAGS: np.array([shape.sag for shape in self.shapes]), **points}

    @classmethod
    def read(cls, arrays):
        """The `RestShapes` of `arrays`, which may come from a file of any origin; empty ones if
        they are not complete.
        """
        key, sags = arrays.get(KEY), arrays.get(SAGS)
        if key is None or sags is None or key.dtype != np.uint8 or sags.ndim != 1:
            return cls()
        points = [arrays.get(POINTS.format(k)) for k in range(len(sags))]
        if any(each is None or each.ndim != 2 or each.shape[1] != 3 for each in points):
            return cls()
        shapes = [RestShape(*each) for each in zip(points, sags.tolist(), strict=True)]
        return cls(key.tobytes().decode("ascii", "replace"), shapes)

    def fits(self, bodies):
        """Return whether there are finite points for every body."""
        return len(self.shapes) == len(bodies) and all(
            shape.points.shape == body.points.shape and np.isfinite(shape.points).all()
            for shape, body in zip(self.shapes, bodies, strict=True)
        )
