# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/promises.md: every promise names tests, and these exist."""

import pytest
from evidence import named_tests, names_in
from messages import ROOT

PAGE = ROOT / "docs" / "promises.md"


def rows():
    """The cells of every row of the tables, but for their headings."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    rules = [number for number, line in enumerate(lines) if line.startswith("| ---")]
    headings = {number - 1 for number in rules} | set(rules)
    return [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for number, line in enumerate(lines)
        if number not in headings
    ]


def test_there_are_promises():
    assert len(rows()) > 15


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0][:40])
def test_a_promise_has_tests(row):
    named = named_tests(row[-1])
    assert named
    for file, name in named:
        assert name in names_in(ROOT / file), name
