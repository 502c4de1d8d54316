# SPDX-License-Identifier: GPL-3.0-or-later
"""The rig of a mesh, its bones, and which of them stay stiff under soft flesh."""

import re

# Words in names of bones of hands, feet and heads: Rigify, Mixamo, Unreal, and common others.
WORDS = {
    *("head", "neck", "skull", "face", "jaw", "chin", "mouth", "lip", "lips", "tongue", "teeth"),
    *("eye", "eyes", "eyelid", "lid", "brow", "eyebrow", "nose", "cheek", "forehead", "temple"),
    *("hand", "wrist", "palm", "finger", "fingers", "thumb", "index", "middle", "ring", "pinky"),
    *("metacarpal", "foot", "feet", "ankle", "heel", "toe", "toes", "ball"),
}
# Bones of the neck and head in Rigify's human, which has no other names for them.
RIGIFY = re.compile(r"spine\.00[456]$")
# Words inside of names such as LeftHandThumb1 and upper_arm_l.
PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def armature_modifier(ob):
    """The first modifier of an object that deforms it by an armature, or None."""
    fitting = (m for m in ob.modifiers if m.type == "ARMATURE" and m.show_viewport)
    return next((m for m in fitting if m.object is not None and m.use_vertex_groups), None)


def bones_of(ob):
    """The bones of the rig of an object that deform it through its vertex groups."""
    modifier = armature_modifier(ob)
    if modifier is None:
        return []
    bones = modifier.object.data.bones
    return [bone for bone in bones if bone.use_deform and bone.name in ob.vertex_groups]


def is_stiff(bone):
    """Return whether a bone belongs to a hand, a foot, the neck or the head, by its name or that of
    a bone above it.
    """
    return any(_has_stiff_name(one.name) for one in (bone, *bone.parent_recursive))


def _has_stiff_name(name):
    words = {part.lower() for part in PARTS.findall(name)}
    return bool(words & WORDS) or RIGIFY.search(name) is not None
