# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a bake: its lines, where it is stored, and the buttons that follow its advice."""

from math import nan
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import frames, tet_block

from vbd.addon.baking.bake_steps import Outcome, bake_steps, run_to_end
from vbd.addon.baking.report import (
    MOST_LINES,
    Line,
    advised_once,
    dumps,
    in_order,
    loads,
    shortened,
    wrapped,
)
from vbd.addon.panels import advice
from vbd.solver.contact.initial.intersections import Intersection
from vbd.solver.messages import message
from vbd.solver.report.statistics import Torn
from vbd.solver.settings import Settings


def stats(**changes):
    """Statistics of a frame without problems, but for `changes`."""
    values = {
        "verdict": "converged",
        "is_poor": False,
        "residual": 0.001,
        "iterations_enough": 20,
        "inverted": 0,
        "inverted_bodies": (),
        "rejected_bodies": (),
        "tangles": (),
        "overstretched": (),
        "held_back": (),
        "rooms": (),
        "torn": (),
        "coarse_skips": 0,
        "contacts": 0,
        "pairs": 0,
        "deepest": 0.0,
        "truncated": 0,
        "searches": 1,
        "error": nan,
    }
    return SimpleNamespace(**values | changes)


def outcome(*all_stats, count=None, **changes):
    """The outcome of a bake of frames with these statistics."""
    result = Outcome(count or len(all_stats), Settings(substeps=4), seconds=41.0, **changes)
    for index, one in enumerate(all_stats, 1):
        size = SimpleNamespace(cells=9, tets=0)
        result.take(SimpleNamespace(index=index, scene_frame=index, stats=one, model=size))
    return result


POOR = {"verdict": "under-converged", "is_poor": True, "residual": 0.5, "iterations_enough": 27}


INVERTED = {"inverted": 3, "inverted_bodies": ("Ball",)}


TANGLED = {"tangles": (Intersection(("Ball", "Shirt"), 12, (0.0, 0.0, 1.0)),)}


REJECTED = {"rejected_bodies": ("Block",)}


def test_a_bake_without_trouble_says_one_thing():
    good = outcome(stats(), stats())
    assert good.report() == ("INFO", "Baked 2 frames in 41 s")
    assert [line.warns for line in good.lines()] == [False]


def test_what_happened_comes_first_and_then_the_worst():
    end = stats(**INVERTED | TANGLED | REJECTED)
    bad = outcome(stats(**POOR), end, notes=["Sheet: Bend comes late"])
    texts = [line.text for line in bad.lines()]
    starts = (
        "Baked 2 frames",
        "Some vertices of Block",
        "Ball: 3 cells",
        "Ball passes through Shirt",
        "1 of 2 frames needed more iterations",
        "Sheet: Bend",
    )
    assert len(texts) == len(starts)
    for text, start in zip(texts, starts, strict=True):
        assert text.startswith(start)
    assert bad.report()[0] == "WARNING"


def test_what_is_wrong_comes_before_what_is_good_to_know():
    start = stats(**POOR), stats(**TANGLED)
    lines = outcome(*start, *[stats()] * 20, notes=["Field: has no effect"]).lines()
    assert [line.warns for line in lines] == [False, True, False, False]
    assert lines[1].text == "Field: has no effect"


@pytest.mark.parametrize(
    ("note", "objects"),
    [
        ("Sheet: Bend comes late", ("Sheet",)),
        ("Sheet.001 moves 2 m", ("Sheet.001",)),
        ("Sheet no. 2 is a force field", ("Sheet no. 2",)),
        ("Gravity is 0.1 m/s²", ()),
    ],
)
def test_a_note_leads_to_the_object_that_it_begins_with(note, objects):
    names = ("Sheet", "Sheet.001", "Sheet no. 2", "Grav")
    assert outcome(stats(), notes=[note], names=names).lines()[1].objects == objects


def test_one_line_of_the_text_advises_a_number():
    text = outcome(stats(**POOR | INVERTED)).report()[1]
    assert text == (
        "Baked 1 frame in 41 s. Ball: 3 cells are turned inside out: set substeps to 8. "
        "1 of 1 frames needed more iterations and look too soft"
    )


def test_the_advice_on_substeps_is_given_once_and_is_the_largest():
    lines = [
        Line(text="good", setting="substeps", value=32),
        Line(text="soft", warns=True, setting="iterations", value=80),
        Line(text="bad", warns=True, setting="substeps", value=8),
        Line(text="worse", warns=True, setting="substeps", value=16),
    ]
    found = [(line.text, line.setting, line.value) for line in advised_once(in_order(lines))]
    none = ("", 0)
    assert found == [("soft", *none), ("bad", "substeps", 16), ("worse", *none), ("good", *none)]
    only = [line for line in lines if not line.warns]
    assert advised_once(only) == only
    assert only[0].sentence() == "good. If it shows: set substeps to 32"


