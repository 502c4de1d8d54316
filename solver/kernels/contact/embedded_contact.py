# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact force on a vertex in scenes with embedded surfaces.

As in contact.py, but the surface vertices of a pair may be sums of vertices: the generalized force
on vertex i is (Σ_c w_c ∂x_c/∂x_i) f with the weights w_c of the pair's surface vertices x_c.
"""

import warp as wp

from ..embedding import Embedding, point_place, share_of, share_of_range
from ..options import QUICK
from .law import ContactLaw, Contacts, force_stiffness, touches_after
from .pairs import Touch

wp.set_module_options(QUICK)

NEVER = wp.constant(1.0e30)
# Corners of a touch. Their loops are not ranges of constant length: unrolled, they would take
# minutes to compile for a GPU.
CORNERS = wp.constant(4)


@wp.func
def weight_in_pair(i: int, touch: Touch, embedding: Embedding):
    """Weight of vertex i in the pair's gap, and the first of the four corners that it moves."""
    weight = float(0.0)
    first = int(CORNERS)
    c = int(0)
    while c < CORNERS:
        part = touch.weights[c] * share_of(i, touch.vertices[c], embedding)
        if part != 0.0 and first == CORNERS:
            first = c
        weight += part
        c += 1
    return weight, first


@wp.func
def place_for(i: int, v: int, x: wp.array[wp.vec3], embedding: Embedding):
    """Where surface vertex v is [m], also while a line search tries places of vertex i."""
    place = x[v]
    if v >= embedding.first:
        if share_of(i, v, embedding) != 0.0:
            place = point_place(v, x, embedding)
    return place


@wp.func
def embedded_contacts_force_hessian(
    i: int,
    x: wp.array[wp.vec3],
    step: wp.vec3,
    color: wp.vec2i,
    contacts: Contacts,
    embedding: Embedding,
    law: ContactLaw,
):
    """As `contacts_force_hessian`.

    A vertex may move several corners of a pair: the first of them stands for all.
    """
    touching = int(0)
    which = int(0)
    force = wp.vec3(0.0)
    hessian = wp.mat33(0.0)
    for place in range(embedding.start[i], embedding.start[i + 1]):
        s = embedding.places[place]
        for k in range(contacts.start[s], contacts.end[s]):
            touch = contacts.touches[contacts.entry[k] / 4]
            weight, first = weight_in_pair(i, touch, embedding)
            closing = wp.vec4(0.0, 0.0, 0.0, NEVER)
            if first == contacts.entry[k] % 4:
                gap = wp.vec3(0.0)
                together = float(0.0)
                c = int(0)
                while c < CORNERS:
                    v = touch.vertices[c]
                    x_v = place_for(i, v, x, embedding)
                    gap += touch.weights[c] * (x_v - x[i])
                    together += wp.abs(touch.weights[c]) * share_of_range(
                        color[0], color[1], v, embedding
                    )
                    c += 1
                d = wp.dot(touch.normal, gap)
                toward = weight * touch.normal
                if touch.leads != 0:
                    closing = wp.vec4(0.0, 0.0, 0.0, -1.0)
                    force += (weight * touch.stiffness * (touch.radius - d)) * touch.normal
                    hessian += (wp.abs(weight) * touch.stiffness) * wp.outer(
                        touch.normal, touch.normal
                    )
                else:
                    closing = wp.vec4(toward[0], toward[1], toward[2], d - touch.radius)
                    if touches_after(closing, step):
                        f, along, drag = force_stiffness(
                            touch.normal,
                            d,
                            touch.radius,
                            gap - touch.start_gap,
                            touch.friction,
                            touch.stiffness,
                            law,
                        )
                        force += weight * f
                        share = wp.abs(weight) * wp.max(together, wp.abs(weight))
                        hessian += (share * along) * wp.outer(touch.normal, touch.normal)
                        hessian += (share * drag) * wp.identity(n=3, dtype=float)
                if touches_after(closing, step):
                    touching += 1
                    which = 31 * which + k + 1
            contacts.closing[k] = closing
    return force, hessian, touching, which


@wp.func
def embedded_contacts_after(i: int, step: wp.vec3, contacts: Contacts, embedding: Embedding):
    """As `contacts_after`."""
    which = int(0)
    for place in range(embedding.start[i], embedding.start[i + 1]):
        s = embedding.places[place]
        for k in range(contacts.start[s], contacts.end[s]):
            if touches_after(contacts.closing[k], step):
                which = 31 * which + k + 1
    return which
