# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends a substep when the estimated error of all bodies is small (kernels/descent/accuracy.py)."""

import numpy as np
import warp as wp

from ..device.launches import play
from ..kernels.descent import accuracy as kernels
from ..model.chunks import make_chunks
from ..report.position_error import BodyErrors, rounding_of, visible

# Iterations from one coarse step to the next.
CYCLE = 2

# Then two moves are compared after three cycles, and with every cycle; so many times until moves
# over twice as many cycles are, whose rate tells more where it is near to 1.
LOOKS = 4
# Nobody sees an error below this part of a body's size, at an accuracy of 1.
PART_OF_SIZE = 0.005
# Rough cost of a vertex in a sum [ns].
VERTEX = 5.0


def begins_cycle(iteration):
    """Whether a coarse step comes before an iteration, counted from 0: after iterations 1, 2, 3, 5,
    7, and so on.
    """
    return iteration == CYCLE or iteration % CYCLE == 1


def begins_growing_cycle(iteration):
    """The same where cycles grow: after iterations 1, 2, 3, 5, 9, 17, and so on. To the second look
    at the error both are the same.
    """
    return iteration > 0 and (iteration - 1) & (iteration - 2) == 0


def has_step(iteration, settings):
    """Whether a coarse step follows an iteration, counted from 0, where nothing asks for the error
    before.
    """
    return settings.quasistatic or begins_growing_cycle(iteration + 1)


def marks(count):
    """(iterations done, whether the next mark comes twice as far from it as the last one) of all
    looks within `count` iterations, but for the first; they compare with marks before them, after
    one and two cycles and where they are themselves.
    """
    done, cycles, found = 2 * CYCLE, CYCLE, []
    while done + cycles <= count:
        looks = LOOKS if cycles == CYCLE else LOOKS - 1
        for look in range(1, looks + 1):
            done += cycles
            if done <= count:
                found.append((done, look == looks))
        cycles *= 2
    return found


