# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles of objects: name, label and tooltip of each."""

ROLES = (
    ("NONE", "None", "Take no part in the simulation"),
    ("SOFT", "Soft Body", "Simulate the volume inside the mesh"),
    ("CLOTH", "Cloth", "Simulate the faces of the mesh as a thin sheet"),
    (
        "ROD",
        "Rod",
        "Simulate the edges of the mesh, or the splines of the curve, as rods or strings",
    ),
    ("COLLIDER", "Collider", "Push simulated objects away, without being moved by them"),
    # Later ones last, since files store the number of a role.
    ("RIGID", "Rigid", "Move the mesh as a whole: it falls, spins and tumbles in its shape"),
    (
        "GRAINS",
        "Grains",
        "Simulate spheres, such as sand or beads: those that fill the mesh, or, if it has no "
        "faces, one around each vertex",
    ),
)
