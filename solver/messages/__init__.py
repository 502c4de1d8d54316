# SPDX-License-Identifier: GPL-3.0-or-later
"""All texts that users read: errors, warnings, notes, lines of the report, reasons of grey buttons.

Each section is a file beside this one and a section of docs/troubleshooting.md. A message has an id
of the section and a word, and

- `text`, with {fields} that its use fills in;
- `one`, where it reads differently for a `count` of 1;
- `remedy`: what it means and what to do, for the page. Messages that say all of it themselves, and
  parts of other messages, have none; the page lists them only in the section of Last Bake;
- `operator`, where a button beside the message helps.
"""

import functools
import tomllib
from pathlib import Path

SECTIONS = (
    "bake", "role", "mesh", "material", "pin", "flesh", "joint", "collider", "tets", "animation",
    "note", "progress", "live", "report", "statistics", "resume", "cache", "free", "command",
    "script",
)  # fmt: skip


class Message(str):
    """A text for the user, and the operator that helps, if there is one."""

    operator = ""


def sections():
    """The files as they are: {section: {"title": …, "intro": …, section: {word: {…}}}}."""
    folder = Path(__file__).parent
    texts = ((name, (folder / f"{name}.toml").read_text(encoding="utf-8")) for name in SECTIONS)
    return {name: tomllib.loads(text) for name, text in texts}


@functools.cache
def table():
    """All messages by id; read when the first of them is needed, not while Blender starts."""
    return {
        f"{name}.{word}": entry
        for name, section in sections().items()
        for word, entry in section[name].items()
    }


def message(name, /, **fields):
    """The `Message` with an id, its fields filled in."""
    entry = table()[name]
    text = entry["one"] if fields.get("count") == 1 and "one" in entry else entry["text"]
    filled = Message(text.format_map(fields))
    if "operator" in entry:
        filled.operator = entry["operator"]
    return filled