class Accuracy:
    """Estimates the error of every body at some marks between the iterations of a substep.

    The first mark kept is as many iterations before the second as that is before now. `ruined`
    [linkage] says where tets have collapsed. If it `chooses`, the second look decides whether the
    cycles that follow are even, or grow, when nobody looks any more.
    """

    def __init__(self, model, iterations, ruined, chooses=False):
        self.model, self.iterations, self.chooses = model, iterations, chooses
        self.guess, self.first, self.second = (wp.zeros_like(model.x) for _ in range(3))
        self.marks = marks(iterations.count)
        mine = [vertices[vertices < model.free_count] for vertices in model.assembly.vertices]
        counts = np.array([len(vertices) for vertices in mine])
        self.body = np.flatnonzero(counts)
        owner = np.repeat(np.arange(len(self.body)), counts[self.body])
        self.chunks = make_chunks(np.concatenate(mine), owner, len(self.body), model.device)
        self.errors = self._errors(counts[self.body])
        self.measure = self._measure(ruined)
        self.look = self._look()

    def _errors(self, counts):
        """`BodyErrors` of the bodies with `counts` free vertices."""
        model, errors = self.model, kernels.BodyErrorArrays()
        points = [model.assembly.points[model.assembly.vertices[b]] for b in self.body]
        self.sizes = np.array([np.ptp(each, axis=0).max() for each in points])
        part = PART_OF_SIZE * model.settings.accuracy
        values = counts, part * self.sizes, [rounding_of(each) for each in points]
        for name, value in zip(("size", "least", "rounding"), values, strict=True):
            setattr(errors, name, model.upload(np.array(value), wp.float64))
        for name in ("error", "bound", "goal", "rate", "slowest", "latest", "motion"):
            zeros = wp.zeros(len(counts), dtype=wp.float64, device=model.device)
            setattr(errors, name, zeros)
        errors.is_cut = wp.zeros(len(counts), dtype=int, device=model.device)
        return errors

    def _measure(self, ruined):
        """Launches that estimate all errors, and end the iterations where they are small."""
        model, record = self.model, self.model.launches.record
        at = kernels.ErrorSampleArrays()
        at.start, at.guess, at.inertial = model.x_start, self.guess, model.inertial
        at.first, at.second, at.now = self.first, self.second, model.x
        demand, settings = kernels.Demand(), model.settings
        demand.accuracy, demand.step_time = settings.accuracy, settings.step_time
        sizes = np.diff(self.chunks.start.numpy())
        moves = wp.zeros(len(sizes), dtype=wp.vec3d, device=model.device)
        ways = wp.zeros(len(sizes), dtype=kernels.Ways, device=model.device)
        # Without contact nothing is.
        cut = wp.zeros(model.free_count, dtype=int, device=model.device)
        if model.contact is not None:
            cut = model.contact.truncation.cut
        bodies = [self.iterations.number, self.chunks, moves, ways, model.gravity.now, demand]
        bodies.append(self._compared())
        of_ways = [self.chunks, at, model.touched, cut]
        # Even cycles have more coarse steps: half of the iterations that are left have to do.
        left = 0.5 * (self.iterations.count - kernels.SECOND_LOOK) / CYCLE
        are_even, is_met = self.iterations.are_even, self.iterations.is_met
        choose, find_met = (
            record(kernels.find_below, 1, [self.errors, ruined, wp.float64(cycles)], [flag])
            for cycles, flag in ((left, are_even), (0.0, is_met))
        )
        self.choose = [choose, record(kernels.fade, len(self.body), [are_even], [self.errors])]
        return [
            record(kernels.add_moves, len(sizes), [self.chunks, at], [moves], VERTEX * sizes),
            record(kernels.add_ways, len(sizes), of_ways, [ways], VERTEX * sizes),
            record(kernels.find_errors, len(self.body), bodies, [self.errors]),
            find_met,
        ]

    def _compared(self):
        """How many cycles the last of two moves has taken at a look [iterations done]."""
        cycles, second = np.ones(self.iterations.count + 1, np.int32), 2 * CYCLE
        for done, _ in self.marks:
            cycles[done], second = (done - second) // CYCLE, done
        return self.model.upload(cycles, int)

    @property
    def kept(self):
        """What passes from one substep to the next."""
        return {name: getattr(self.errors, name) for name in ("slowest", "latest")}

    def begin(self):
        """Keep where the iterations begin."""
        wp.copy(self.guess, self.model.x)

    def _look(self):
        """What to do after every iteration: what is due of it."""
        first, second = kernels.FIRST_LOOK, kernels.SECOND_LOOK
        late = {done for done, _ in self.marks}
        looks = {first, *late}
        shifts = {2 * CYCLE, *(done for done, doubles in self.marks if not doubles)}
        seconds = {CYCLE, 2 * CYCLE, *late}

        def after(chosen, action):
            def evenly(number):
                return number + 1 in chosen

            def is_due(number):
                return evenly(number) and not (self.chooses and number >= second)

            return self.iterations.when_due(is_due, action, evenly=evenly)

        actions = [
            after(looks, lambda: play(self.measure)),
            after(shifts, lambda: wp.copy(self.first, self.second)),
            after({1}, lambda: wp.copy(self.first, self.model.x)),
            after(seconds, lambda: wp.copy(self.second, self.model.x)),
        ]
        if self.chooses:
            actions.append(after({second}, lambda: play(self.choose)))
        return after({1} | looks | shifts | seconds, lambda: [action() for action in actions])

    @property
    def reported(self):
        """What a frame tells."""
        names = "error", "bound", "goal", "rate", "rounding", "motion"
        return {f"body_{name}": getattr(self.errors, name) for name in names}

    def estimate(self, numbers, done):
        """`BodyErrors` after `done` iterations by what was `reported`; unknown where these were too
        few to tell.
        """
        found = BodyErrors.unknown(len(self.model.assembly.vertices))
        if done < kernels.FIRST_LOOK:
            return found
        passed = [mark for mark, _ in self.marks if mark <= done]
        last, compared = kernels.FIRST_LOOK, 1
        if passed:
            last = passed[-1]
            compared = last - ([CYCLE, 2 * CYCLE, *passed])[-2]
        error, bound, goal, rate, rounding, motion = (numbers[name] for name in self.reported)
        rate = rate ** (1.0 / compared)
        error, bound = (np.maximum(e * rate ** (done - last), rounding) for e in (error, bound))
        goal = np.maximum(goal, self.model.settings.accuracy * PART_OF_SIZE * self.sizes)
        # What may be above the goal is not said to be below it.
        found.error[self.body] = np.where((error <= goal) & (goal < bound), bound, error)
        found.goal[self.body] = goal
        found.seen[self.body] = visible(motion, self.sizes)
        found.decay[self.body], found.motion[self.body] = rate, motion
        return found
