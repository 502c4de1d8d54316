# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a bake: lines in order of importance, each with advice.

The same lines are the message after a bake, the last output of the command line and, with buttons,
the text of the panel. The scene stores them as text, so that they are saved and undone with it.
"""

import json
from dataclasses import asdict, dataclass, fields, replace

from ...solver.messages import message
from ...solver.settings import Settings
from ..gathering.hint import Hint
from ..objects.stored_records import WHOLE, parsed

MOST_LINES = 4
MOST_NAMES = 3

FIELDS = {f.name: f.metadata for f in fields(Settings)}
# The types of a stored report (stored_records.py); a file may come from anywhere.
OPERATORS = frozenset({"", "vbd.select_faces", "vbd.subdivide_faces", "vbd.simulate_after"})
LINE = {
    **{"text": str, "objects": [str], "warns": bool, "value": WHOLE, "operator": OPERATORS},
    **{"setting": frozenset({"", *FIELDS}), "subdivides": bool, "selects_faces": bool},
}
STORED = {"lines": [LINE], "numbers": [str], "made_with": {str: {str: object}}}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One finding that a user should know."""

    text: str
    warns: bool = False
    setting: str = ""
    """The setting of the scene that should be changed."""
    value: int = 0
    """The advised value of the setting."""
    objects: tuple[str, ...] = ()
    """Names of the objects that the line is about."""
    operator: str = ""
    """The operator with a button of its own that helps against it."""

    @property
    def label(self):
        """The label of the setting in the interface."""
        return FIELDS[self.setting]["label"]

    @property
    def lead(self):
        """Text before a number, or before the button that sets it."""
        return self.text if self.warns else message("report.if_it_shows", text=self.text)

    def sentence(self):
        """Text and advice for places without a button."""
        if not self.setting:
            return self.text
        setting = self.label.lower()
        return message("report.set", lead=self.lead, setting=setting, value=self.value)


def advice(setting, value):
    """The text of a `Line` that advises a value; empty where the value cannot be set."""
    if value is None or value > FIELDS[setting]["high"]:
        return {}
    return {"setting": setting, "value": value}


def listed(names):
    """Names in a sentence; a long list is shortened."""
    shown, rest = names[:MOST_NAMES], len(names) - MOST_NAMES
    names = ", ".join(shown)
    return message("report.names", names=names, count=rest) if rest > 0 else names


def named(text, names):
    """The one of the `names` that a sentence begins with, the longest match, in a tuple."""
    found = [name for name in names if text.startswith((f"{name}:", f"{name} "))]
    return tuple(sorted(found, key=len)[-1:])


def noted(note, names):
    """The `Line` of a note about one of the objects with these `names`."""
    return Line(
        text=str(note),
        warns=not isinstance(note, Hint),
        objects=named(note, names),
        operator=getattr(note, "operator", ""),
    )


def in_order(lines):
    """Lines with warnings first, then the others, each in their order."""
    return sorted(lines, key=lambda line: not line.warns)


def advised_once(lines):
    """The lines, warnings first, with one number to set at most: where smaller steps are advised
    the other numbers no longer hold.
    """
    advise = [line for line in lines if line.setting]
    advise = [line for line in advise if line.warns] or advise
    advise = [line for line in advise if line.setting == "substeps"] or advise
    if not advise:
        return lines
    first, value = advise[0], max(line.value for line in advise)
    return [
        replace(line, value=value) if line is first else replace(line, setting="", value=0)
        for line in lines
    ]


def shortened(lines):
    """The lines that are shown at once, and the rest."""
    if len(lines) <= MOST_LINES:
        return lines, []
    first, rest = lines[: MOST_LINES - 1], lines[MOST_LINES - 1 :]
    warns = any(line.warns for line in rest)
    return [*first, Line(text=message("report.more", count=len(rest)), warns=warns)], rest


def dumps(lines, numbers, made_with=None):
    """The report as text: `Line`s, sentences with numbers for details, and the settings that the
    bake was `made_with` (outdated.py).
    """
    content = {"lines": [asdict(line) for line in lines], "numbers": list(numbers)}
    return json.dumps(content | {"made_with": made_with})


def loads(text):
    """Lines and numbers of a report; both are empty for an empty text."""
    report = parsed(text, STORED)
    return [_line(**line) for line in report.get("lines", ())], report.get("numbers", [])


def _line(text="", objects=(), subdivides=False, selects_faces=False, **line):
    """A `Line` of a report, also of one that names no operators yet."""
    if subdivides or selects_faces:
        line["operator"] = "vbd.subdivide_faces" if subdivides else "vbd.select_faces"
    return Line(text=text, objects=tuple(objects), **line)


def made_with(text):
    """The settings that the bake of a report was made with; None if they are not stored."""
    return parsed(text, STORED).get("made_with")


def wrapped(text, width, measure):
    """`text` in lines whose `measure` is at most `width`; words that are longer are broken."""
    lines = [""]
    for word in text.split():
        if measure(f"{lines[-1]} {word}".strip()) <= width:
            lines[-1] = f"{lines[-1]} {word}".strip()
            continue
        if lines[-1]:
            lines.append("")
        for letter in word:
            if lines[-1] and measure(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return lines
