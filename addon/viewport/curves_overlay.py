# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of the bake in a corner of the viewport: error, energies and time of every frame.

They grow while a bake runs, and a line marks the shown frame.
"""

from dataclasses import dataclass

import blf
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..baking.frame_numbers import FRAME_COLUMNS, numbers_in
from ..files.saving_statistics import played_cache
from ..playing.preview import shown_frame

WIDTH, HEIGHT, GAP, MARGIN = 260.0, 70.0, 8.0, 14.0
TEXT, NUMBERS = 11.0, 52.0
BACKGROUND = 0.05, 0.05, 0.05, 0.65
WHITE, GRAY, CURSOR = (1.0, 1.0, 1.0, 0.9), (0.65, 0.65, 0.65, 1.0), (1.0, 1.0, 1.0, 0.5)
YELLOW, BLUE, GREEN = (1.0, 0.8, 0.2, 1.0), (0.35, 0.65, 1.0, 1.0), (0.4, 0.9, 0.45, 1.0)
RED = 1.0, 0.4, 0.35, 1.0
# Powers of ten below the largest value in a logarithmic plot.
DECADES = 4.0


@dataclass(frozen=True)
class Plot:
    """A title, and curves with their names and colors, by columns of the statistics."""

    title: str
    curves: tuple
    is_logarithmic: bool = False


ERROR = Plot("Error (mm)", (("error", "", YELLOW),), is_logarithmic=True)
RESIDUAL = Plot("Residual", (("residual", "", YELLOW),), is_logarithmic=True)
ENERGY = Plot(
    "Energy (J)",
    (
        ("kinetic_energy", "kinetic", RED),
        ("elastic_energy", "elastic", BLUE),
        ("contact_energy", "contact", YELLOW),
        ("gravitational_energy", "height", GREEN),
    ),
)
TIME = Plot(title="Time per frame (s)", curves=(("seconds", "", BLUE),))


def columns_of(frames):
    """Arrays by column, NaN for missing values, and `frame`; potential energies are relative to
    their minimum.
    """
    names = ("frame", *FRAME_COLUMNS)
    columns = {
        name: np.array([np.nan if f[name] is None else f[name] for f in frames], np.float64)
        for name in names
    }
    height = columns["gravitational_energy"]
    if np.isfinite(height).any():
        columns["gravitational_energy"] = height - np.nanmin(height)
    return columns


def plots_for(columns):
    """The plots, from the lowest; that of the residual if no error is known."""
    return TIME, ENERGY, ERROR if np.isfinite(columns["error"]).any() else RESIDUAL


def span(values, is_logarithmic):
    """Lowest and highest value to show, as exponents if logarithmic; None for no values."""
    values = values[np.isfinite(values)]
    if is_logarithmic:
        values = np.log10(values[values > 0.0])
    if not len(values):
        return None
    high = float(values.max())
    low = max(float(values.min()), high - DECADES) if is_logarithmic else min(0.0, values.min())
    return (low, high) if high > low else (low, low + 1.0)


def placed(frames, values, limits, is_logarithmic):
    """Points [n, 2] of a curve in the unit square, without missing values."""
    values = np.array(values)
    if is_logarithmic:
        values = np.log10(np.where(values > 0.0, values, np.nan))
    known = np.isfinite(values)
    low, high = limits
    width = max(frames[-1] - frames[0], 1.0)
    points = np.stack([(frames - frames[0]) / width, (values - low) / (high - low)], axis=1)
    return np.clip(points[known], 0.0, 1.0)


def limit_text(limit, is_logarithmic):
    """A limit of the values in words."""
    return f"{10.0**limit if is_logarithmic else limit:.2g}"


class _Read:
    """The frames that were read last; only newer ones are read."""

    def __init__(self):
        self.key, self.changed, self.frames = None, None, []

    def of(self, cache):
        """The numbers of all whole frames."""
        header, changed = cache.header, cache.folder.stat().st_mtime_ns
        key = cache.folder, header.bake, header.frame_start
        finished = len(self.frames)
        if (key, changed) != (self.key, self.changed):
            finished = cache.finished()
        if key != self.key or finished < len(self.frames):
            self.frames = []
        self.key, self.changed = key, changed
        for index in range(len(self.frames), finished):
            self.frames.append(numbers_in(cache, index))
        return self.frames


read = _Read()


def draw_curves(context):
    """Draw the plots, one above the other, in the lower left corner of a region."""
    try:
        frames = read.of(played_cache(context.scene))
    except (ValueError, OSError):
        return
    if len(frames) < 3:
        return
    columns, scale = columns_of(frames), context.preferences.system.ui_scale
    left = MARGIN * scale + _left_of(context)
    bottom = MARGIN * scale
    gpu.state.blend_set("ALPHA")
    for plot in plots_for(columns):
        _draw_plot(plot, columns, (left, bottom), scale, shown_frame(context))
        bottom += (HEIGHT + TEXT + 2.0 * GAP) * scale
    gpu.state.blend_set("NONE")


def _left_of(context):
    """Right edge of the tool bar, which lies over the view."""
    tools = next((r for r in context.area.regions if r.type == "TOOLS"), None)
    overlaps = context.preferences.system.use_region_overlap
    return tools.width if tools and overlaps and tools.width > 1 else 0


def _draw_plot(plot, columns, corner, scale, current):
    start, bottom = corner
    width, height, gap = WIDTH * scale, HEIGHT * scale, GAP * scale
    left, top = start + NUMBERS * scale, bottom + height
    head = top + 0.5 * gap
    box = (start - 0.5 * gap, bottom - 0.5 * gap), (left + width + 0.5 * gap, head + TEXT * scale)
    _rectangle(*box, BACKGROUND)
    end = _text(plot.title, start, head, scale, WHITE)
    log, frames = plot.is_logarithmic, columns["frame"]
    limits = span(np.concatenate([columns[name] for name, _, _ in plot.curves]), log)
    if limits is None:
        return
    for name, label, color in plot.curves:
        points = placed(frames, columns[name], limits, log)
        if len(points) > 1:
            _line(points * (width, height) + (left, bottom), color)
        if label:
            end = _text(label, end + gap, head, scale, color)
    fraction = (current - frames[0]) / max(frames[-1] - frames[0], 1.0)
    if 0.0 <= fraction <= 1.0:
        x = left + fraction * width
        _line(np.array([(x, bottom), (x, top)]), CURSOR)
    for limit, y in zip(limits, (bottom, top - TEXT * scale), strict=True):
        _text(limit_text(limit, log), start, y, scale, GRAY)


def _rectangle(low, high, color):
    (x, y), (right, top) = low, high
    corners = [(x, y), (right, y), (right, top), (x, top)]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "TRI_FAN", {"pos": [(*c, 0.0) for c in corners]})
    shader.uniform_float("color", color)
    batch.draw(shader)


def _line(points, color):
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    flat = np.concatenate([points, np.zeros((len(points), 1))], axis=1).astype(np.float32)
    batch = batch_for_shader(shader, "LINE_STRIP", {"pos": flat})
    shader.uniform_float("color", color)
    gpu.state.line_width_set(1.5)
    batch.draw(shader)
    gpu.state.line_width_set(1.0)


def _text(text, x, y, scale, color):
    """Draw a text; returns the position of its end."""
    blf.size(0, TEXT * scale)
    blf.position(0, x, y + 1.0, 0.0)
    blf.color(0, *color)
    blf.draw(0, text)
    return x + blf.dimensions(0, text)[0]
