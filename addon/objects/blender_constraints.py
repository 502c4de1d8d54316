# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own rigid body constraints of a scene, read as joints on request."""

from bpy.types import Operator

from ...solver.messages import message

# Kind and axis of the joint for each type of Blender's constraints that has one.
KINDS = {
    "FIXED": ("FIXED", "Z"),
    "POINT": ("BALL", "Z"),
    "HINGE": ("HINGE", "Z"),
    "SLIDER": ("SLIDER", "X"),
}


def constraints_of(scene):
    """The objects of a scene that hold Blender's constraints."""
    world = scene.rigidbody_world
    objects = [] if world is None or world.constraints is None else world.constraints.objects
    return [ob for ob in objects if ob.rigid_body_constraint is not None]


def read_constraint(scene, empty):
    """Add the joint of a constraint to its first object that is rigid; returns a sentence about one
    that cannot be read, or None.
    """
    own = empty.rigid_body_constraint
    ends = own.object1, own.object2
    if own.type not in KINDS:
        return message(
            "joint.unread_type", name=empty.name, type=own.type.replace("_", " ").lower()
        )
    body = next((ob for ob in ends if ob is not None and ob.vbd.role == "RIGID"), None)
    if body is None:
        return message("joint.unread_bodies", name=empty.name)
    if any(item.axis_object == empty for item in body.vbd.attachments):
        return None
    item = body.vbd.attachments.add()
    item.name, item.axis_object, item.enabled = empty.name, empty, own.enabled
    item.target = next((ob for ob in ends if ob is not None and ob != body), None)
    item.kind, item.axis = KINDS[own.type]
    item.collides = not own.disable_collisions
    # Blender counts in impulses of one of its steps.
    steps = scene.rigidbody_world.substeps_per_frame * scene.render.fps / scene.render.fps_base
    item.breaking_force = own.breaking_threshold * steps if own.use_breaking else 0.0
    # Blender measures the second object against the first.
    turned = 1.0 if body == own.object2 else -1.0
    if own.type == "HINGE" and own.use_limit_ang_z:
        item.use_limits = True
        limits = turned * own.limit_ang_z_lower, turned * own.limit_ang_z_upper
        item.low_angle, item.high_angle = sorted(limits)
    if own.type == "SLIDER" and own.use_limit_lin_x:
        item.use_limits = True
        limits = turned * own.limit_lin_x_lower, turned * own.limit_lin_x_upper
        item.low_distance, item.high_distance = sorted(limits)
    return None


def _joint_count(scene):
    return sum(len(ob.vbd.attachments) for ob in scene.objects)


class VBD_OT_read_constraints(Operator):
    bl_idname = "vbd.read_constraints"
    bl_label = "Read Blender's Constraints"
    bl_description = (
        "Make joints of Blender's own rigid body constraints between objects with the role Rigid"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = None
        if context.window_manager.vbd.baking:
            reason = message("bake.running")
        elif not constraints_of(context.scene):
            reason = message("joint.no_constraints")
        if reason:
            cls.poll_message_set(reason)
        return reason is None

    def execute(self, context):
        empties = constraints_of(context.scene)
        before = _joint_count(context.scene)
        refused = [read_constraint(context.scene, empty) for empty in empties]
        for reason in filter(None, refused):
            self.report({"WARNING"}, reason)
        made = _joint_count(context.scene) - before
        self.report({"INFO"}, message("joint.read", count=made))
        return {"FINISHED"} if made else {"CANCELLED"}


classes = (VBD_OT_read_constraints,)
