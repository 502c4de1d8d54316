# SPDX-License-Identifier: GPL-3.0-or-later
"""Static or dynamic friction of pairs (kernels/contact/friction_choice.py)."""

from ..kernels.contact import friction_choice as kernels

# Rough cost of a pair [ns].
PAIR = 5.0


def has_static_friction(model):
    """Return whether static friction differs from dynamic friction anywhere."""
    return len(model.contact_model.state.static_friction) > 0


def marking(model):
    """Return launches that find the vertices of pairs that slide; none where all contacts have
    equal static and dynamic friction.
    """
    if not has_static_friction(model):
        return []
    lists, sliding = model.lists, model.contact_model.state.sliding
    inputs = [lists.pairs, lists.pulled, lists.counts, model.contact_model.law.slip]
    mark = _record(model, kernels.mark_sliding, inputs, [sliding])
    return [sliding.zero_, mark, *choosing(model)]


def choosing(model):
    """Return launches that give all pairs the friction of this step, where `marking` has any."""
    if not has_static_friction(model):
        return []
    lists, contact = model.lists, model.contact_model
    inputs = [lists.pulled, lists.counts, contact.state, contact.law.slip]
    return [_record(model, kernels.choose_friction, inputs, [lists.pairs, lists.touches])]


def _record(model, kernel, inputs, outputs):
    lists = model.lists
    extent = lists.capacity, lists.expected
    return model.launches.record_list(kernel, *extent, inputs, outputs, PAIR)
