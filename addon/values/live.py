# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of Live, and of the bake or Live that runs."""

from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty

from .declared import OVERRIDABLE


def live_properties():
    """Annotations for `scene.vbd`."""
    return {
        "live_coarse": BoolProperty(
            name="Coarse Preview",
            description="Live uses half the cells and iterations, and few contact vertices, to be "
            "faster. Bake always uses the full numbers",
            default=False,
            options=set(),
            override=OVERRIDABLE,
        ),
        "pull_strength": FloatProperty(
            name="Pull Strength",
            description="Factor on the force of the Pull tool. At 1, a body that hangs on the "
            "mouse stretches the pull by a fifth of its size",
            default=1.0,
            min=0.001,
            max=1000.0,
            soft_min=0.1,
            soft_max=10.0,
            options=set(),
            override=OVERRIDABLE,
        ),
        "live_bake": StringProperty(
            name="Live Bake",
            description="Identifier of the frames that Live made",
            options={"HIDDEN"},
            override=OVERRIDABLE,
        ),
    }


def running_properties():
    """Annotations for `window_manager.vbd`."""
    return {
        "baking": BoolProperty(
            name="Baking", description="A bake is running", options={"SKIP_SAVE", "HIDDEN"}
        ),
        "progress": FloatProperty(
            name="Progress",
            description="Part of the bake that is done",
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            options={"SKIP_SAVE", "HIDDEN"},
        ),
        "status": StringProperty(
            name="Status", description="What the bake says", options={"SKIP_SAVE", "HIDDEN"}
        ),
        "cancel_requested": BoolProperty(
            name="Cancel Requested",
            description="The bake stops after the substep it is in",
            options={"SKIP_SAVE", "HIDDEN"},
        ),
        "live": BoolProperty(
            name="Live", description="Live is running", options={"SKIP_SAVE", "HIDDEN"}
        ),
        "paused": BoolProperty(
            name="Paused", description="Live holds a frame", options={"SKIP_SAVE", "HIDDEN"}
        ),
        "start_over": BoolProperty(
            name="Start Over",
            description="Live begins again from the first frame",
            options={"SKIP_SAVE", "HIDDEN"},
        ),
        "loop": BoolProperty(
            name="Loop",
            description="Start over after the last frame",
            default=False,
            options={"SKIP_SAVE"},
        ),
        "shown_frame": IntProperty(
            name="Shown Frame",
            description="The frame of the running bake that the viewport shows",
            options={"SKIP_SAVE", "HIDDEN"},
        ),
    }
