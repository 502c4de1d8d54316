# SPDX-License-Identifier: GPL-3.0-or-later
"""Report about convergence: the verdicts of all frames of a bake in one line of advice."""

from collections import Counter
from math import inf, isnan, log10
from statistics import median_low

from ...solver.messages import message
from ...solver.report.lengths import length
from ...solver.settings import Settings
from .report import Line, advice, listed
from .sizes import is_rigid

# The highest number of iterations that a user can set.
MOST_ITERATIONS = Settings.__dataclass_fields__["iterations"].metadata["high"]
# More iterations than these, or than this multiple of those that are set, are not advised: there
# contact usually converges slowly, and smaller steps cost less.
MOST_ADVISED = Settings.__dataclass_fields__["iterations"].metadata["soft_high"]
MANY = 10
# Edges stretched by contact have hit an obstacle within one step, and rigid bodies come to their
# neighbors: only smaller steps help.
FINER = 4
# A bake gets a warning from this fraction of poor frames on, ...
POOR_RATIO = 0.2
# ... and from this many, or half of a shorter bake: landings are short, and reported without a
# warning.
LANDING = 4
# Messages about scenes in which nothing deforms, in place of others.
OF_RIGID = {
    "report.too_soft": "report.too_soft_rigid",
    "report.too_soft_by_far": "report.too_soft_by_far_rigid",
    "report.less_exact": "report.less_exact_rigid",
}


