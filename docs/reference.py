# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of docs/scripting.md and docs/panels.md from the properties and panels of the add-on, and
of docs/troubleshooting.md from the messages: `python docs/reference.py`.

Every table stands between two comments in its page, which name it. A new one is put at the end of
the page, under a heading of its own.
"""

import functools
import itertools
import re
from pathlib import Path
from types import SimpleNamespace

import bpy

DOCS = Path(__file__).parent
UNITS = {
    "NONE": "",
    "LENGTH": "m",
    "TIME_ABSOLUTE": "s",
    "VELOCITY": "m/s",
    "ROTATION": "rad",
}
KINDS = {
    "BOOLEAN": "bool",
    "INT": "int",
    "FLOAT": "float",
    "STRING": "str",
    "COLLECTION": "list",
}
# The unit at the end of a label.
IN_LABEL = re.compile(r" \(([^()]*)\)$")
# Properties of operators that Blender uses itself, for its file browser and for presets.
NOT_OURS = ("rna_type", "filter_", "check_existing", "remove_")
# The label of the panel that contains all others of the sidebar, and that of those of an object.
TITLE = "VBD Simulation"
# Descriptions of fields, by their label or property: those that show a property of the object that
# the panel chooses, and those of joints that turn and of joints that move, which share a label.
DESCRIBED = {
    "low_angle": "Least angle or distance, counted from the start",
    "low_distance": "Least angle or distance, counted from the start",
    "high_angle": "Largest angle or distance, counted from the start",
    "high_distance": "Largest angle or distance, counted from the start",
    "motor_turns": "Turns about the axis per second, or speed along it",
    "motor_speed": "Turns about the axis per second, or speed along it",
    "Painted": "The property where the weight is 1: the number of the Material panel itself",
    "Material": "Material of the spheres that the modifier VBD Grains draws",
}
# Beyond these there is no limit worth a line.
ENDLESS = 1e9


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def declared(group):
    """Properties that a group of the add-on declares, in its order; not Blender's own."""
    own = bpy.types.PropertyGroup.bl_rna.properties.keys()
    return [p for p in group.properties if p.identifier not in own]


def kind(p):
    """Python type of a property with its unit and limits, or its allowed values."""
    if p.type == "ENUM":
        return ", ".join(f"`{item.identifier}`" for item in p.enum_items)
    if p.type == "POINTER":
        return f"`{p.fixed_type.identifier}`"
    text = KINDS[p.type]
    if p.type not in {"BOOLEAN", "INT", "FLOAT"}:
        return text
    if p.is_array:
        text = f"{p.array_length} {text}"
    if unit(p):
        text += f" [{unit(p)}]"
    return text if p.type == "BOOLEAN" else text + _limits(p.hard_min, p.hard_max)


def _limits(low, high):
    if low > -ENDLESS and high < ENDLESS:
        return f", {_number(low)} to {_number(high)}"
    if low > -ENDLESS:
        return f", from {_number(low)}"
    return f", up to {_number(high)}" if high < ENDLESS else ""


def _number(value):
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def label(p):
    """Label of a property in panels, without the unit."""
    return IN_LABEL.sub("", p.name)


def unit(p):
    """The unit of a property: Blender's own, or the one in its label."""
    in_label = IN_LABEL.search(p.name)
    return in_label.group(1) if in_label else UNITS[getattr(p, "unit", "NONE")]


def default(p):
    if p.type in {"POINTER", "COLLECTION"}:
        return ""
    if p.type == "BOOLEAN":
        return ", ".join(map(str, p.default_array)) if p.is_array else str(p.default)
    return f"`{p.default}`" if p.type == "ENUM" else _shown(p.default)


def _shown(value):
    if isinstance(value, str):
        return f'`"{value}"`' if value else ""
    return _number(value)


def properties(group, described):
    """Table of a group of properties, without those that only the add-on sets; descriptions that
    are `described` in the page of panels, or in a row above, are left out.
    """
    rows, described = [], set(described)
    for p in declared(group):
        if not p.is_hidden:
            rows.append((f"`{p.identifier}`", kind(p), default(p), _described(p, described)))
            described.add(p.description)
    return table(("Name", "Type and range", "Default", "What it is"), rows)


def _described(p, described):
    return f"**{label(p)}**" if p.description in described else f"**{label(p)}.** {p.description}"


