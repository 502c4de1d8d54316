# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies on the device: poses in float64 and their image, four vertices each."""

import numpy as np
import warp as wp

from ..kernels.rigid import coarse, flight, groups, steps
from ..kernels.rigid.poses import RigidArrays

# Arrays [body] that pass from one substep to the next.
STATE = ("center", "turn", "velocity", "momentum")
VECTORS = ("center", "start_center", "target_center", "shift", "angle", "before_center")
VECTORS += ("velocity", "momentum")
MATRICES = ("turn", "start_turn", "target_turn", "before_turn")
# Rough cost of a step of a body [ns].
STEP = 1500.0
# Rough cost of a surface point, and of each of its pairs [ns].
POINT, PAIR = 5.0, 60.0


class RigidBodies:
    """The rigid bodies of a model, in solver order.

    Their vertices are `first` to `end`, the last free ones, whose candidates other stages may set:
    `making` turns these into steps of poses, and `taking` takes them as far as truncation allows.
    """

    def __init__(self, model):
        assembly = model.assembly
        self.model, self.set = model, assembly.rigid
        self.first, self.end = assembly.rigid_start, assembly.free_count
        self.count = len(self.set)
        self.numbers = model.upload(self.set.numbers.astype(np.int32), int)
        self.driven, self.moved = (np.zeros(self.count, dtype=bool) for _ in range(2))
        self.struct = self._arrays(model, assembly)
        # Numbers of the embedded points of each body, from its first one to its last.
        owner = model.surface.points.body
        begin = np.array([np.flatnonzero(owner == n)[0] for n in self.set.numbers])
        sizes = np.array([len(body.mesh_points) for body in self.set.bodies])
        self.ends = np.stack([begin, begin + sizes], axis=1) + model.surface.point_start
        self.points = model.upload(self.ends.astype(np.int32), wp.vec2i)
        self.sizes = model.upload([body.size for body in self.set.bodies], float)
        self.point_counts = sizes
        self.follow = self.model.launches.record(
            steps.follow_points, self.count, [], [self.struct, model.x]
        )
        self.follow()

    def _arrays(self, model, assembly):
        struct, bodies, device = RigidArrays(), self.set.bodies, model.device
        struct.first, count = self.first, self.count
        mass = np.array([body.properties.mass for body in bodies])
        root = np.array([body.root for body in bodies])
        struct.mass = model.upload(mass, wp.float64)
        struct.root = model.upload(root, wp.mat33d)
        second = mass[:, None, None] * root @ root
        struct.second = model.upload(second, wp.mat33d)
        for name in VECTORS:
            setattr(struct, name, wp.zeros(count, dtype=wp.vec3d, device=device))
        center = np.array([body.properties.center for body in bodies]) - assembly.origin
        struct.center.assign(center)
        one = np.tile(np.eye(3), (count, 1, 1))
        for name in MATRICES:
            setattr(struct, name, model.upload(one, wp.mat33d))
        struct.velocity.assign(np.array([body.velocity for body in bodies]))
        tensor = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
        spin = np.array([body.angular_velocity for body in bodies])
        struct.momentum.assign(np.einsum("bij,bj->bi", tensor, spin))
        struct.driven = wp.zeros(count, dtype=int, device=device)
        struct.left, struct.moved = (wp.zeros(count, dtype=float, device=device) for _ in "ab")
        struct.lead_center = wp.zeros((2, count), dtype=wp.vec3d, device=device)
        struct.lead_turn = model.upload(np.stack([one, one]), wp.mat33d)
        return struct

    def begin_frame(self, time):
        """Read the poses to which animation leads in a frame that ends at a time [s]: those of
        `driven` [body] bodies, which `moved` [body] or not.
        """
        if not any(body.poses for body in self.set.bodies):
            return
        begin, origin = time - self.model.settings.frame_time, self.model.assembly.origin
        center, turn = self.struct.lead_center.numpy(), self.struct.lead_turn.numpy()
        for b, body in enumerate(self.set.bodies):
            self.driven[b] = body.leads(time)
            if self.driven[b]:
                for end, at in enumerate((begin, time)):
                    center[end, b], turn[end, b] = body.pose_at(at)
                    center[end, b] -= origin
        apart = (center[0] != center[1]).any(axis=1) | (turn[0] != turn[1]).any(axis=(1, 2))
        was_driven = np.array([body.leads(begin) for body in self.set.bodies])
        self.moved = self.driven & apart | (was_driven != self.driven)
        self.struct.lead_center.assign(center)
        self.struct.lead_turn.assign(turn)
        self.struct.driven.assign(self.driven.astype(np.int32))

    def stop(self):
        """Forget the momenta of bodies that sleep, and what their last steps have left."""
        for name in ("velocity", "momentum", "left", "moved"):
            getattr(self.struct, name).zero_()

    def mask(self, of_bodies):
        """Return the mask of all bodies of the scene from one of rigid bodies."""
        mask = np.zeros(len(self.model.assembly.vertices), dtype=bool)
        mask[self.set.numbers[of_bodies]] = True
        return mask

    @property
    def saved(self):
        """Arrays that pass from one substep to the next."""
        return {f"rigid_{name}": getattr(self.struct, name) for name in STATE}

    @property
    def reported(self):
        """Arrays that a frame reports."""
        return {"left": self.struct.left, "moved": self.struct.moved}

    def within(self, first, last):
        """Return (first body, count) of the bodies among the vertices from `first` to `last`."""
        begin, end = max(first, self.first), min(last, self.end)
        return (begin - self.first) // 4, max(end - begin, 0) // 4

    def points_within(self, first, last):
        """Return the first embedded point of the bodies among such vertices, and their end."""
        begin, count = self.within(first, last)
        return int(self.ends[begin, 0]), int(self.ends[begin + count - 1, 1])

    def prediction(self, keeps_place, guess):
        """Return the launch that sets targets, inertial positions and the `guess` of points."""
        model = self.model
        h = wp.float64(model.settings.step_time)
        inputs = [model.gravity.now, h, int(keeps_place), model.fraction, model.x_start]
        outputs = [self.struct, guess, model.inertial]
        return model.launches.record(flight.predict_bodies, self.count, inputs, outputs)

    def forces_taken(self, before):
        """Return the launch that takes over changes of inertial positions from `before`."""
        h, outputs = wp.float64(self.model.settings.step_time), [self.struct, self.model.inertial]
        return self.model.launches.record(flight.take_forces, self.count, [h, before], outputs)

    def finishing(self):
        """Return the launch that sets momenta and velocities at the end of a substep."""
        model = self.model
        inputs = [wp.float64(model.settings.step_time), model.contact_model.state.asleep]
        outputs = [self.struct, model.velocity]
        return model.launches.record(flight.finish_bodies, self.count, inputs, outputs)

    def projecting(self, x, force):
        """Return the launch that replaces forces on points at x by those of rigid motion."""
        outputs = [force]
        return self.model.launches.record(
            steps.project_forces, self.count, [x, self.struct], outputs
        )

    def making(self, first, last, candidate):
        """Return the launch that makes the candidates of a range rigid; several bodies each."""
        begin, count = self.within(first, last)
        bend = self.model.contact_model.embedding.bend
        outputs = [self.struct, candidate, bend]
        return self.model.launches.record(
            steps.make_rigid, count, [self.model.x], outputs, STEP, begin
        )

    def taking(self, first, last, truncation):
        """Return the launch that moves the bodies of a range by the least fraction of each."""
        begin, count = self.within(first, last)
        inputs = [truncation.candidate, truncation.regions.struct]
        fraction, cut = truncation.fraction, truncation.cut
        outputs = [self.struct, fraction, cut, self.model.x, truncation.stuck]
        return self.model.launches.record(steps.take_arcs, count, inputs, outputs, STEP, begin)

    def solving(self):
        """Return points, sizes and the length of a substep for kernels/rigid/sweep.py."""
        return self.points, self.sizes, wp.float64(self.model.settings.step_time)

    def costs(self):
        """Return the cost [ns] of the step of every body in a sweep, [body]."""
        lists = self.model.lists
        pairs = 4.0 * lists.expected / max(len(self.model.surface.vertices), 1)
        return STEP + self.point_counts * (POINT + PAIR * pairs)

    def taking_all(self, first, last):
        """Return the launch that moves the bodies of a range to their candidates."""
        begin, count = self.within(first, last)
        return self.model.launches.record(
            steps.take_all, count, [], [self.struct, self.model.x], STEP, begin
        )

    def save_poses(self):
        """Save all poses before a step."""
        wp.copy(self.struct.before_center, self.struct.center)
        wp.copy(self.struct.before_turn, self.struct.turn)

    def adding_blocks(self, aggregates, inertia, patches, skyline, matrix):
        """Return the launch that adds the blocks of all bodies to the coarse matrix."""
        numbers = self.model.upload(aggregates.astype(np.int32), int)
        inputs = [numbers, inertia, self.struct, patches, skyline]
        return self.model.launches.record(coarse.add_rigid_blocks, self.count, inputs, [matrix])

    def moving_in_line(self, component, components):
        """Return the launch that takes the fraction of a coarse step since the saved poses."""
        inputs, outputs = [component, components], [self.struct, self.model.x]
        return self.model.launches.record(coarse.move_bodies, self.count, inputs, outputs)

    def flying(self, flights):
        """Return the launch that moves the bodies of flying groups."""
        inputs = [self.numbers, flights]
        return self.model.launches.record(groups.fly_bodies, self.count, inputs, [self.struct])

    def finding_free(self, free):
        """Return the launch that sets `free` [body] to 1 where no attachment holds it."""
        attachments = self.model.attachments
        inputs = [self.first, attachments.struct, attachments.broken]
        return self.model.launches.record(groups.find_free, self.count, inputs, [free])

    def anchoring(self, anchored):
        """Return the launch that marks in `anchored` [body of the scene] those that animation leads
        or that unbroken attachments hold.
        """
        attachments = self.model.attachments
        inputs = [self.numbers, self.struct, attachments.struct, attachments.broken]
        return self.model.launches.record(groups.anchor_bodies, self.count, inputs, [anchored])

    def restoring(self, group, unmoved, saved):
        """Return the launch that restores the `saved` centers and turns of unmoved groups."""
        inputs = [self.numbers, group, unmoved, *saved]
        return self.model.launches.record(groups.restore_bodies, self.count, inputs, [self.struct])

    def refusing(self, islands, least):
        """Return the launch that sets `least` to 0 where islands cannot take a fraction."""
        model = self.model
        inputs = [self.struct, self.numbers, self.points, self.sizes]
        inputs += [model.contact_model.state.radius, islands.island, islands.turn]
        return model.launches.record(steps.refuse_part_of_turn, self.count, inputs, [least])

    def poses(self):
        """Return (body, center [3] in m, rotation [3, 3]) by the number of every rigid body."""
        center = self.struct.center.numpy() + self.model.assembly.origin
        turn = self.struct.turn.numpy().copy()
        found = zip(self.set.bodies, center, turn, strict=True)
        return dict(zip(self.set.numbers.tolist(), found, strict=True))
