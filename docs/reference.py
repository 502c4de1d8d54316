# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the tables of docs/scripting.md from what the add-on declares: `python docs/reference.py`.

Every table stands between two comments in the page, which name it.
"""

import re
from pathlib import Path

import bpy

PAGE = Path(__file__).with_name("scripting.md")
UNITS = {
    "LENGTH": "m",
    "TIME_ABSOLUTE": "s",
    "VELOCITY": "m/s",
}
KINDS = {
    "BOOLEAN": "switch",
    "INT": "whole number",
    "FLOAT": "number",
    "STRING": "text",
    "POINTER": "object",
    "COLLECTION": "list",
}
# The unit at the end of a label.
IN_LABEL = re.compile(r" \(([^()]*)\)$")
# Properties of operators that Blender has for itself, and for its file browser.
NOT_OURS = ("rna_type", "filter_")
# Beyond these there is no limit worth a line.
ENDLESS = 1e9


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def declared(group):
    """The properties that a group of the add-on declares, in its order; not Blender's own."""
    own = bpy.types.PropertyGroup.bl_rna.properties.keys()
    return [p for p in group.properties if p.identifier not in own]


def kind(p):
    """Type of a property, its unit, and what it may be."""
    if p.type == "ENUM":
        return ", ".join(f"`{item.identifier}`" for item in p.enum_items)
    if p.type in {"POINTER", "COLLECTION"}:
        return KINDS[p.type] if p.type == "COLLECTION" else p.fixed_type.name.lower()
    text = KINDS[p.type]
    if p.type in {"INT", "FLOAT"}:
        text += _limits(p.hard_min, p.hard_max)
    return text


def _limits(low, high):
    if low > -ENDLESS and high < ENDLESS:
        return f", {_number(low)} to {_number(high)}"
    if low > -ENDLESS:
        return f", from {_number(low)}"
    return f", up to {_number(high)}" if high < ENDLESS else ""


def _number(value):
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def label(p):
    """What a panel calls it, without the unit."""
    return IN_LABEL.sub("", p.name)


def unit(p):
    """The unit that a property is in: Blender's own, or the one in its label."""
    told = IN_LABEL.search(p.name)
    return told.group(1) if told else UNITS.get(getattr(p, "unit", ""), "")


def default(p):
    if p.type in {"POINTER", "COLLECTION"}:
        return ""
    if p.type == "BOOLEAN":
        return str(p.default)
    return f"`{p.default}`" if p.type == "ENUM" else _shown(p.default)


def _shown(value):
    if isinstance(value, str):
        return f'`"{value}"`' if value else ""
    return _number(value)


def properties(group):
    """The table of a group of properties, without what only the add-on sets."""
    rows = [
        (f"`{p.identifier}`", kind(p), unit(p), default(p), f"**{label(p)}.** {p.description}")
        for p in declared(group)
        if not p.is_hidden
    ]
    return table(("Name", "Type and range", "Unit", "Default", "What it is"), rows)


def hidden(group):
    """The table of what only the add-on sets, for scripts that read it."""
    rows = [
        (f"`{p.identifier}`", KINDS[p.type], p.description) for p in declared(group) if p.is_hidden
    ]
    return table(("Name", "Type", "What it is"), rows)


def operators():
    """The table of all operators, with their arguments."""
    rows = []
    for name in sorted(dir(bpy.ops.vbd)):
        rna = getattr(bpy.ops.vbd, name).get_rna_type()
        own = [p for p in rna.properties if not p.identifier.startswith(NOT_OURS)]
        arguments = [f"`{p.identifier}`: {kind(p)}" for p in own]
        rows.append((f"`bpy.ops.vbd.{name}`", "; ".join(arguments), rna.description))
    return table(("Operator", "Arguments", "What it does"), rows)


def tables():
    """All tables by name."""
    scene, ob = (_group(owner) for owner in (bpy.types.Scene, bpy.types.Object))
    found = {
        "operators": operators(),
        "scene.vbd": properties(scene),
        "object.vbd": properties(ob),
        "scene.vbd, read only": hidden(scene),
        "object.vbd, read only": hidden(ob),
    }
    for p in declared(ob):
        if p.type == "COLLECTION":
            found[f"object.vbd.{p.identifier}"] = properties(p.fixed_type)
    return found


def _group(owner):
    return owner.bl_rna.properties["vbd"].fixed_type


def written(page):
    """The text of the page with its tables as they should be."""
    known = tables()
    names = re.findall(r"<!-- table: (.*) -->", page)
    if sorted(names) != sorted(known):
        raise ValueError(f"the page has the tables {sorted(names)}; it needs {sorted(known)}")
    for name, text in known.items():
        begin, end = f"<!-- table: {name} -->\n", "<!-- end -->"
        at = page.index(begin) + len(begin)
        page = page[:at] + text + "\n" + page[page.index(end, at) :]
    return page


if __name__ == "__main__":
    import vbd

    vbd.register()
    try:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    finally:
        vbd.unregister()
