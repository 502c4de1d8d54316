# SPDX-License-Identifier: GPL-3.0-or-later
"""Place of the simulation in the modifier stack of a mesh."""

from bpy.props import BoolProperty, EnumProperty, StringProperty

from .declared import OVERRIDABLE

PLACES = (
    (
        "AUTO",
        "Automatic",
        "After the modifiers at the top of the stack that deform the mesh and, for a soft body, "
        "subdivide it; those from the first other one on act on the result",
    ),
    ("FIRST", "Before All", "Simulate the mesh itself; all modifiers act on the result"),
    (
        "AFTER",
        "After",
        "Simulate what a modifier and those above it make of the mesh, also where that has other "
        "vertices; those below act on the result",
    ),
)


def stack_properties():
    """Properties of an object for this place."""
    return {
        "stack_place": EnumProperty(
            name="Place",
            description="Which modifiers are part of what is simulated; the others act on the "
            "result",
            items=PLACES,
            default="AUTO",
            options=set(),
            override=OVERRIDABLE,
        ),
        "stack_modifier": StringProperty(
            name="Modifier",
            description="The last modifier that is part of what is simulated",
            options=set(),
            override=OVERRIDABLE,
        ),
        "keep_coarse": BoolProperty(
            name="Keep Large Faces",
            description="Do not divide faces that are larger than the cells of the soft body: they "
            "stay flat where it bends",
            default=False,
            options=set(),
            override=OVERRIDABLE,
        ),
        "refined": StringProperty(
            name="Refined",
            description="Changes of the modifiers that freeing the bake takes back",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }
