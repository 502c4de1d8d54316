# SPDX-License-Identifier: GPL-3.0-or-later
"""The source read as a syntax tree: what messages it uses, and what texts for users stand in it.

A text is any string of three words or more in addon/ and solver/, and shorter ones in calls that
speak to the user (`SPEAKS`), unless it stands where no message can be: docstrings, tooltips, labels
of fields and buttons, code for the device. So a message in an unusual place is found as well.
"""

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIELD = "…"
"""Placeholder of a field that is filled in."""
ID = re.compile(r"[a-z]+\.[a-z0-9_]+")

# Calls whose texts are read by users even when they have but two words.
SPEAKS = {"report", "poll_message_set", "label", "ValueError", "OSError", "Line"}
# Calls with labels and tooltips of fields and buttons, titles, code, texts that are cut off, and
# names of what is read from a file.
SILENT = {
    "number", "switch", "_switch", "choice", "operator", "dialog", "Plot", "add_argument",
    "add_argument_group", "removeprefix", "func_native", "register_cli_command", "numbers", "items",
    "floats", "ints", "sizes", "_values",
}  # fmt: skip
# Names of labels, tooltips and help.
LABELS = {"description", "help", "bl_description", "bl_label", "title", "epilog", "TITLE", "BUTTON"}
# Folders of code for the device.
DEVICE = ("solver/kernels",)


@dataclass(frozen=True)
class Message:
    """A text with `FIELD` for what is filled in, and where it stands."""

    text: str
    path: str
    line: int


@dataclass(frozen=True)
class Use:
    """A call of `message` with the ids it may have, or none if they stand elsewhere in the file."""

    ids: tuple[str, ...]
    fields: frozenset[str]
    place: str


def template(node):
    """The text of a string expression with `FIELD` for every part that is not constant."""
    if isinstance(node, ast.Constant):
        text = node.value
    else:
        text = "".join(FIELD if isinstance(p, ast.FormattedValue) else p.value for p in node.values)
    return " ".join(text.replace("{}", FIELD).replace("{count}", FIELD).split())


def _is_item(node):
    """Return whether a tuple is an item of an enum, or a field with its label: names, then
    texts.
    """
    first = node.elts and isinstance(node.elts[0], ast.Constant) and node.elts[0].value
    constant = all(isinstance(element, ast.Constant) for element in node.elts)
    return constant and isinstance(first, str) and first.isidentifier()


class Finder(ast.NodeVisitor):
    """Gathers the texts for users in a file."""

    def __init__(self, path):
        self.path, self.found, self.speaks = path, [], False

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_keyword(self, node):
        if node.arg not in LABELS:
            self.visit(node.value)

    def visit_Assign(self, node):
        if not LABELS & {getattr(target, "id", "") for target in node.targets}:
            self.generic_visit(node)

    def visit_Tuple(self, node):
        if not _is_item(node):
            self.generic_visit(node)

    def visit_Call(self, node):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in SILENT or name.endswith("Property"):
            return
        before, self.speaks = self.speaks, self.speaks or name in SPEAKS
        self.generic_visit(node)
        self.speaks = before

    def visit_JoinedStr(self, node):
        self._take(node)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self._take(node)

    def _take(self, node):
        text = template(node)
        words = [w for w in text.replace(FIELD, " ").split() if any(c.isalpha() for c in w)]
        if len(words) >= (2 if self.speaks else 3):
            self.found.append(Message(text, self.path, node.lineno))


@functools.cache
def trees(folders=("addon", "solver")):
    """Path and syntax tree of all files that may speak to users."""
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    found = [(file.relative_to(ROOT).as_posix(), file) for file in files]
    return [
        (path, ast.parse(file.read_text(encoding="utf-8")))
        for path, file in found
        if not path.startswith(DEVICE)
    ]


def find():
    """All `Message`s that stand in the source as strings."""
    for path, tree in trees():
        finder = Finder(path)
        finder.visit(tree)
        yield from finder.found


def uses(path, tree):
    """All `Use`s of messages in a file."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "message":
                    fields = frozenset(_fields(call, function))
                    yield Use(tuple(_ids(call.args[0])), fields, f"{path}:{call.lineno}")


def ids_elsewhere(tree):
    """Strings of a file that look like ids and are not the first argument of `message`."""
    direct = {
        name
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "message"
        for name in _ids(call.args[0])
    }
    strings = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant))
    return {s for s in strings if isinstance(s, str) and ID.fullmatch(s)} - direct


def _ids(node):
    """The ids that an argument may be: one, or either of a choice."""
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_ids(node.body), *_ids(node.orelse))


def _fields(call, function):
    """Names of the fields that a call gives, also those in a dict of its function."""
    for keyword in call.keywords:
        if keyword.arg:
            yield keyword.arg
        else:
            yield from _keys(keyword.value.id, function)


def _keys(name, function):
    """Keys of a dict that a function makes."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if getattr(target, "id", "") == name:
                    yield from (key.value for key in node.value.keys)
                elif isinstance(target, ast.Subscript) and target.value.id == name:
                    yield target.slice.value
