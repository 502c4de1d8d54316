# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake says about convergence: the verdicts of all its frames in one sentence of advice."""

from math import inf, isnan, log10
from statistics import median_low

from ..solver.settings import Settings

# The most iterations that a user can set.
MOST_ITERATIONS = Settings.__dataclass_fields__["iterations"].metadata["high"]
# A bake is worth a warning from this part of poor frames on; hard landings are short.
POOR_PART = 0.1


def rounded_up(count):
    """The next number of tens with no more than two digits before its zeros."""
    unit = 10 ** max(int(log10(count)) - 1, 1)
    return -(-count // unit) * unit


class Convergence:
    """Gathers the verdicts of the frames of a bake."""

    def __init__(self):
        self.frames = 0
        self.needed = []
        """Iterations that each poor frame would have needed."""
        self.last = self.worst = None
        self.skips = 0

    def take(self, solved):
        """Count a frame, a `Solved`."""
        self.skips += solved.stats.coarse_skips
        self.frames += 1
        self.last = solved
        if self.worst is None or _badness(solved) > _badness(self.worst):
            self.worst = solved
        if _is_poor(solved):
            needed = solved.stats.iterations_needed
            self.needed.append(inf if needed is None else needed)

    def iterations(self):
        """Iterations that would do for half of the poor frames; None when no number would."""
        middle = median_low(self.needed)
        return rounded_up(middle) if middle <= MOST_ITERATIONS else None

    def is_poor(self):
        """Whether the result deserves a warning."""
        if self._inside_out():
            return True
        return bool(self.needed) and len(self.needed) >= POOR_PART * self.frames

    def notes(self):
        """Sentences about what is not as it should be, with advice."""
        notes = []
        if self.needed:
            part = f"in {len(self.needed)} of {self.frames} frames"
            count = self.iterations()
            if count is None:
                notes.append(f"Not converging {part}: use more substeps or a softer material")
            else:
                notes.append(
                    f"Under-converged {part}, which makes materials look softer: raise the "
                    f"iterations to about {count}"
                )
        if self._inside_out():
            tets = "1 tet is" if self._inside_out() == 1 else f"{self._inside_out()} tets are"
            notes.append(f"{tets} inside out at the end: use more substeps")
        return notes

    def short(self):
        """The same for a narrow panel."""
        lines = []
        if self.needed:
            count = self.iterations()
            lines.append(
                "Not converging: more substeps"
                if count is None
                else f"Raise iterations to about {count}"
            )
        if self._inside_out():
            lines.append(f"Tets inside out: {self._inside_out()}")
        if self.skips:
            lines.append(f"Coarse steps skipped: {self.skips}")
        return lines

    def verdicts(self):
        """Lines about the last and the worst frame."""
        if self.last is None:
            return []
        lines = [
            f"{which} frame {solved.scene_frame}: {solved.stats.verdict}, "
            f"residual {solved.stats.residual:.1e}"
            for which, solved in (("Last", self.last), ("Worst", self.worst))
        ]
        stats = self.last.stats
        if not isnan(stats.coarse_share):
            lines.append(
                f"Coarse correction: {stats.coarse_share:.2f} of its step taken, residual "
                f"{stats.residual_before_coarse:.1e} before the last, {self.skips} skipped"
            )
        return lines

    def _inside_out(self):
        return self.last.stats.inverted if self.last else 0


def _is_poor(solved):
    return solved.stats.verdict != "converged"


def _badness(solved):
    return _is_poor(solved), solved.stats.residual
