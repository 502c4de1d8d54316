# SPDX-License-Identifier: GPL-3.0-or-later
"""Live in the sidebar: its rate and buttons, and the pulls."""

from ..live.pulls import Recorded
from ..live.session import LiveSession


def draw_live(layout, state):
    """Draw the rate of Live, and its buttons."""
    layout.label(text=state.status, translate=False)
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator("vbd.cancel_bake", text="Stop", icon="SNAP_FACE")
    pauses = {"text": "Go On", "icon": "PLAY"} if state.paused else {"icon": "PAUSE"}
    row.operator("vbd.pause", **pauses)
    row = layout.row(align=True)
    row.operator("vbd.start_over", icon="REW")
    row.prop(state, "loop", toggle=True, icon="FILE_REFRESH")
    for index, pull in enumerate(LiveSession.current.pulls.pins() if LiveSession.current else ()):
        row = layout.row(align=True)
        row.label(text=f"{pull.body}: {pull.vertex}", icon="PINNED", translate=False)
        row.operator("vbd.release_pull", text="", icon="X").index = index


def draw_pulls(layout, context):
    """Draw the button that keeps the pulls of the last Live, if there are some."""
    if Recorded.of(context.scene):
        layout.operator("vbd.keep_pulls", icon="KEYINGSET")