def rounded_up(count):
    """The next number of tens with no more than two digits before its zeros."""
    unit = 10 ** max(int(log10(count)) - 1, 1)
    return -(-count // unit) * unit


class ConvergenceReport:
    """Gathers the verdicts of the frames of a bake."""

    def __init__(self):
        self.frames = 0
        self.needed = []
        """Number of iterations that each poor frame would have needed."""
        self.stretched = []
        """A `Solved` for every frame in which contact keeps edges long."""
        self.held_back = []
        """A `Solved` for every frame in which neighbors hold rigid bodies back."""
        self.last = self.worst = None
        self.skips = 0

    def take(self, solved):
        """Count a frame, a `Solved`."""
        self.skips += solved.stats.coarse_skips
        self.frames += 1
        self.last = solved
        if self.worst is None or _badness(solved) > _badness(self.worst):
            self.worst = solved
        if solved.stats.tangles:
            return  # Depenetration is not meant to be exact, and has a report of its own.
        if solved.stats.held_back:
            self.held_back.append(solved)
        if solved.stats.overstretched:
            self.stretched.append(solved)
        elif _is_poor(solved):
            needed = solved.stats.iterations_enough
            self.needed.append(inf if needed is None else needed)

    def iterations(self):
        """The number of iterations that suffices for half of the poor frames; None if none does."""
        middle = median_low(self.needed)
        return rounded_up(middle) if middle <= MOST_ITERATIONS else None

    def poor(self, settings):
        """`Line`s about the frames that did not converge."""
        yield from self._overstretched(settings)
        if self._warns(self.held_back):
            yield self._held_back(settings)
            if len(self.needed) <= len(self.held_back):  # of the same cause
                return
        if not self.needed:
            return
        count = self.iterations()
        if count is None:
            which, number = "report.no_solution", advice("substeps", 2 * settings.substeps)
        else:
            which, number = "report.too_soft", advice("iterations", count)
            # Without inertia all steps are alike.
            if count > max(MOST_ADVISED, MANY * settings.iterations) and not settings.quasistatic:
                which = "report.too_soft_by_far"
                number = advice("substeps", 2 * settings.substeps)
        warns = self._warns(self.needed)
        which = which if warns else "report.less_exact"
        if is_rigid(self.last.model):
            which = OF_RIGID.get(which, which)
        text = message(which, poor=len(self.needed), frames=self.frames)
        yield Line(text=text, warns=warns, **number)

    def _warns(self, frames):
        """Return whether so many frames are worth a warning."""
        few = max(POOR_RATIO * self.frames, min(LANDING, 0.5 * self.frames))
        return len(frames) >= max(few, 1)

    def _held_back(self, settings):
        """Return a `Line` about rigid bodies that neighbors hold back, those most often first."""
        counts = Counter(name for solved in self.held_back for name in solved.stats.held_back)
        names = tuple(name for name, _ in counts.most_common())
        text = message(
            "report.held_back",
            names=listed(names),
            count=len(names),
            poor=len(self.held_back),
            frames=self.frames,
        )
        return Line(
            text=text, warns=True, objects=names, **advice("substeps", FINER * settings.substeps)
        )

    def _overstretched(self, settings):
        """A `Line` about edges that contact stretches far beyond their rest length."""
        if not self.stretched:
            return
        found = {}
        for solved in self.stretched:
            for one in solved.stats.overstretched:
                found.setdefault(one.name, []).append((one.ratio, solved.scene_frame))
        names = tuple(sorted(found, key=lambda name: max(found[name]), reverse=True))
        ratio, frame = max(found[names[0]])
        count = len(self.stretched)
        also = message("report.also", count=count - 1) if count > 1 else ""
        yield Line(
            text=message(
                "report.pulled",
                names=listed(names),
                count=len(names),
                ratio=ratio,
                frame=f"{frame}{also}",
            ),
            warns=count >= min(LANDING, 0.5 * self.frames),
            objects=names,
            **advice("substeps", FINER * settings.substeps),
        )

    def inside_out(self, settings):
        """A `Line` about cells, or tets, that are inside out at the end. Where the last frame has
        converged, its solution has them, and smaller steps lead to the same one.
        """
        if not self.last or not self.last.stats.inverted:
            return
        stats = self.last.stats
        count = stats.inverted
        is_poor = _is_poor(self.last) or bool(stats.held_back or stats.tangles)
        yield Line(
            text=message(
                "report.inside_out" if is_poor else "report.overloaded",
                names=listed(stats.inverted_bodies),
                count=count,
                elements=_elements(self.last.model, count),
            ),
            warns=True,
            objects=stats.inverted_bodies,
            **(advice("substeps", 2 * settings.substeps) if is_poor else {}),
        )

    def numbers(self):
        """Sentences with numbers for users who want details."""
        if self.last is None:
            return []
        worst = self.worst
        lines = [
            message("statistics.residual", residual=self.last.stats.residual),
            message("statistics.worst", residual=worst.stats.residual, frame=worst.scene_frame),
            message("statistics.under_converged", count=len(self.needed), frames=self.frames),
        ]
        if not isnan(self.last.stats.error):
            lines.append(message("statistics.error", error=_error(self.last.stats)))
        if self.skips:
            lines.append(message("statistics.coarse_skipped", skips=self.skips))
        return lines

    def verdicts(self):
        """Lines about the last and the worst frame."""
        if self.last is None:
            return []
        lines = [
            message(
                "statistics.verdict",
                which=which,
                frame=solved.scene_frame,
                verdict=solved.stats.verdict,
                residual=solved.stats.residual,
            )
            for which, solved in (("Last", self.last), ("Worst", self.worst))
        ]
        stats = self.last.stats
        if not isnan(stats.error):
            lines.append(message("statistics.last_error", error=_error(stats)))
        if not isnan(stats.coarse_share):
            lines.append(
                message(
                    "statistics.coarse",
                    share=stats.coarse_share,
                    residual=stats.residual_before_coarse,
                    skips=self.skips,
                )
            )
        return lines


def _error(stats):
    """The error of a frame, and the quantity that it is relative to, in words."""
    if isnan(stats.error_motion):
        return message("statistics.about", error=length(stats.error))
    return message(
        "statistics.error_of", error=length(stats.error), motion=length(stats.error_motion)
    )


def _elements(size, count):
    """The elements of the solids of a `ModelSize`, in words for `count` of them."""
    kinds = [kind for kind in ("cell", "tet") if getattr(size, f"{kind}s")]
    return " or ".join(kind if count == 1 else f"{kind}s" for kind in kinds)


def _is_poor(solved):
    return solved.stats.is_poor


def _badness(solved):
    return _is_poor(solved), solved.stats.residual
