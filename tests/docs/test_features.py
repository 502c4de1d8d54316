# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/features.md: tests of its features exist, and its numbers are right."""

import re
from collections import Counter

import pytest
from evidence import named_tests, names_in
from messages import ROOT

PAGE = ROOT / "docs" / "features.md"
ANSWERS = ("yes", "partly", "no")


def rows():
    """Feature, answer and evidence of every row."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]
    return [row for row in cells if row[0] != "Feature" and not row[0].startswith("---")]


@pytest.mark.parametrize(("feature", "answer", "evidence"), rows())
def test_what_is_said_to_be_there_has_tests(feature, answer, evidence):
    assert answer in ANSWERS
    named = named_tests(evidence)
    assert named or answer == "no", f"{feature}: name a test"
    for file, name in named:
        assert name in names_in(ROOT / file)
    if answer == "partly":  # missing features come last
        assert ";" in evidence, f"{feature}: say what is missing"


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]*)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / target).exists()


def test_no_feature_is_told_twice():
    features = [row[0] for row in rows()]
    assert len(features) == len(set(features)) == 97


def test_the_numbers_are_right():
    count = Counter(answer for _, answer, _ in rows())
    said = "Of 97: **{yes} yes, {partly} partly, {no} no.**".format(**count)
    assert said in PAGE.read_text(encoding="utf-8")