@pytest.mark.parametrize(
    ("change", "end"),
    [
        ({"cancelled": True}, "then cancelled"),
        ({"error": "disk full"}, "then stopped by an error: disk full"),
    ],
)
def test_a_bake_that_ended_early_warns_in_its_first_line(change, end):
    line = outcome(stats(), count=5, **change).lines()[0]
    assert line.warns and line.text == f"Baked 1 of 5 frames in 41 s, {end}"


def test_at_most_four_lines_are_shown_and_the_rest_is_announced():
    lines = [Line(text=str(k), warns=k == 5) for k in range(6)]
    for count in range(1, MOST_LINES + 1):
        assert shortened(lines[:count]) == (lines[:count], [])
    shown, rest = shortened(lines)
    assert len(shown) == MOST_LINES
    assert [line.text for line in shown] == ["0", "1", "2", "3 more in Statistics below"]
    assert shown[-1].warns  # as one of them does
    assert rest == lines[3:]


def test_a_report_is_plain_text_and_comes_back_as_it_was():
    lines = [Line(text="Ä", warns=True, setting="substeps", value=8, objects=("A", "B"))]
    assert loads(dumps(lines, ["Pairs: 3"])) == (lines, ["Pairs: 3"])
    assert loads("") == ([], [])
    bad = outcome(stats(**POOR | {"residual": np.float64(0.5)}))  # as the solver gives it
    assert loads(dumps(bad.lines(), bad.numbers())) == (bad.lines(), bad.numbers())


@pytest.mark.parametrize("width", [8, 12, 33])
def test_wrapped_text_fits_and_loses_nothing(width):
    text = "Ball: 3 cells are turned inside out Averylongnamewithoutanyspaces.001 end"
    lines = wrapped(text, width, len)
    assert all(0 < len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_text_is_not_broken_where_it_fits():
    assert wrapped("Baked 250 frames in 41 s", 33, len) == ["Baked 250 frames in 41 s"]
    assert wrapped("", 33, len) == [""]


def test_letters_are_measured_as_they_are_drawn(scene):
    width = advice.measured(bpy.context)
    assert 0 < width("iiiii") < width("WWWWW")


@pytest.fixture
def block(scene):
    """A baked block: it falls for three frames."""
    frames(scene, 1, 4)
    scene.vbd.device, scene.vbd.substeps, scene.vbd.iterations = "CPU", 2, 5
    ob = tet_block("Block")
    bpy.ops.ed.undo_push(message="Block")
    assert bpy.ops.vbd.bake() == {"FINISHED"}
    return ob


def first_line():
    return loads(bpy.context.scene.vbd.report)[0][0].text


def test_the_report_is_saved_with_the_scene(block, tmp_path):
    before = bpy.context.scene.vbd.report
    assert first_line().startswith("Baked 3 frames")
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert bpy.context.scene.vbd.report == ""
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.vbd.report == before


def test_an_undone_bake_takes_its_report_away_and_redo_brings_it_back(block):
    before = bpy.context.scene.vbd.report
    bpy.ops.ed.undo_push(message="Bake")
    bpy.ops.ed.undo()
    assert bpy.context.scene.vbd.report == ""
    assert not bpy.data.objects["Block"].vbd.baked
    bpy.ops.ed.redo()
    assert bpy.context.scene.vbd.report == before


def test_freeing_a_bake_clears_its_report(block):
    bpy.ops.vbd.free_bake()
    assert bpy.context.scene.vbd.report == ""


def test_a_dropped_bake_leaves_the_report_of_the_one_before(block):
    before = bpy.context.scene.vbd.report
    steps = bake_steps(bpy.context)
    next(steps)
    steps.close()
    assert bpy.context.scene.vbd.report == before
    run_to_end(bake_steps(bpy.context), show=lambda _: None)
    assert first_line().startswith("Baked 3 frames")


def test_many_torn_attachments_are_told_in_one_line():
    names = ("Cube.001", "Cube.002")
    torn = [Torn(f"{names[k % 2]}: {k}", 4, 4) for k in range(5)]
    few, many = (outcome(stats(torn=torn[:count]), names=names) for count in (4, 5))
    assert [line.text for line in few.lines()[1:]] == list(map(str, torn[:4]))
    (line,) = many.lines()[1:]
    assert line.text == message("report.tore_many", count=5) and line.objects == names
