# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of a bake, and the time from one to the next."""

import bpy
from bpy.props import FloatProperty, IntProperty

from ...solver.messages import message
from .declared import OVERRIDABLE

# Blender's own limits of frame numbers.
FRAME_LIMIT = 1048574


def time_properties():
    """Properties of `scene.vbd`."""
    shared = {"options": set(), "override": OVERRIDABLE}
    frame = {"min": -FRAME_LIMIT, "max": FRAME_LIMIT, **shared}
    return {
        "frame_start": IntProperty(
            name="Start",
            description="Frame of the state that the simulation starts from",
            default=1,
            **frame,
        ),
        "frame_end": IntProperty(
            name="End", description="Last frame to simulate", default=250, **frame
        ),
        "timeline_end": IntProperty(
            name="Timeline End",
            description="End that the last bake has given the timeline; 0 if it has not",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
        "time_scale": FloatProperty(
            name="Time Scale",
            description="How much of its time passes for the simulation in a frame: 0.1 is slow "
            "motion, ten times slower. Animation keeps its frames",
            default=1.0,
            min=0.001,
            max=100.0,
            soft_min=0.01,
            soft_max=10.0,
            **shared,
        ),
    }


def take_range(scene):
    """Let a bake begin and end with the timeline, unless its frames were chosen before."""
    group = scene.vbd
    if not (group.is_property_set("frame_start") or group.is_property_set("frame_end")):
        if (scene.frame_start, scene.frame_end) != (group.frame_start, group.frame_end):
            group.frame_start, group.frame_end = scene.frame_start, scene.frame_end


def end_timeline(scene, last):
    """Let a timeline that the user has not set end with the last frame of a bake; yields a sentence
    about it, or about frames behind the bake.
    """
    unset = bpy.types.Scene.bl_rna.properties["frame_end"].default
    if scene.frame_end in (unset, scene.vbd.timeline_end) and last > scene.frame_start:
        if scene.frame_end != last:
            scene.frame_end = last
            yield message("report.timeline_ends", frame=last)
        scene.vbd.timeline_end = last
    elif scene.frame_end > last:
        yield message("report.timeline_is_longer", end=scene.frame_end, last=last)


def frame_time(scene):
    """Simulated time [s] from one frame to the next."""
    return scene.vbd.time_scale * scene.render.fps_base / scene.render.fps


def refresh_frame(scene):
    """Evaluate the shown frame again, after its animation has changed, and notify handlers of
    changes, which ignore a change of frame.
    """
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    scene.update_tag()
