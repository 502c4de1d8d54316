# SPDX-License-Identifier: GPL-3.0-or-later
"""The report about convergence: one line over all frames of a bake."""

from math import nan
from types import SimpleNamespace

import pytest

from vbd.addon.baking.convergence import ConvergenceReport, rounded_up
from vbd.solver.messages import message
from vbd.solver.report.overstretch import Overstretched
from vbd.solver.settings import Settings

CELLS = SimpleNamespace(cells=9, tets=0)


def frame(
    index, residual=0.5, needed=None, verdict="under-converged", inverted=0, tangles=(), held=()
):
    stats = SimpleNamespace(
        residual=residual,
        iterations_enough=needed,
        verdict=verdict,
        is_poor=verdict != "converged",
        tangles=tangles,
        overstretched=(),
        held_back=held,
        inverted=inverted,
        inverted_bodies=("Ball",) if inverted else (),
        coarse_share=nan,
        error=nan,
        error_motion=nan,
        coarse_skips=0,
        residual_before_coarse=nan,
    )
    return SimpleNamespace(scene_frame=index, stats=stats, model=CELLS)


def good(index, **changes):
    return frame(index, **{"residual": 0.001, "needed": 20, "verdict": "converged", **changes})


def told(*solved):
    convergence = ConvergenceReport()
    for one in solved:
        convergence.take(one)
    return convergence


def line(convergence):
    """The only line of the report."""
    settings = Settings(substeps=4)
    (one,) = (*convergence.inside_out(settings), *convergence.poor(settings))
    return one


def test_nothing_is_said_when_every_frame_converged():
    convergence = told(good(1), good(2))
    assert list(convergence.poor(Settings())) == list(convergence.inside_out(Settings())) == []


def test_rigid_bodies_that_neighbors_hold_back_are_named_with_substeps_as_advice():
    """Other poor frames have the same cause, and more iterations would not help."""
    one = line(told(*[frame(k, held=("Link 5", "Link 4")[: 1 + k]) for k in range(4)], good(5)))
    assert one.warns and one.objects == ("Link 5", "Link 4")
    assert one.text.startswith(
        message("report.held_back", names="Link 5, Link 4", count=2, poor=4, frames=5)
    )
    assert (one.setting, one.value) == ("substeps", 16)


def test_a_landing_that_holds_a_body_back_for_a_moment_is_no_warning():
    held = [good(k, held=("Box",) * (k == 7)) for k in range(40)]
    assert list(told(*held).poor(Settings(substeps=4))) == []


def test_the_median_of_the_poor_frames_is_the_advice():
    frames = [frame(k, needed=n) for k, n in enumerate((30, 57, 4000))]
    one = line(told(good(9), *frames))
    assert one.text == "3 of 4 frames needed more iterations and look too soft"
    assert (one.warns, one.setting, one.value) == (True, "iterations", 60)


def test_frames_that_do_not_fall_count_as_beyond_any_number_of_iterations():
    one = line(told(frame(1, needed=50), frame(2), frame(3)))
    # A stack of jelly cubes collapses under its weight, and more so if it is softer.
    assert one.text == message("report.no_solution", poor=3, frames=3)
    assert (one.warns, one.setting, one.value) == (True, "substeps", 8)


def test_a_number_that_no_one_can_set_is_not_advised():
    assert line(told(frame(1, needed=2_000_000))).setting == "substeps"
    (one,) = told(frame(1)).poor(Settings(substeps=600))
    assert one.warns and not one.setting
    landing = told(frame(1), *(good(k) for k in range(2, 30)))
    (one,) = landing.poor(Settings(substeps=600))
    assert one.text == "1 of 29 frames may look a little soft"


@pytest.mark.parametrize("poor", [frame(1, needed=50), frame(1)])
def test_a_hard_landing_is_told_but_is_no_warning(poor):
    one = line(told(poor, *(good(k) for k in range(2, 30))))
    assert one.lead == "1 of 29 frames may look a little soft. If it shows"
    assert not one.warns


@pytest.mark.parametrize(
    ("poor", "calm", "warns"),
    [(4, 17, False), (4, 16, True), (3, 9, False), (3, 3, True), (1, 2, False), (1, 1, True)],
)
def test_poor_frames_are_a_warning_from_a_fifth_on_and_longer_than_a_landing(poor, calm, warns):
    frames = [frame(k, needed=50) for k in range(poor)]
    assert line(told(*frames, *(good(poor + k) for k in range(calm)))).warns == warns


def stretched(index, *found, **changes):
    """A frame with bodies that contact keeps stretched: (name, ratio) of each."""
    solved = frame(index, **changes)
    solved.stats.overstretched = tuple(Overstretched(*one) for one in found)
    return solved


def test_what_contact_keeps_long_asks_for_smaller_steps_and_never_for_iterations():
    frames = [stretched(k, ("Rod", 1.0 + 0.5 * k), needed=3200) for k in range(1, 5)]
    one = line(told(*frames, good(9)))
    assert one.text == (
        "Rod was pulled to 3 times its length in frame 4 (also in 3 other frames), faster than it "
        "could give way"
    )
    assert (one.warns, one.setting, one.value, one.objects) == (True, "substeps", 16, ("Rod",))
    both = stretched(3, ("Rod", 2.0), ("Rope", 3.64), verdict="converged")
    one = line(told(both, *(good(k) for k in range(4, 20))))
    assert one.text.startswith("Rope, Rod were pulled to 3.6 times their length in frame 3, ")
    assert not one.warns  # an impact, soon over


