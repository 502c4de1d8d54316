# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks of the examples: materials, light, camera, and pictures rendered with Cycles."""

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

PICTURE_SIZE = (480, 360)
SAMPLES = 12
STILL_SIZE, STILL_SAMPLES = (1280, 800), 24
MOTION_SIZE, MOTION_SAMPLES, MOTION_QUALITY = (480, 300), 8, 72


def smooth(ob, subdivisions=0, thickness=0.0):
    """Smooth shading, and modifiers that only make the picture finer."""
    ob.data.shade_smooth()
    if subdivisions:
        modifier = ob.modifiers.new("Subdivision", "SUBSURF")
        modifier.levels = modifier.render_levels = subdivisions
    if thickness:
        modifier = ob.modifiers.new("Thickness", "SOLIDIFY")
        modifier.thickness, modifier.offset = thickness, 0.0


def color(ob, base, roughness=0.5, metallic=0.0, stripes=None, sheen=0.0, subsurface=0.0):
    """A plain material; `stripes` is the color of stripes along the height of the object."""
    material = bpy.data.materials.new(ob.name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*base, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Metallic"].default_value = metallic
    shader.inputs["Sheen Weight"].default_value = sheen
    shader.inputs["Subsurface Weight"].default_value = subsurface
    shader.inputs["Subsurface Radius"].default_value = (0.1, 0.05, 0.03)
    material.diffuse_color = (*base, 1.0)
    if stripes:
        # Generated coordinates stay with the rest shape, so the stripes move with the cloth.
        place = nodes.new("ShaderNodeTexCoord")
        checker = nodes.new("ShaderNodeTexWave")
        checker.bands_direction = "X"
        checker.inputs["Scale"].default_value = 1.6
        ramp = nodes.new("ShaderNodeValToRGB")
        ramp.color_ramp.interpolation = "CONSTANT"
        ramp.color_ramp.elements[0].color = (*base, 1.0)
        ramp.color_ramp.elements[1].color = (*stripes, 1.0)
        ramp.color_ramp.elements[1].position = 0.8
        links.new(place.outputs["Generated"], checker.inputs["Vector"])
        links.new(checker.outputs["Color"], ramp.inputs["Fac"])
        links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
    ob.data.materials.append(material)


def wood(name, base):
    """A material with grain along x of every object, of a color and a darker one."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    place, stretch = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeMapping")
    noise, ramp = nodes.new("ShaderNodeTexNoise"), nodes.new("ShaderNodeValToRGB")
    each, shift = nodes.new("ShaderNodeObjectInfo"), nodes.new("ShaderNodeVectorMath")
    stretch.inputs["Scale"].default_value = (3.0, 3.0, 60.0)
    noise.inputs["Scale"].default_value, noise.inputs["Detail"].default_value = 1.5, 6.0
    ramp.color_ramp.elements[0].color = (*(0.35 * c for c in base), 1.0)
    ramp.color_ramp.elements[1].color = (*base, 1.0)
    ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = 0.3, 0.65
    shift.operation = "ADD"
    links.new(place.outputs["Object"], stretch.inputs["Vector"])
    links.new(stretch.outputs["Vector"], shift.inputs[0])
    links.new(each.outputs["Random"], shift.inputs[1])  # no two boards alike
    links.new(shift.outputs["Vector"], noise.inputs["Vector"])
    links.new(noise.outputs[0], ramp.inputs["Fac"])
    shader = nodes["Principled BSDF"]
    links.new(ramp.outputs["Color"], shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = 0.6
    return material


def mixed_colors(grains, colors, roughness=0.35):
    """A material that gives every grain of an object one of `colors`."""
    color(grains, colors[0], roughness)
    material = grains.active_material
    nodes, links = material.node_tree.nodes, material.node_tree.links
    each, ramp = nodes.new("ShaderNodeObjectInfo"), nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "CONSTANT"
    for number, base in enumerate(colors):
        at = ramp.color_ramp.elements
        element = at[number] if number < 2 else at.new(number / len(colors))
        element.position, element.color = number / len(colors), (*base, 1.0)
    links.new(each.outputs["Random"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    group = grains.modifiers["VBD Grains"].node_group
    group.nodes["Material"].inputs["Material"].default_value = material


def light_and_camera(scene, place=(0.1, -6.3, 2.2), at=(0.1, 0.0, 0.9)):
    """A sky, two area lights, and a camera at a `place` that looks `at` another."""
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.62, 0.74, 0.92, 1.0)
    background.inputs["Strength"].default_value = 0.7
    scene.world = world
    for name, where, size, power in (
        ("Key", (-3.0, -3.5, 5.0), 2.0, 420.0),
        ("Rim", (3.5, 3.0, 3.5), 1.5, 220.0),
    ):
        light = bpy.data.lights.new(name, "AREA")
        light.size, light.energy = size, power
        lamp = bpy.data.objects.new(name, light)
        lamp.location = where
        lamp.rotation_euler = (
            (Vector((0.0, 0.0, 0.5)) - lamp.location).to_track_quat("-Z", "Y").to_euler()
        )
        scene.collection.objects.link(lamp)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = 43.0
    camera.location = place
    camera.rotation_euler = (Vector(at) - camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.view_settings.look = "AgX - Punchy"
    scene.view_settings.exposure = 0.3


@contextmanager
def quiet():
    """Cycles tells every step of its work to the terminal, past Python; leave that out."""
    sys.stdout.flush()
    terminal, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(terminal, 1)
        os.close(terminal)
        os.close(nothing)


def use_cycles(scene, size, samples):
    """Render with Cycles on the CPU, denoised."""
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces = 4
    scene.render.use_persistent_data = True
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.image_settings.file_format = "PNG"


def render_frame(scene, frame, path):
    print(f"rendering frame {frame}", flush=True)
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    with quiet():
        bpy.ops.render.render(write_still=True)


def render_still(scene, frame, path):
    """Render one large picture."""
    use_cycles(scene, STILL_SIZE, STILL_SAMPLES)
    render_frame(scene, frame, path)


def render_motion(scene, frames, path):
    """Render frames to an animated picture that repeats, with Pillow."""
    from PIL import Image

    use_cycles(scene, MOTION_SIZE, MOTION_SAMPLES)
    with tempfile.TemporaryDirectory() as folder:
        pictures = []
        for frame in frames:
            file = Path(folder) / f"{frame}.png"
            render_frame(scene, frame, file)
            with Image.open(file) as image:
                pictures.append(image.convert("RGB"))
    time = 1000 * scene.render.fps_base / scene.render.fps
    # The last picture stands for a second.
    times = [round(time)] * (len(pictures) - 1) + [1000]
    first, *others = pictures
    first.save(
        path, save_all=True, append_images=others, duration=times, loop=0, quality=MOTION_QUALITY
    )


def render_strip(scene, frames, path):
    """Render `frames` and put them side by side in one picture."""
    use_cycles(scene, PICTURE_SIZE, SAMPLES)
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in frames:
            file = Path(folder) / f"{frame}.png"
            render_frame(scene, frame, file)
            image = bpy.data.images.load(str(file))
            pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
            image.pixels.foreach_get(pixels)
            pictures.append(pixels.reshape(image.size[1], image.size[0], 4))
            bpy.data.images.remove(image)
    strip = np.concatenate(pictures, axis=1)
    image = bpy.data.images.new("Strip", strip.shape[1], strip.shape[0])
    image.pixels.foreach_set(strip.ravel())
    image.filepath_raw = str(path)
    image.file_format = "JPEG" if Path(path).suffix == ".jpg" else "PNG"
    image.save()
    bpy.data.images.remove(image)
