# SPDX-License-Identifier: GPL-3.0-or-later
"""Beginning of a substep: inertia, the initial guess and damped rest values; and its end:
velocities.
"""

from ..device.launches import play
from ..kernels.descent.motion import (
    ADAPTIVE,
    INERTIA,
    INERTIA_ACCELERATION,
    PREVIOUS,
    Motion,
    find_velocities,
    predict,
)
from ..lattice.embedding import clearances, collider_point_limits, depths
from ..model.stage import RecordedStage, Stage

# Rough cost of a vertex [ns].
PREDICT = 10.0

INITIAL_GUESS = {
    "previous": PREVIOUS,
    "inertia": INERTIA,
    "inertia_acceleration": INERTIA_ACCELERATION,
    "adaptive": ADAPTIVE,
}


class Prediction(Stage):
    """Predicts the vertices by inertia, and sets the initial guess."""

    state_name = "prediction"

    def __init__(self, model):
        super().__init__(model)
        settings = model.settings
        motion = Motion()
        motion.velocity, motion.last_velocity = model.velocity, model.last_velocity
        motion.acceleration, motion.steady = model.acceleration, model.steady
        # Truncation handles analytic colliders itself, with uniform fractions for stiff bodies.
        clips = model.contact is None or not settings.truncation
        guess = INITIAL_GUESS[settings.guess]
        inputs = [model.gravity.now, settings.step_time, guess, int(clips)]
        inputs += [model.x, model.standing, model.contact_model]
        outputs = [motion, model.candidate, model.x_start, model.inertial]
        self.predict = model.launches.record(predict, model.vertex_count, inputs, outputs, PREDICT)
        self.of_rigid = []
        if model.rigid:
            self.of_rigid.append(model.rigid.prediction(guess == PREVIOUS, model.candidate))
        if model.gravity.varies:
            self.saved = {"gravity": model.gravity.now}
        self.collider_bounds = depths(model) + clearances(model)
        if clips:
            self.collider_bounds += collider_point_limits(model, model.x_start, model.candidate)

    def begin_frame(self, _frame, time):
        self.model.gravity.begin_frame(time)
        if self.model.rigid:
            self.model.rigid.begin_frame(time)

    def begin_step(self):
        self.model.update_gravity()
        self.predict()
        play(self.of_rigid)
        play(self.collider_bounds)


class Damping(RecordedStage):
    """Blends the rest values of damped elements with the values at the start of the substep."""

    def record(self):
        model = self.model
        count = model.free_count
        self.launches = [
            model.launches.record(
                table.rest_kernel,
                count,
                [model.x_start, table.struct, table.undamped, table.blend],
                table.moved,
                cost=model.work[:count],
            )
            for table in model.damped_tables
        ]

    def begin_step(self):
        play(self.launches)


class Velocities(Stage):
    """Results of the substep: velocities, and the positions of all embedded points."""

    def __init__(self, model):
        super().__init__(model)
        step_time = model.settings.step_time
        self.find = model.launches.record(
            find_velocities,
            model.vertex_count,
            [step_time, model.x, model.x_start],
            [model.velocity],
        )
        self.of_rigid = [model.rigid.finishing()] if model.rigid else []

    def end_step(self):
        self.model.followers.follow(0, self.model.vertex_count)
        self.find()
        play(self.of_rigid)
