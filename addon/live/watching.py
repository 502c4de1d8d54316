# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the scene while Live runs, found without reading the shape of a mesh."""

import time

from ..baking import outdated
from ..gathering.attaching import kinematic_targets
from ..gathering.force_fields import field_objects
from ..gathering.reader import is_carried
from ..objects.participants import participants

# Properties that choose the vertices: after a change of them, Live starts over.
FIXED = ("role", "resolution", "contact_vertices", "keep_coarse", "stack_place", "stack_modifier")
# Interval of the checks, and how long the scene must rest after a change before it is used [s].
EVERY, REST = 0.1, 0.2
# With many objects checks are as much rarer as keeps them below this fraction of the time.
SHARE = 0.1


class SceneWatch:
    """Compares the scene with what the simulation reads when this is made; `weights` is the
    `WeightWatch` of all runs.
    """

    def __init__(self, scene, weights, clock=time.monotonic):
        self.scene, self.clock, self.weights = scene, clock, weights
        self.known = self.seen = self._now()
        self.next = self.since = clock()
        # True if the last changes need other vertices.
        self.starts_over = False

    def changes(self):
        """Labels of settings and objects that have changed and now rest; empty without any."""
        now = self.clock()
        if now < self.next:
            return []
        state = self._now()
        self.next = now + max(EVERY, (self.clock() - now) / SHARE)
        if state != self.seen:
            self.seen, self.since = state, now
        if self.seen == self.known or now - self.since < REST:
            return []
        (settings, others), (was, others_were) = self.seen, self.known
        labels = outdated.labels_of_changes(self.scene, was, settings)
        self.starts_over = _fixed(settings) != _fixed(was)
        labels += [
            name for name in others | others_were if others.get(name) != others_were.get(name)
        ]
        self.known = self.seen
        return list(dict.fromkeys(map(str, labels)))

    def _now(self):
        """All settings, and by name the places of objects that stand still, counts of changes of
        their weights, and fields.
        """
        others, objects = {}, participants(self.scene)
        self.weights.look(objects)
        for ob in (*objects, *kinematic_targets(objects), *field_objects(self.scene)):
            place = () if is_carried(ob) else tuple(map(tuple, ob.matrix_world))
            others[ob.name] = place, self.weights.changes[ob.name], _numbers(ob.field)
        return outdated.now(self.scene), others


def _fixed(settings):
    """The values that choose the vertices, by object."""
    return {
        owner: [values[name] for name in FIXED if name in values]
        for owner, values in settings.items()
    }


def _numbers(field):
    """The numbers of a force field."""
    if field is None or field.type == "NONE":
        return ()
    known = (p for p in field.bl_rna.properties if p.type in outdated.KINDS - {"POINTER"})
    return tuple((p.identifier, getattr(field, p.identifier)) for p in known)
