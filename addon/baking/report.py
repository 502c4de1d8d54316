# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake tells the user: lines in order of importance, each with what to do about it.

The same lines are the message after a bake, what the command line prints last and, with buttons,
what the panel shows. They are kept in the scene as text, so that they are saved and undone with it.
"""

import json
from dataclasses import asdict, dataclass, fields

from ...solver.settings import Settings
from ..gathering.hint import FaceHint, Hint

MOST_LINES = 4
MOST_NAMES = 3
# Where the lines that find no room are to be found.
MORE = "{count} more in Statistics below"

FIELDS = {f.name: f.metadata for f in fields(Settings)}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One thing that a user should know."""

    text: str
    warns: bool = False
    setting: str = ""
    """The number of the scene that should be changed."""
    value: int = 0
    """What to change it to."""
    objects: tuple[str, ...] = ()
    """Names of the objects it is about."""
    subdivides: bool = False
    """Whether the faces of the objects should be subdivided."""
    selects_faces: bool = False
    """Whether it is about faces that are left out, which can be selected."""

    @property
    def label(self):
        """The name of the setting, as users know it."""
        return FIELDS[self.setting]["label"]

    def sentence(self):
        """Text and advice, where there is no button."""
        if not self.setting:
            return self.text
        return f"{self.text}: set {self.label.lower()} to {self.value}"


def advice(setting, value):
    """The part of a `Line` that advises a number; nothing where the number cannot be set."""
    if value is None or value > FIELDS[setting]["high"]:
        return {}
    return {"setting": setting, "value": value}


def listed(names):
    """Names in a sentence; of very many only some."""
    shown, rest = names[:MOST_NAMES], len(names) - MOST_NAMES
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def counted(count, what):
    """So many of something: 1 frame, 2 frames."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def named(text, names):
    """Which of the `names` a sentence begins with, in a tuple; the longest of several."""
    found = [name for name in names if text.startswith((f"{name}:", f"{name} "))]
    return tuple(sorted(found, key=len)[-1:])


def noted(note, names):
    """The `Line` of a note about one of the objects with these `names`."""
    return Line(
        text=str(note),
        warns=not isinstance(note, Hint),
        objects=named(note, names),
        selects_faces=isinstance(note, FaceHint),
    )


def in_order(lines):
    """What is wrong comes before what is good to know; else the order stays."""
    return sorted(lines, key=lambda line: not line.warns)


def shortened(lines):
    """The lines that are shown at once, and the rest."""
    if len(lines) <= MOST_LINES:
        return lines, []
    first, rest = lines[: MOST_LINES - 1], lines[MOST_LINES - 1 :]
    warns = any(line.warns for line in rest)
    return [*first, Line(text=MORE.format(count=len(rest)), warns=warns)], rest


def dumps(lines, numbers, made_with=None):
    """The report as text: `Line`s, sentences with numbers for those who want to know, and what the
    bake was `made_with` (outdated.py).
    """
    told = {"lines": [asdict(line) for line in lines], "numbers": list(numbers)}
    return json.dumps(told | {"made_with": made_with})


def loads(text):
    """Lines and numbers of a report; none of an empty one."""
    if not text:
        return [], []
    report = json.loads(text)
    lines = [Line(**{**line, "objects": tuple(line["objects"])}) for line in report["lines"]]
    return lines, report["numbers"]


def made_with(text):
    """What the bake of a report was made with; None where it does not say so."""
    return json.loads(text).get("made_with") if text else None


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
