# SPDX-License-Identifier: GPL-3.0-or-later
"""Three cloths baked here and by Blender's own cloth, one after the other in one run.

    python benchmarks/beside_blender.py [tour] [tablecloth] [flag]

Both have their defaults but for the preset Cotton (Silk for the flag) and self contact on the
tablecloth. Prints the median and the mean time of a frame [ms], by the clock: of the solver, and of
Blender as it steps through the timeline. Compilation and loading before the first frame are not
counted.
"""

import ast
import statistics
import sys
import time

import bpy

import vbd
from vbd.addon.gathering.gather import gather, prepared
from vbd.solver.simulate import simulate

FRAMES = 60


def fresh():
    """An empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.vbd.frame_start, scene.vbd.frame_end = 1, FRAMES


def grid(x, y, size, z):
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=x, y_subdivisions=y, size=size, location=(0.0, 0.0, z)
    )
    return bpy.context.object


def tour():
    """The last step of the tour, over a rigid cube: 30 × 30 faces."""
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    plane = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 1.0))
    cube = bpy.context.object
    return grid(30, 30, 4.0, 2.5), [plane, cube], None


def tablecloth():
    """A cloth of 60 × 60 faces with self contact over a table of 2 m."""
    _cloth, others, _pins = tour()
    bpy.data.objects.remove(_cloth)
    return grid(60, 60, 4.0, 2.5), others, None


def flag():
    """A flag of 49 × 33 vertices in turbulent wind, held at one side."""
    cloth = grid(48, 32, 1.0, 2.0)
    cloth.scale, cloth.rotation_euler.x = (1.5, 1.0, 1.0), 1.5708
    bpy.ops.object.effector_add(type="WIND", location=(-3.0, 0.5, 2.0), rotation=(0.0, 1.5708, 0.0))
    bpy.context.object.field.strength = 1000.0
    bpy.ops.object.effector_add(type="TURBULENCE", location=(0.0, 0.0, 2.0))
    bpy.context.object.field.strength = 50.0
    side = [v.index for v in cloth.data.vertices if v.co.x < -0.499]
    cloth.vertex_groups.new(name="Pins").add(side, 1.0, "REPLACE")
    return cloth, [], "Pins"


SCENES = {"tour": tour, "tablecloth": tablecloth, "flag": flag}


def preset_of(name):
    return "Silk" if name == "flag" else "Cotton"


def by_vbd(name):
    """Seconds of every frame."""
    fresh()
    cloth, others, pins = SCENES[name]()
    for ob in others:
        ob.vbd.role = "COLLIDER"
    cloth.vbd.role = "CLOTH"
    load_material(cloth, preset_of(name))
    cloth.vbd.self_contact = name == "tablecloth"
    if pins:
        cloth.vbd.pin_group = pins
    objects = [*others, cloth]
    with prepared(bpy.context.scene, objects):
        gathered = gather(bpy.context, objects)
    frames = simulate(gathered.bodies, gathered.settings, gathered.frame_count)
    return [frame.stats.seconds for frame in frames]


def load_material(cloth, name):
    """Give a cloth a preset of VBD."""
    bpy.context.view_layer.objects.active = cloth
    folder = next(iter(bpy.utils.preset_paths("vbd/material/cloth")))
    with open(f"{folder}/{name}.py") as preset:
        exec(preset.read(), {"__name__": "preset"})


def by_blender(name):
    """Seconds of every frame of Blender's own cloth."""
    fresh()
    cloth, others, pins = SCENES[name]()
    for ob in others:
        ob.modifiers.new("Collision", "COLLISION")
    modifier = cloth.modifiers.new("Cloth", "CLOTH")
    for folder in bpy.utils.preset_paths("cloth"):
        with open(f"{folder}/{preset_of(name)}.py") as preset:
            lines = [line for line in preset if line.startswith("bpy.context.cloth.settings.")]
    for line in lines:
        field, value = line.removeprefix("bpy.context.cloth.settings.").split("=")
        setattr(modifier.settings, field.strip(), ast.literal_eval(value.strip()))
    modifier.collision_settings.use_self_collision = name == "tablecloth"
    if pins:
        modifier.settings.vertex_group_mass = pins
    modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, FRAMES
    scene, seconds = bpy.context.scene, []
    scene.frame_set(1)
    for frame in range(2, FRAMES + 1):
        started = time.perf_counter()
        scene.frame_set(frame)
        seconds.append(time.perf_counter() - started)
    return seconds


def main(names):
    vbd.register()
    for name in names or SCENES:
        for who, seconds in (("VBD", by_vbd(name)), ("Blender", by_blender(name))):
            median, mean = (1e3 * f(seconds) for f in (statistics.median, statistics.mean))
            print(f"{name:12}{who:10}median {median:8.1f} ms   mean {mean:8.1f} ms", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
