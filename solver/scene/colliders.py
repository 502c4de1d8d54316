# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of collider meshes, led through their frames."""

import numpy as np
import warp as wp

from ..bodies import points_at
from ..kernels.motion import move_points
from ..topology.meshes import refuse_flat_triangles


class LedColliders:
    """The vertices of all colliders; they stand behind those of the bodies in solver order.

    `travel` [m] is the longest way of any of them in the frame.
    """

    def __init__(self, colliders, assembly, device):
        self.colliders, self.origin, self.device = colliders, assembly.origin, device
        self.first = len(assembly.points)
        self.moves = any(callable(c.points) or np.ndim(c.points[0]) == 2 for c in colliders)
        for collider in colliders:
            refuse_flat_triangles(collider.name, collider.start, collider.triangles)
        self.at_start = wp.array(self._read(0, 0.0), dtype=wp.vec3, device=device)
        self.at_end = wp.clone(self.at_start)
        self.travel = 0.0

    def _read(self, frame, time):
        read = [np.zeros((0, 3))]
        for collider in self.colliders:
            points = points_at(collider.name, collider.points, frame, time)
            if len(points) != collider.vertex_count:
                raise ValueError(
                    f"{collider.name}: the collider has {len(points)} vertices in frame {frame} "
                    f"after the start, {collider.vertex_count} before; keep its vertex count"
                )
            read.append(points - self.origin)
        return np.concatenate(read)

    def begin_frame(self, frame, time):
        """Read where the meshes will be at the end of this frame."""
        if self.moves:
            wp.copy(self.at_start, self.at_end)
            points = self._read(frame, time)
            self.travel = float(np.linalg.norm(points - self.at_start.numpy(), axis=1).max())
            self.at_end.assign(points.astype(np.float32))

    def move(self, share, places):
        """Write where the vertices should be after a share of the frame."""
        if self.moves:
            wp.launch(
                move_points,
                dim=len(self.at_start),
                inputs=[self.at_start, self.at_end, share, self.first],
                outputs=[places],
                device=self.device,
            )