def hidden(group):
    """Table of properties that only the add-on sets, for scripts that read them."""
    rows = [(f"`{p.identifier}`", kind(p), p.description) for p in declared(group) if p.is_hidden]
    return table(("Name", "Type", "What it is"), rows)


def operators(described):
    """The table of all operators, with their arguments; `described` as for `properties`."""
    rows = []
    for name in sorted(dir(bpy.ops.vbd)):
        rna = getattr(bpy.ops.vbd, name).get_rna_type()
        own = [p for p in rna.properties if not p.identifier.startswith(NOT_OURS)]
        arguments = [f"`{p.identifier}`: {kind(p)}" for p in own]
        text = f"**{rna.name}**" if rna.description in described else rna.description
        rows.append((f"`bpy.ops.vbd.{name}`", "; ".join(arguments), text))
    return table(("Operator", "Arguments", "What it does"), rows)


def tables():
    """All tables by name."""
    scene, ob = (_group(owner) for owner in (bpy.types.Scene, bpy.types.Object))
    described = {text for fields in panel_fields().values() for text in fields.values()}
    found = {
        "operators": operators(described),
        "scene.vbd": properties(scene, described),
        "object.vbd": properties(ob, described),
        "scene.vbd, read only": hidden(scene),
        "object.vbd, read only": hidden(ob),
    }
    for p in declared(ob):
        if p.type == "COLLECTION":
            found[f"object.vbd.{p.identifier}"] = properties(p.fixed_type, described)
    return found


def _group(owner):
    return owner.bl_rna.properties["vbd"].fixed_type


class Layout:
    """Replaces the layout of a panel and records its fields and buttons, {label: tooltip}."""

    def __init__(self):
        self.fields, self.is_split, self.beside = {}, False, ""

    def split(self, **_):
        self.is_split = True
        return self

    def label(self, text="", **_):
        """Keep the label of the number beside it; choices have one of their own."""
        self.beside, self.is_split = text if self.is_split else "", False
        return self

    def prop(self, group, name, text="", **_):
        p = group.bl_rna.properties[name]
        beside, self.beside = "" if p.type == "ENUM" else self.beside, ""
        given = IN_LABEL.sub("", text or beside)
        described = DESCRIBED.get(name, DESCRIBED.get(given, p.description))
        self.fields[given or IN_LABEL.sub("", p.name)] = described

    def prop_search(self, group, name, *_, text="", **__):
        self.prop(group, name, text)

    def operator(self, name, text="", **_):
        rna = getattr(bpy.ops.vbd, name.removeprefix("vbd.")).get_rna_type()
        properties = SimpleNamespace()
        if name == "vbd.add":  # whose tooltip depends on the role
            text, rna = "", SimpleNamespace(name="Roles", description=rna.description)
        self.fields[text or rna.name] = rna.description
        return properties

    def __getattr__(self, _):
        return lambda *_, **__: self


def situations():
    """Makes an object of every kind that has panels, the active one after another."""
    for role in ("SOFT", "CLOTH", "ROD", "RIGID", "GRAINS", "COLLIDER"):
        bpy.ops.mesh.primitive_cube_add()
        bpy.ops.vbd.add(role=role)
        vbd = bpy.context.object.vbd
        vbd.membrane, vbd.stack_place = "orthotropic", "AFTER"
        for p in declared(_group(bpy.types.Object)):
            if p.type == "COLLECTION":
                getattr(vbd, p.identifier).add()
        yield
        if role == "RIGID":
            yield from _joints(vbd.attachments[0])
    bpy.ops.curve.primitive_bezier_curve_add()
    bpy.ops.vbd.add(role="ROD")
    bpy.context.object.vbd.bake_record = "{}"  # as after a bake
    yield


def _joints(item):
    """Make an attachment a joint of every kind that has fields of its own."""
    item.axis_object = bpy.data.objects.new("Axis", None)
    for item.kind, item.motor in itertools.product(("HINGE", "SLIDER"), ("SPEED", "POSITION")):
        yield


