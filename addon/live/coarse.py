# SPDX-License-Identifier: GPL-3.0-or-later
"""The coarse preview: fewer cells, contact vertices and iterations while the scene is read."""

from contextlib import contextmanager

FEWEST_CELLS, MOST_CONTACT_VERTICES, FEWEST_ITERATIONS = 4, 1000, 5


@contextmanager
def lowered(scene, objects):
    """Context in which the scene and its objects have the settings of the coarse preview."""
    before = []

    def lower(group, name, value):
        if value < getattr(group, name) and group.id_data.is_editable:
            before.append((group, name, group.is_property_set(name), getattr(group, name)))
            setattr(group, name, value)

    try:
        lower(scene.vbd, "iterations", max(scene.vbd.iterations // 2, FEWEST_ITERATIONS))
        for ob in objects:
            if ob.vbd.role == "SOFT":
                lower(ob.vbd, "resolution", max(ob.vbd.resolution // 2, FEWEST_CELLS))
                lower(ob.vbd, "contact_vertices", MOST_CONTACT_VERTICES)
        yield
    finally:
        for group, name, was_set, value in before:
            setattr(group, name, value)
            if not was_set:
                group.property_unset(name)