def test_thousands_of_iterations_are_not_advised():
    one = line(told(frame(1, needed=3123), frame(2, needed=3123)))
    assert one.text == message("report.too_soft_by_far", poor=2, frames=2)
    assert (one.warns, one.setting, one.value) == (True, "substeps", 8)
    few = told(frame(1, needed=3123), *(good(k) for k in range(2, 30)))
    (one,) = few.poor(Settings(substeps=4))
    assert (one.text, one.value) == ("1 of 29 frames may look a little soft", 8)
    assert line(told(frame(1, needed=200))).setting == "iterations"
    # Only iterations lead to an equilibrium, and a user who has set many may set more.
    for settings in (Settings(quasistatic=True), Settings(iterations=400)):
        (one,) = told(frame(1, needed=3123)).poor(settings)
        assert (one.setting, one.value) == ("iterations", 3200)


def test_frames_that_lead_surfaces_apart_are_not_asked_to_converge():
    entangled = [frame(k, needed=50, tangles=("Shirt passes through Body",)) for k in range(5)]
    assert not list(told(*entangled, good(5)).poor(Settings()))


def inverted(*solved):
    """The line about what is inside out, or None."""
    return next(told(*solved).inside_out(Settings(substeps=4)), None)


def test_cells_inside_out_count_at_the_end_only():
    assert inverted(good(1, inverted=3), good(2)) is None
    one = inverted(good(1), frame(2, inverted=3))
    assert one.text == "Ball: 3 cells are turned inside out"
    assert one.warns and one.objects == ("Ball",)
    assert (one.setting, one.value) == ("substeps", 8)
    assert inverted(frame(1, inverted=1)).text == "Ball: 1 cell is turned inside out"


def test_smaller_steps_are_no_advice_where_the_last_frame_has_converged():
    one = inverted(frame(1, inverted=4), good(2, inverted=3))
    assert one.warns and one.objects == ("Ball",) and not one.setting
    load = "by more load than they bear; raise the Stiffness"
    assert one.text == f"Ball: 3 cells are turned inside out {load}"
    one = inverted(good(1, inverted=1)).text
    assert one.endswith("is turned inside out by more load than it bears; raise the Stiffness")


@pytest.mark.parametrize(
    ("size", "what"),
    [((0, 6), "tets are"), ((6, 0), "cells are"), ((6, 6), "cells or tets are")],
)
def test_what_is_inside_out_is_called_by_what_the_solids_are_made_of(size, what):
    solved = frame(1, inverted=2)
    solved.model = SimpleNamespace(cells=size[0], tets=size[1])
    assert inverted(solved).text == f"Ball: 2 {what} turned inside out"


def test_the_worst_frame_is_the_poor_one_with_the_largest_residual():
    """A converged frame may have a larger one, where rounding alone leaves that much."""
    solved = told(good(1, residual=9.0), frame(2, 0.1), frame(3, 0.4), frame(4, 0.2))
    assert solved.worst.scene_frame == 3
    assert solved.last.scene_frame == 4


def test_the_verdicts_name_the_last_and_the_worst_frame():
    convergence = told(frame(1, 0.4, 60), good(2))
    assert convergence.verdicts() == [
        "Last frame 2: converged, residual 1.0e-03",
        "Worst frame 1: under-converged, residual 4.0e-01",
    ]


@pytest.mark.parametrize(("needed", "advice"), [(21, 30), (57, 60), (101, 110), (1234, 1300)])
def test_advice_is_rounded_up_to_a_number_one_would_type(needed, advice):
    assert rounded_up(needed) == advice


def test_the_coarse_correction_tells_what_it_took_and_what_it_skipped():
    corrected = [good(1), good(2)]
    for one in corrected:
        one.stats.coarse_share, one.stats.residual_before_coarse = 0.97, 0.02
        one.stats.coarse_skips = 3
    convergence = told(*corrected)
    line = convergence.verdicts()[-1]
    assert "0.97 of its last step" in line
    assert "2.0e-02 before it" in line
    assert "6 steps skipped" in line
    assert convergence.numbers()[-1] == "Steps of Coarse Correction skipped: 6"


def test_the_numbers_tell_the_error_of_the_last_frame():
    solved = good(2)
    solved.stats.error = 4e-4
    assert "Error: about 0.4 mm" in told(good(1), solved).numbers()
    solved.stats.error_motion = 0.035
    said = "about 0.4 mm of 35 mm in the last substep"
    assert f"Error: {said}" in told(good(1), solved).numbers()
    assert f"Error of the last frame: {said}" in told(good(1), solved).verdicts()


def test_the_numbers_tell_the_end_the_worst_frame_and_how_many_are_poor():
    assert told(frame(1, 0.4, 60), good(2)).numbers() == [
        "Residual: 1.0e-03",
        "Worst: 4.0e-01 in frame 1",
        "Too few iterations: 1 of 2 frames",
    ]