@functools.cache
def panel_fields():
    """Tooltips of the fields of all panels: {title of the panel: {label of the field: tooltip}}."""
    from vbd.addon import MODULES

    classes = [cls for module in MODULES for cls in getattr(module, "classes", ())]
    known = {cls.__name__: cls for cls in classes if issubclass(cls, bpy.types.Panel)}
    shown = sorted(known.values(), key=lambda cls: (_place(cls), getattr(cls, "bl_order", 0)))
    found = {_title(cls, known): {} for cls in shown}
    for _ in situations():
        for cls in shown:
            if not hasattr(cls, "poll") or cls.poll(bpy.context):
                title = _title(cls, known)
                found[title] |= _fields(cls) | found[title]
    return {title: fields for title, fields in found.items() if fields}


def panels():
    """Tables of the fields of all panels by title."""
    head, seen, found = ("Field", "What it is"), {}, panel_fields()
    return {title: table(head, _rows(title, fields, seen)) for title, fields in found.items()}


def _rows(title, fields, seen):
    """Rows of the fields of a panel; neighbors with the same tooltip have one together. A tooltip
    that was `seen`, {tooltip: (panel, fields)}, is not repeated.
    """
    for text, same in itertools.groupby(fields.items(), lambda field: field[1]):
        names = ", ".join(name for name, _ in same)
        panel, first = seen.setdefault(text, (title, names))
        if (panel, first) == (title, names):
            yield names, text
        else:
            place = "" if panel == title else f" in {'the sidebar' if panel == TITLE else panel}"
            yield names, f"As **{first}**{place}"


def _fields(cls):
    """Fields that a panel shows now."""
    layout = Layout()
    for draw in ("draw_header", "draw"):
        if hasattr(cls, draw):
            getattr(cls, draw)(SimpleNamespace(layout=layout), bpy.context)
    return layout.fields


def _place(cls):
    return "2 Physics" if cls.bl_space_type == "PROPERTIES" else "1 Sidebar"


def _title(cls, known):
    """Title of a panel below those above it: "Solver > Advanced", without the topmost."""
    above = known.get(getattr(cls, "bl_parent_id", ""))
    if above is None or above.bl_label == cls.bl_label:
        return cls.bl_label if _place(cls) == "1 Sidebar" else "Physics"
    title = _title(above, known)
    return cls.bl_label if above.bl_label == TITLE else f"{title} > {cls.bl_label}"


def messages():
    """The sections of docs/troubleshooting.md, of all messages with a remedy."""
    from vbd.solver.messages import sections

    contents, text = "", ""
    for name, section in sections().items():
        told = [m for m in section[name].values() if "remedy" in m]
        rows = [(_without_fields(m["text"]), _remedy(m)) for m in told]
        if not rows:
            continue
        anchor = re.sub(r"[^\w\- ]", "", section["title"].lower()).replace(" ", "-")
        contents += f"- [{section['title']}](#{anchor})\n"
        text += f"\n## {section['title']}\n\n"
        if "intro" in section:
            text += f"{section['intro']}\n\n"
        text += table(("Message", "What to do"), rows) + "\n"
    return {"messages": contents + text.rstrip("\n")}


def _without_fields(text):
    return re.sub(r"({[^{}]*})+", "…", text).strip(" ;,")


def _remedy(message):
    """Remedy of a message, with the button that carries it out."""
    text = message["remedy"]
    if "operator" in message:
        rna = getattr(bpy.ops.vbd, message["operator"].removeprefix("vbd.")).get_rna_type()
        text += f" Button: **{rna.name}**."
    return text


PAGES = {"scripting.md": tables, "panels.md": panels, "troubleshooting.md": messages}


def written(name):
    """The text of a page with its tables brought up to date."""
    page, known = (DOCS / name).read_text(encoding="utf-8"), PAGES[name]()
    titles = re.findall(r"<!-- table: (.*) -->", page)
    for title in titles:
        if title not in known or titles.count(title) > 1:
            raise ValueError(f"{name} has the table {title} twice, or it is there no more")
    for title, text in known.items():
        begin, end = f"<!-- table: {title} -->\n", "<!-- end -->"
        if begin not in page:
            page += f"\n## {title}\n\n{begin}{end}\n"
        at = page.index(begin) + len(begin)
        page = page[:at] + text + "\n" + page[page.index(end, at) :]
    return page


if __name__ == "__main__":
    import vbd

    vbd.register()
    try:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        for name in PAGES:
            (DOCS / name).write_text(written(name), encoding="utf-8")
    finally:
        vbd.unregister()
