# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics: animated points move to their positions at the end of the substep."""

from ..device.launches import play
from ..kernels.descent.motion import move_points
from ..model.stage import Stage


class Kinematics(Stage):
    """Moves pins, the vertices of colliders and attached points.

    With contact, pins and colliders only get goals, `model.inertial`; `ContactStage` moves them.
    """

    def __init__(self, model, points):
        super().__init__(model)
        self.points = points
        goal = model.x if model.contact is None else model.inertial
        moves = [(points.pins, goal), (points.attached, model.attachments.struct.point)]
        if points.colliders.moves and model.contact is not None:
            moves.append((points.colliders, goal))
        self.moves = [
            model.launches.record(
                move_points,
                len(some),
                [some.at_start, some.at_end, model.fraction, some.first],
                [where],
            )
            for some, where in moves
            if len(some)
        ]

    def begin_frame(self, frame, time):
        self.points.begin_frame(frame, time)

    def begin_step(self):
        play(self.moves)
