# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments and stiff springs on the device, and the multipliers that make them converge."""

import numpy as np
import warp as wp

from ..elements.springs import split
from ..kernels.scene import attachments as kernels
from ..scene.joints import joints_of
from ..topology.graphs import connected_components
from ..topology.meshes import first_edges
from .joints import hanging_mass

# The penalty ρ of a multiplier is this times the stiffness around it. An attachment stiffer than ρ
# gets a multiplier; a spring only if it is stiffer than this times ρ: then sweeps converge slowly.
STIFF = 10.0
# Contacts of rigid bodies may be stiffer than those penalties: joints between bodies that they hold
# would close by a few percent in a sweep. With 16 times as much, sweeps take longer to carry forces
# through several bodies. Rows of sliders, limits and motors, which turn between sweeps, have none.
OF_JOINTS = 4.0
# The penalty of an attachment is at least this times M/(n h²), with the mass M that may hang on it
# and n sweeps per step. A multiplier that is raised n times by ρ C and kept for the next step is a
# delayed force. With one mass on a rigid constraint the motion grows from step to step for every
# ρ n h²/M below ln 2 (1 for n = 1), by up to 2/√3 each; here it shrinks to 0.64 (0.87).
IN_TIME = 2.0


def surroundings(assembly, settings):
    """Return the stiffness [N/m] of each vertex without attachments and springs, plus its inertia.

    Without inertia, the stiffness of its softest spring takes its place.
    """
    count = len(assembly.points)
    total = assembly.mass / settings.step_time**2
    if settings.quasistatic:
        total = np.full(count, np.inf)
        springs = assembly.elements.get("springs")
        if springs is not None:
            np.minimum.at(total, springs.corners, springs.stiffness[:, None])
        total[~np.isfinite(total)] = 0.0
    for elements, modulus, dimension in (
        *((solids, solids.lame_mu, 3) for solids in assembly.solids),
        (assembly.triangles, assembly.triangles.shear, 2),
    ):
        if len(elements):
            corners = elements.corners
            size = first_edges(assembly.rest_points, corners) ** (dimension - 2)
            share = np.repeat(modulus * size, corners.shape[1])
            total = total + np.bincount(corners.ravel(), share, minlength=count)
    return total


def least_penalty(assembly, settings):
    """Return the least ρ [row, N/m] of attachments, with which multipliers follow the hanging mass
    in time. Quasistatic scenes need none: they have no motion that could grow.
    """
    if settings.quasistatic:
        return np.zeros(len(assembly.attachments.corners))
    return IN_TIME * hanging_mass(assembly) / (settings.iterations * settings.step_time**2)


