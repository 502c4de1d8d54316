# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact force on a vertex in scenes with embedded surfaces.

As in contact.py, but the surface vertices of a pair may be sums of vertices: the generalized force
on vertex i is (Σ_c w_c ∂x_c/∂x_i) f with the weights w_c of the pair's surface vertices x_c.
"""

import warp as wp

from .contact import ContactLaw, Contacts, force_stiffness, touches_after
from .embedding import Embedding, point_place, share_of, share_of_range
from .pairs import Pair

wp.set_module_options({"enable_backward": False})

NEVER = wp.constant(1.0e30)
# Corners of a pair. Their loops are not ranges of constant length: unrolled, they would take
# minutes to compile for a GPU.
CORNERS = wp.constant(4)


@wp.func
def weight_in_pair(i: int, pair: Pair, embedding: Embedding):
    """Weight of vertex i in the pair's gap, and the first of the four corners that it moves."""
    weight = float(0.0)
    first = int(CORNERS)
    c = int(0)
    while c < CORNERS:
        part = pair.weights[c] * share_of(i, pair.vertices[c], embedding)
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
    x_start: wp.array[wp.vec3],
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
            pair = contacts.pairs[contacts.entry[k] / 4]
            weight, first = weight_in_pair(i, pair, embedding)
            closing = wp.vec4(0.0, 0.0, 0.0, NEVER)
            if first == contacts.entry[k] % 4:
                gap = wp.vec3(0.0)
                motion = wp.vec3(0.0)
                together = float(0.0)
                c = int(0)
                while c < CORNERS:
                    v = pair.vertices[c]
                    x_v = place_for(i, v, x, embedding)
                    gap += pair.weights[c] * (x_v - x[i])
                    motion += pair.weights[c] * (x_v - x_start[v])
                    together += wp.abs(pair.weights[c]) * share_of_range(
                        color[0], color[1], v, embedding
                    )
                    c += 1
                d = wp.dot(pair.normal, gap)
                toward = weight * pair.normal
                if pair.leads != 0:
                    closing = wp.vec4(0.0, 0.0, 0.0, -1.0)
                    force += (weight * pair.stiffness * (pair.radius - d)) * pair.normal
                    hessian += (wp.abs(weight) * pair.stiffness) * wp.outer(
                        pair.normal, pair.normal
                    )
                else:
                    closing = wp.vec4(toward[0], toward[1], toward[2], d - pair.radius)
                    if touches_after(closing, step):
                        f, h = force_stiffness(
                            pair.normal, d, pair.radius, motion, pair.friction, pair.stiffness, law
                        )
                        force += weight * f
                        hessian += (wp.abs(weight) * wp.max(together, wp.abs(weight))) * h
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
