# SPDX-License-Identifier: GPL-3.0-or-later
"""All texts that users read stand in solver/messages/, and every one of them is used rightly."""

import ast
import re
import string
from collections import Counter

import pytest
from messages import Finder, find, ids_elsewhere, trees, uses

from vbd.solver.messages import message, sections, table

# Texts outside of the table, and why.
EXCEPTIONS = {
    "… has no label; declare it with number(), switch() or choice()": "a fault in the source",
    "two threads read the scene": "a fault in the source",
    "nothing can be given to the device inside of a graph": "a fault in the source",
    "kernels need arrays without gaps between their numbers": "a fault in the source",
    "Keep and Load": "a button",
    "Keep and Resume": "a button",
    "length of the normal": "the name of a number",
    "pip install meshio": "a command",
    "Failed to allocate": "what an error of Warp begins with",
    "blender --command vbd": "what its messages begin with",
    "# vtk DataFile Version 3.0": "a line of a file",
    "SCALARS part int": "a line of a file",
}
# A program that runs in a process of its own.
CODE = "import importlib, sys, types"
KEYS = {"text", "one", "remedy", "operator"}


def fields_of(name):
    """Fields that a use of a message has to give."""
    entry = table()[name]
    texts = (entry[key] for key in ("text", "one") if key in entry)
    found = {field for text in texts for _, field, _, _ in string.Formatter().parse(text) if field}
    return found | ({"count"} if "one" in entry else set())


def outside():
    return [m for m in find() if not m.text.startswith(CODE)]


def test_no_text_stands_outside_the_table():
    assert not [m for m in outside() if m.text not in EXCEPTIONS]


def test_every_exception_is_in_the_source():
    assert {m.text for m in outside()} == set(EXCEPTIONS)


def test_every_use_gives_the_fields_of_its_message():
    count = 0
    for path, tree in trees():
        for use in uses(path, tree):
            count += 1
            for name in use.ids:
                assert name in table(), use
                assert fields_of(name) == use.fields, use
    assert count > 400  # the search itself has not lost them


def test_no_message_is_made_while_blender_starts():
    """Reading the table takes as long as a frame of the window."""
    for path, tree in trees():
        called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        count = sum(getattr(func, "id", "") == "message" for func in called)
        assert count == len(list(uses(path, tree))), path


def test_ids_that_are_chosen_elsewhere_fit_a_use_in_their_file():
    for path, tree in trees():
        open_uses = [use for use in uses(path, tree) if not use.ids]
        chosen = {name for name in ids_elsewhere(tree) if name in table()}
        assert bool(open_uses) == bool(chosen), path
        for name in chosen:
            assert any(fields_of(name) == use.fields for use in open_uses), f"{path}: {name}"


def test_every_message_is_used():
    used = set()
    for path, tree in trees():
        used |= ids_elsewhere(tree)
        used.update(name for use in uses(path, tree) for name in use.ids)
    assert not table().keys() - used


def test_the_table_holds_only_what_it_may():
    for section, content in sections().items():
        assert content.keys() <= {"title", "intro", section}
        for entry in content[section].values():
            assert "text" in entry and entry.keys() <= KEYS


def test_no_text_stands_twice():
    texts = Counter(entry["text"] for entry in table().values())
    assert not [text for text, count in texts.items() if count > 1]


def test_operators_of_messages_exist():
    names = {
        node.value.value
        for path, tree in trees(("addon",))
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "bl_idname"
        if isinstance(node.value, ast.Constant)
    }
    assert {entry["operator"] for entry in table().values() if "operator" in entry} <= names


def test_a_message_is_filled_in():
    name = next(name for name, entry in table().items() if "one" in entry)
    assert not re.search("[{}]", message(name, **dict.fromkeys(fields_of(name), 1)))
    with pytest.raises(KeyError):
        message(name)


def test_one_reads_differently():
    text = message("note.loose_edges", name="Cloth", count=1)
    assert text != message("note.loose_edges", name="Cloth", count=2).replace("2", "1")


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


def test_the_uses_of_a_file_are_found():
    source = """
def f(a):
    known = {"b": 1}
    return message("x.y" if a else "x.z", name=a, **known)
"""
    (use,) = uses("a.py", ast.parse(source))
    assert (use.ids, use.fields) == (("x.y", "x.z"), {"name", "b"})
