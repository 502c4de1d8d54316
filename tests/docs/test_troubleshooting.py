# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/troubleshooting.md has every message of the source, and none that the source lacks."""

import ast
import re

import pytest
from messages import EDGES, ROOT, Finder, Message, constant_parts, find

PAGE = ROOT / "docs" / "troubleshooting.md"

# Texts that are no messages to users, and why.
EXCEPTIONS = {
    "… has no label; declare it with number(), switch() or choice()": "a fault in the source",
    "two threads read the scene": "a fault in the source",
    "nothing can be given to the device inside of a graph": "a fault in the source",
    "kernels need arrays without gaps between their numbers": "a fault in the source",
    "Keep and Load": "a button",
    "Keep and Resume": "a button",
    "pip install meshio": "a command",
    "blender --command vbd": "what its messages begin with",
    "# vtk DataFile Version 3.0": "a line of a file",
    "SCALARS part int": "a line of a file",
}
# A program that runs in a process of its own.
CODE = "import importlib, sys, types"


def entries():
    """The first cell of every row in the tables of messages."""
    found, in_table = [], False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if line.startswith("| Message |"):
            in_table = True
        elif not line.startswith("|"):
            in_table = False
        elif in_table and not cells[1].startswith("---"):
            found.append(cells[1])
    return found


def covers(entry, message):
    """Whether all constant parts of a message stand in an entry, in order."""
    return re.search(".*".join(map(re.escape, message.parts())), entry) is not None


def missing(found, page):
    """Messages that no entry of the page covers."""
    for message in found:
        if message.text in EXCEPTIONS or message.text.startswith(CODE):
            continue
        if not any(covers(entry, message) for entry in page):
            yield f"{message.path}:{message.line}: {message.text}"


def unknown(page, strings):
    """Entries of the page with a part that is neither in a string of the source nor made of whole
    parts of such strings, one after the other.
    """
    whole = {part for text in strings for part in constant_parts(text)}

    def is_known(part):
        return any(part in text for text in strings) or any(
            is_known(part[len(first) :].strip(EDGES)) for first in whole if follows(part, first)
        )

    for entry in page:
        for part in constant_parts(entry):
            if not is_known(part):
                yield f"{entry}: the source has no “{part}”"


def follows(part, first):
    """Whether `part` begins with the text `first` and goes on after a space or colon."""
    return part.startswith(first) and part[len(first)] in " :;,"


def test_every_message_is_in_the_page():
    found, _ = find()
    assert len(found) > 200  # the search itself has not lost them
    assert not list(missing(found, entries()))


def test_the_page_has_no_message_that_the_source_lacks():
    _, strings = find()
    assert not list(unknown(entries(), strings))


def test_no_message_has_two_entries():
    page = entries()
    assert not {entry for entry in page if page.count(entry) > 1}


def test_every_exception_is_in_the_source():
    found, _ = find()
    assert set(EXCEPTIONS) <= {message.text for message in found}


def found_in(source):
    finder = Finder("a.py")
    finder.visit(ast.parse(source))
    return [message.text for message in finder.found]


@pytest.mark.parametrize(
    "source",
    [
        'raise ValueError(f"{name}: the box has no lid")',
        'def f():\n    yield f"{ob.name}: the box has " "no lid"',
        'self.report({"ERROR"}, "No lid")',
        'cls.poll_message_set("No lid")',
        'return "Give it a lid"',
        "x = f\"{'it has no lid' if a else b}\"",
    ],
)
def test_a_message_is_found_wherever_it_stands(source):
    if source.startswith("return"):
        source = f"def f():\n    {source}"
    assert any("lid" in text for text in found_in(source))


@pytest.mark.parametrize(
    "source",
    [
        'def f():\n    """A box without a lid."""',
        'x: BoolProperty(name="Lid of it", description="Whether it has a lid")',
        'bl_description = "Put a lid on it"',
        'ITEMS = (("LID", "Lid", "A lid for the box"),)',
        'parser.add_argument("--lid", help="put a lid on it")',
    ],
)
def test_labels_and_tooltips_are_no_messages(source):
    assert not found_in(source)


def test_the_comparison_can_fail():
    """What it finds is not everything, and not nothing."""
    new = Message("…: the box has no lid at all", "a.py", 1)
    assert list(missing([new], entries()))
    assert list(unknown(["…: the box has no lid at all"], find()[1]))
