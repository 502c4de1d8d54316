# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves with so few points that the drawn shape is not the simulated one: notes about them."""

from ...solver.messages import message

# Ropes of 2, 4 and 5 points are drawn up to 10 cm deep in their support, none from 7 on.
ENOUGH = 7


def notes(ob):
    """Sentences about the points of a curve: Blender draws smoothly between the simulated points,
    and a NURBS spline cannot even pass through all of them.
    """
    if ob.type != "CURVE":
        return
    smooth = [spline for spline in ob.data.splines if spline.type != "POLY"]
    fewest = min((len(s.bezier_points) or len(s.points) for s in smooth), default=ENOUGH)
    if fewest < ENOUGH:
        yield (message("note.few_points", name=ob.name, count=fewest))
