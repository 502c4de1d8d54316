# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text in the source that a user can meet: errors, warnings, notes, reasons of grey buttons,
lines of the report. Found in the syntax tree, without running anything.

A text is any string of three words or more in addon/ and solver/, and shorter ones in calls that
speak to the user (`SPEAKS`), unless it stands where no message can be: docstrings, tooltips, labels
of fields and buttons, code for the device. So a message in an unusual place is found as well.
"""

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIELD = "…"
"""What stands for a part that is filled in."""
EDGES = " .,:;()\"'…"

# Calls whose texts are read by users even when they have but two words.
SPEAKS = {"report", "poll_message_set", "label", "ValueError", "OSError", "_damaged", "Line"}
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

    def parts(self):
        """What is constant in it, in order."""
        return constant_parts(self.text)


def constant_parts(text):
    parts = (part.strip(EDGES) for part in text.split(FIELD))
    return [part for part in parts if part]


def template(node):
    """The text of a string expression with `FIELD` for every part that is not constant."""
    if isinstance(node, ast.Constant):
        text = node.value
    else:
        text = "".join(FIELD if isinstance(p, ast.FormattedValue) else p.value for p in node.values)
    return " ".join(text.replace("{}", FIELD).replace("{count}", FIELD).split())


def _is_item(node):
    """Whether a tuple is an item of an enum, or a field with its label: names, then texts."""
    first = node.elts and isinstance(node.elts[0], ast.Constant) and node.elts[0].value
    constant = all(isinstance(element, ast.Constant) for element in node.elts)
    return constant and isinstance(first, str) and first.isidentifier()


class Finder(ast.NodeVisitor):
    """Gathers the texts of a file: `found` for users, and `strings`, all there are."""

    def __init__(self, path):
        self.path, self.found, self.strings, self.speaks = path, [], [], False

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
        self.strings.append(text)
        words = [w for w in text.replace(FIELD, " ").split() if any(c.isalpha() for c in w)]
        if len(words) >= (2 if self.speaks else 3):
            self.found.append(Message(text, self.path, node.lineno))


def find(folders=("addon", "solver"), root=ROOT):
    """All `Message`s of the source below `folders`, and all strings there."""
    found, strings = [], []
    for folder in folders:
        for file in sorted((root / folder).rglob("*.py")):
            path = file.relative_to(root).as_posix()
            if path.startswith(DEVICE):
                continue
            finder = Finder(path)
            finder.visit(ast.parse(file.read_text(encoding="utf-8")))
            found += finder.found
            strings += finder.strings
    return found, strings
