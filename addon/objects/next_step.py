# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice to the user about the next step, before anything is baked."""

import numpy as np

from ...solver.bodies.own_weight import MUCH, load_over_stiffness
from ...solver.messages import message
from .curves import is_pinned, is_simulated_as_points
from .own_mesh import without_own_mesh
from .participants import SIMULATED, nothing_to_bake, participants
from .units import gravity_of, unit_scale


def needs_floor(scene):
    """Return whether all simulated bodies fall forever."""
    chosen = participants(scene)
    bodies = [ob for ob in chosen if ob.vbd.role in SIMULATED]
    held = len(chosen) > len(bodies)
    held |= any(is_pinned(ob) or len(ob.vbd.attachments) for ob in bodies)
    gravity = scene.use_gravity and any(scene.gravity)
    return bool(bodies) and gravity and not (held or scene.vbd.use_ground)


def lacks_target(ob, item):
    """Return whether an attachment has nothing to hold on; a joint may hold on to its axis."""
    is_joint = ob.vbd.role == "RIGID" and item.kind != "ATTACHMENT"
    return item.target is None and not (is_joint and item.axis_object)


def _without_target(scene):
    """A body with an attachment that has no target yet, or None."""
    for ob in scene.objects:
        if ob.vbd.role in SIMULATED:
            if any(item.enabled and lacks_target(ob, item) for item in ob.vbd.attachments):
                return ob
    return None


def too_soft(scene):
    """A soft body that nothing holds and that its weight would flatten, or None."""
    gravity = np.array(gravity_of(scene))
    strength = np.linalg.norm(gravity)
    for ob in scene.objects if strength else ():
        vbd = ob.vbd
        if vbd.role != "SOFT" or is_pinned(ob) or len(vbd.attachments):
            continue
        sides = unit_scale(scene) * np.array(ob.dimensions)
        height = float(sides @ np.abs(gravity) / strength)
        if load_over_stiffness(vbd.density, strength, height, vbd.youngs_modulus) > MUCH:
            return ob
    return None


def next_step(context):
    """The next step in one short line; empty without advice."""
    scene, ob = context.scene, context.object
    if context.window_manager.vbd.baking:
        return message("progress.esc_short")
    if any(ob.vbd.baked for ob in scene.objects):
        return ""
    if nothing_to_bake(scene):
        if participants(scene):
            return message("bake.add_body")
        return message("bake.choose_role") if ob is not None and is_simulated_as_points(ob) else ""
    if needs_floor(scene):
        return message("bake.no_floor")
    if untied := _without_target(scene):
        return message("bake.choose_target", name=untied.name)
    if shared := without_own_mesh(scene):
        return message("bake.own_mesh", name=shared[0].name)
    if soft := too_soft(scene):
        return message("bake.too_soft", name=soft.name)
    if scene.frame_start > scene.vbd.frame_end or scene.frame_end < scene.vbd.frame_start:
        return message("bake.other_range", first=scene.frame_start, last=scene.frame_end)
    return message("bake.ready")