class AttachmentRows:
    """The attachments of a scene on the device, and their multipliers λ [N].

    `penalty` [row] is ρ [N/m], 0 for rows without a multiplier; `struct` is the kernels' data, and
    `unbroken` are its rows if none has broken.
    """

    def __init__(self, assembly, settings, device):
        rows = assembly.attachments
        self.count = len(rows.corners)
        around = np.zeros(len(assembly.points))
        if self.count:
            around = surroundings(assembly, settings)
        weakest = np.where(rows.weights != 0.0, around[rows.corners], np.inf).min(axis=1)
        limit = np.maximum(STIFF * weakest, least_penalty(assembly, settings))
        is_joint = np.array([joint is not None for joint in rows.joint], bool)
        is_guided = np.array([guide is not None for guide in rows.guides], bool)
        limit[is_joint & ~is_guided] *= OF_JOINTS
        ratio = rows.damping / settings.step_time
        most = rows.stiffness.max(axis=1, initial=0.0) * (1.0 + ratio)
        stiff = np.maximum(most, rows.grips * kernels.HARD_STIFFNESS) > limit
        # Multipliers of many bonds in a row would lag: coarse steps carry their forces. Between
        # rigid bodies stiff rows converge without, by the blocks and coarse steps of these;
        # multipliers of several rows of a body, which turn with it, would make it swing. Those of
        # joints are far apart (scene/joints.py).
        soft = (rows.weights != 0.0) & ~np.isin(rows.corners, assembly.rigid.corners)
        takes = soft.any(axis=1) | is_joint
        stiff &= takes & ~rows.bonds & settings.augmented
        self.penalty = np.where(stiff, limit, 0.0)
        breaks = np.isfinite(rows.strength) | rows.keyed
        joints = (np.isfinite(joint.strength) for joint, _, _ in joints_of(rows))
        self.breakable = bool(breaks.any()) or any(joints)
        self.is_adaptive = rows.is_adaptive
        self.struct = self._upload(rows, len(assembly.points), device)
        self.multiplier = wp.zeros(self.count, dtype=wp.vec3, device=device)
        self.broken = wp.zeros(self.count, dtype=int, device=device)
        self.laws = self._laws(rows, settings.step_time, device)
        self.length = wp.array(rows.length, dtype=float, device=device)

    def _upload(self, rows, vertex_count, device):
        struct = kernels.Attachments()
        data = np.zeros(self.count, dtype=kernels.AttachmentRow.numpy_dtype())
        used = rows.used()
        data["end"] = np.cumsum(used.sum(axis=1))
        data["begin"] = data["end"] - used.sum(axis=1)
        data["normal"] = rows.normal
        for k, name in enumerate(("along", "across")):
            data[name] = np.stack(split(rows.stiffness[:, k], self.penalty), axis=1)
        data["penalty"] = self.penalty
        data["most"] = np.minimum(rows.maximum_force, kernels.UNLIMITED)
        data["strength"] = np.minimum(rows.strength, np.finfo(np.float32).max)
        vertices, row = rows.corners[used], np.nonzero(used)[0]
        order = np.argsort(vertices, kind="stable")
        start = np.zeros(vertex_count + 1, dtype=np.int32)
        np.cumsum(np.bincount(vertices, minlength=vertex_count), out=start[1:])
        struct.start = wp.array(start, dtype=int, device=device)
        struct.row = wp.array(row[order].astype(np.int32), dtype=int, device=device)
        struct.weight = wp.array(rows.weights[used][order], dtype=float, device=device)
        struct.corner = wp.array(vertices.astype(np.int32), dtype=int, device=device)
        struct.share = wp.array(rows.weights[used], dtype=float, device=device)
        self.unbroken = data
        struct.rows = wp.array(data, dtype=kernels.AttachmentRow, device=device)
        struct.point = wp.zeros(self.count, dtype=wp.vec3, device=device)
        struct.pull = wp.zeros(self.count, dtype=wp.vec3, device=device)
        return struct

    def limit(self, rows, strength=None, maximum_force=None):
        """Give a slice of rows another strength and maximum force [N]."""
        data = self.struct.rows.numpy().copy()
        for limited in (data[rows], self.unbroken[rows]):
            if strength is not None:
                limited["strength"] = np.minimum(strength, np.finfo(np.float32).max)
            if maximum_force is not None:
                limited["most"] = np.minimum(maximum_force, kernels.UNLIMITED)
        self.struct.rows.assign(data)

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        return {"multiplier": self.multiplier, "broken": self.broken, "pull": self.struct.pull}

    def release_broken(self):
        """Restore the stiffness of unbroken rows, and release broken ones."""
        if not self.breakable:
            return
        rows, broken = self.unbroken.copy(), self.broken.numpy() != 0
        rows["along"][broken] = rows["across"][broken] = 0.0
        self.struct.rows.assign(rows)

    @staticmethod
    def _laws(rows, step_time, device):
        """Return the laws by which rows change from step to step, for steps of `step_time` [s]."""
        data = np.zeros(len(rows.corners), dtype=kernels.AttachmentLaw.numpy_dtype())
        data["stiffness"] = rows.stiffness
        data["ratio"] = rows.damping / step_time
        # With a normal, a row holds along or across it where it has a stiffness there.
        holds = (rows.stiffness > 0.0) | ~rows.normal.any(axis=1, keepdims=True)
        data["hard"] = rows.grips[:, None] * holds * kernels.HARD_STIFFNESS
        data["shrink"] = rows.shrink_speed * step_time
        return wp.array(data, dtype=kernels.AttachmentLaw, device=device)

    @property
    def reported(self):
        """Arrays that a frame reports: rows that have broken so far."""
        return {"broken": self.broken} if self.breakable else {}


def spring_penalty(assembly, settings):
    """Return ρ [N/m] of every spring, 0 for those not much stiffer than their surroundings.

    These are the inertia of the spring's lighter end and the softest spring of its net.
    """
    springs = assembly.elements["springs"]
    if not settings.augmented:
        return np.zeros(len(springs))
    around = surroundings(assembly, settings)[springs.corners].min(axis=1)
    net = connected_components(springs.corners, len(assembly.points))[springs.corners[:, 0]]
    softest = np.full(net.max() + 1, np.inf)
    np.minimum.at(softest, net, springs.stiffness)
    limit = STIFF * (around + softest[net])
    return np.where(springs.stiffness > STIFF * limit, limit, 0.0)
