# SPDX-License-Identifier: GPL-3.0-or-later
"""Force fields made of a texture, after Blender's effect.cc (do_texture_effector)."""

from queue import Empty, Queue

import bpy
import numpy as np

from ...solver.messages import message
from ..objects import read_mesh
from ..objects.identity import found, identity
from ..objects.units import unit_scale
from .reader import PATIENCE, Stopped, moves

# Sample points that reveal a change of a texture.
PROBES = np.stack(np.meshgrid(*[(-0.7, 0.1, 0.8)] * 3), axis=-1).reshape(-1, 3)


class Questions:
    """Questions of the solver's thread that need Blender, for the main thread to answer."""

    def __init__(self, reader):
        self.reader = reader  # it knows when to stop and how to wake the main thread
        self.waiting, self.answers = Queue(), Queue()

    def ask(self, question):
        """Return the result of `question()` in the main thread; called in the solver's."""
        self.waiting.put(question)
        self.reader.wake()
        while True:
            try:
                answer = self.answers.get(timeout=PATIENCE)
            except Empty:
                if self.reader.stop.is_set():
                    raise Stopped from None
                continue
            if isinstance(answer, ValueError):
                raise answer
            return answer

    def answer(self, aside):
        """Answer a waiting question, if any, in the context `aside()`; for the main thread."""
        if self.waiting.empty():
            return
        question = self.waiting.get_nowait()
        try:
            with aside():
                answer = question()
        except ValueError as error:
            answer = error
        self.answers.put(answer)


def has_colors(texture):
    """Return whether a texture has colors, not just an intensity."""
    if texture.use_color_ramp or texture.use_nodes or texture.type in {"IMAGE", "MAGIC"}:
        return True
    if texture.type == "CLOUDS":
        return texture.cloud_type == "COLOR"
    return texture.type == "VORONOI" and texture.color_mode != "INTENSITY"


def does_nothing(field):
    """The reason why a field with a texture has no effect, or None."""
    if field.texture is None:
        return message("note.no_texture")
    by_colors = field.texture_mode == "RGB" and has_colors(field.texture)
    if not by_colors and field.texture_nabla == 0.0:
        return message("note.no_nabla")
    return None


def accelerations(evaluate, points, mode, colors, nabla):
    """Accelerations by a texture of strength 1 at `points` [point, 3] in its own space; [point, 3].

    `evaluate` returns red, green, blue and intensity there, [point, 4]. RGB: 0.5 − color. Otherwise
    by forward differences over a length of `nabla`: down the gradient of the intensity, or the curl
    of the colors.
    """
    if colors and mode == "RGB":
        return 0.5 - evaluate(points)[:, :3]
    if nabla == 0.0:
        return np.zeros_like(points)
    steps = np.concatenate([np.zeros((1, 3)), nabla * np.eye(3)])
    values = evaluate((points + steps[:, None]).reshape(-1, 3)).reshape(4, -1, 4)
    change = (values[1:] - values[0]) / nabla  # [axis, point, color]
    if mode == "GRADIENT" or not colors:
        bright = change[..., :3].mean(axis=2) if colors else change[..., 3]
        return -bright.T
    (_, g_x, b_x), (r_y, _, b_y), (r_z, g_z, _) = (change[axis, :, :3].T for axis in range(3))
    return np.stack([b_y - g_z, r_z - b_x, g_x - r_y], axis=1)


def texture_of(gathered, ob, depsgraph):
    """Acceleration by the texture of a force field, a function of time [s] and of points [m]; None
    without a texture.
    """
    if ob.field.type != "TEXTURE":
        return None
    field, scale = ob.field, unit_scale(depsgraph.scene)
    name, mode, nabla = field.texture.name, field.texture_mode, field.texture_nabla
    colors, flat, own_space = has_colors(field.texture), field.use_2d_force, field.use_object_coords
    animated = field.texture.animation_data is not None
    key, reader, questions = identity(ob), gathered.reader, gathered.questions
    place, moving = ("texture of", key), moves(ob)

    def matrix(depsgraph):
        return read_mesh.matrix(found(key).evaluated_get(depsgraph))

    start = matrix(depsgraph)
    if moving:
        reader.follow(place, matrix, start)

    def texture(time, points):
        to_world = reader.at(place, time) if moving else start
        axis = to_world[:3, 2] / np.linalg.norm(to_world[:3, 2])
        inside = points / scale
        if own_space:
            inside = read_mesh.transformed(np.linalg.inv(to_world), inside)
            inside[:, 2] *= not flat
        elif flat:
            inside -= np.outer(inside @ axis, axis)
        frame = reader.frame_start + round(time / reader.frame_time)

        def evaluate():
            return accelerations(
                lambda places: _evaluated(name, places, frame if animated else None),
                inside,
                mode,
                colors,
                nabla,
            )

        push = questions.ask(evaluate)
        return push - np.outer(push @ axis, axis) if flat else push

    texture.made_of = [_evaluated(name, PROBES, None), mode, nabla, flat, own_space, start]
    return texture


def _evaluated(name, points, frame):
    """Colors and intensity of a texture at points, [point, 4], in a frame if it is animated."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    texture = bpy.data.textures.get(name)
    if texture is None:
        raise ValueError(message("animation.texture_gone", name=name))
    return np.array([texture.evaluate(point) for point in points.tolist()])
