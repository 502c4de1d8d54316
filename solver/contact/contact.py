# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact between surfaces: the interface for the other stages of a step."""

import hashlib
from functools import partial

import numpy as np

from ..device.conditions import when
from ..kernels.contact.feasibility.trust_regions import NEXT, SOME, WHOLE
from ..model.contact_lists import refuse_outside
from .detection.bvh import Trees
from .detection.flat_sides import FlatColliders
from .detection.refresh import Gaps, Refresh
from .detection.search import Search
from .detection.search_schedule import SearchSchedule
from .feasibility.truncation import Truncation
from .initial.intersection_certificate import IntersectionCertificate
from .initial.intersections import Intersections
from .surface_arrays import surface_on_device


def digest_of(model):
    """Return a hash [byte] of all inputs of a search for pairs besides positions."""
    surface, digest = model.surface, hashlib.sha256()
    known = [surface.vertices, surface.edges, surface.triangles, surface.rest, surface.body]
    known += [surface.may_touch, surface.joint, surface.closed]
    for values in [*known, model.contact_model.state.radius.numpy()]:
        digest.update(np.ascontiguousarray(values).tobytes())
    return np.frombuffer(digest.digest(), np.uint8)


class Contact:
    """The contact of a model's surfaces.

    `lists` are its pairs, `struct` and `trees` the surfaces on the device. New positions go to
    `candidate` [vertex, m], and `settle` moves the vertices there as far as truncation allows.
    """

    state_name = "contact"

    def __init__(self, model, names, settings):
        self.model, self.lists = model, model.lists
        self.struct = surface_on_device(model.surface, model.free_count, model.x, model.upload)
        self.flat_colliders = FlatColliders(model.surface, self.struct, model.upload)
        gaps = Gaps(model)
        self.truncation = Truncation(model, self.struct, gaps, settings)
        self.regions = self.truncation.regions
        x_search = self.regions.struct.x_search
        self.trees, self.pair_search = (
            kind(model, self.struct, x_search) for kind in (Trees, Search)
        )
        self.refreshing = Refresh(model, gaps)
        self.intersections = Intersections(model, self.struct, names, settings)
        self.certificate = IntersectionCertificate(model, self.struct, self.truncation)
        # Device values that the host may read at any time: on the CPU, from the same memory.
        known = {"frame_continues": model.frame_continues, **self.lists.reported}
        self.host_views = {n: a.numpy() for n, a in known.items()} if model.device.is_cpu else {}
        # True where nothing intersects in this frame, and where something may in the next one.
        self.clear, self.suspicious = False, True
        # Hash of a search's inputs besides positions; true where it has not changed.
        self.digest, self.is_known = digest_of(model), True

    @property
    def candidate(self):
        """Positions that vertices are to move to [m], shape [vertex, 3]."""
        return self.truncation.candidate

    @property
    def count(self):
        """Number of pairs."""
        return self.lists.count

    @property
    def revision(self):
        """Number that rises when lists are replaced and launches must be recorded again."""
        return self.lists.revision

    @property
    def needs_search(self):
        """Array of one int: 1 if a vertex has used up its slack since the last search."""
        return self.truncation.needs_search

    def search_schedule(self, every, **how):
        """Return a `SearchSchedule` of this contact."""
        return SearchSchedule(self.truncation, every, **how)

    def begin_frame(self, colliders_move=True):
        """Reset the counts of a frame."""
        self.trees.colliders_move = colliders_move
        self.trees.sort_grains()
        self.refreshing.begin_frame(colliders_move)
        if not self.trees.is_fitted:  # free flight queries the colliders
            self.trees.fit()
        self.lists.begin_frame()
        self.struct.facing.zero_()  # set only in frames with a check, as in a new run
        self.pair_search.is_first_search.fill_(1)
        self.clear = False

    def check(self):
        """Check for intersections on the host, before every substep while there may be any."""
        may_intersect = self.suspicious or not self.truncation.on
        if self.clear or not may_intersect or not self.model.frame_continues.numpy()[0]:
            return
        was_settled = self.intersections.is_settled
        with self.regions.without():
            self.trees.fit()
            self.intersections.check()
        self.lists.separate(self.intersections.separating)
        self.clear = not self.intersections.found and self.truncation.on
        if not (was_settled and self.intersections.is_settled):
            self.regions.invalidate()
        self.trees.fit()

    def find_certificate(self):
        """Find on the device whether the end of a frame is certainly free of intersections."""
        self.certificate.find()

    def _is_clear(self):
        """Return whether float32 sees no intersection now."""
        with self.regions.without():
            self.trees.fit()
            is_suspicious = self.intersections.is_suspicious()
        self.trees.is_fitted = False  # to trust regions
        return not is_suspicious

    @property
    def reported(self):
        """Numbers that a frame reports."""
        return self.lists.reported

    def begin_step(self):
        """Reset the displacements of vertices, and the limits that ended their steps."""
        self.truncation.begin_step()
        self.refreshing.gaps.begin_step(self.model.x)

    def ensure_capacity(self, numbers):
        """Grow lists by the `numbers` of the last frame; return whether it had enough capacity."""
        self.lists.take(numbers["counts"])
        if numbers["frame_continues"][0]:
            is_unknown, is_excluded = numbers["uncertain"] != 0
            is_clear = not (is_unknown or is_excluded) or self._is_clear()
            if is_unknown:
                self.regions.invalidate()
            self.suspicious = not (self.intersections.is_settled and is_clear)
        had_capacity = self._ensure_capacity(numbers["needed"])
        self.lists.needed.zero_()
        return had_capacity

    def ensure_capacity_early(self):
        """Grow lists between two substeps to the largest number so far, unless the rest of the
        frame is skipped. On a GPU the host would have to wait for that number.
        """
        if self.host_views and self.host_views["frame_continues"][0]:
            self.lists.take(self.host_views["counts"])
            self._ensure_capacity(self.host_views["needed"])

    def _ensure_capacity(self, needed):
        *slots, pairs = needed.astype(int).tolist()
        had_slots = self.pair_search.ensure_capacity(slots)
        return self.lists.ensure_capacity(pairs) and had_slots

    @property
    def saved(self):
        """State that passes from one substep to the next."""
        struct, state = self.struct, self.model.contact_model.state
        flags = {"crosses": struct.crosses, "inside": struct.inside, "side": struct.side}
        flags["clasped"] = struct.excluded
        load = {"stiffness": state.stiffness, "multiplier": state.multiplier}
        return {**self.regions.saved, **flags, **load}

    @property
    def state_owners(self):
        """All objects with state for the next substep."""
        return [self.lists, self.pair_search, *self.intersections.state_owners, self]

    def save(self):
        """Return the state of the host at the start of a frame."""
        return {"suspicious": np.array([self.suspicious]), "asked": self.digest}

    def restore(self, saved):
        """Restore the state that `save` has returned."""
        self.suspicious = bool(saved["suspicious"].any())
        self.is_known = np.array_equal(saved.get("asked"), self.digest)

    def on_restored(self):
        """Begin the frame again with the restored state."""
        refuse_outside("inside", self.struct.inside.numpy(), self.struct.bodies + 1)
        self.clear = False
        if not self.is_known:
            self.regions.is_invalid.fill_(1)
            self.lists.pulled.zero_()  # triangles may have other numbers
            self.suspicious = True
        # Free flight queries the colliders as of the last search.
        self.trees.fit()

    def begin_approach(self):
        """Find all pairs that may touch on the way to the candidates, at the start of a step.
        Vertices whose neighborhood is known from the last step are not searched.
        """
        when(self.regions.is_invalid, self._find_whole, self._find_next)

    def _find_whole(self):
        self.approach()
        self.regions.is_invalid.zero_()

    def _find_next(self):
        self.follow()
        self.regions.begin_approach(NEXT)
        when(self.regions.any_moved, partial(self._find, NEXT), self.pair_search.update)
        self.truncation.end_search()

    def approach(self, whole=True):
        """Find all pairs that may touch on the way to the candidates, or before the next search: of
        the `whole` surface, or those of vertices without slack besides the known ones.
        """
        self._search(self.regions.begin_approach, whole)

    def search(self, whole=True):
        """Find all pairs that may touch before the next search; `whole` as in `approach`."""
        self._search(self.regions.begin_search, whole)

    def _search(self, begin, whole):
        self.follow()
        scope = WHOLE if whole else SOME
        begin(scope)
        self._find(scope)
        self.truncation.end_search()

    def _find(self, scope):
        self.trees.fit(scope)
        self.pair_search.run(scope)

    def renew_planes(self):
        """Move the planes of all pairs between their present sides. Pairs that are not listed stay
        apart as long as trust regions hold.
        """
        self.refreshing.renew_planes()
        self.forget()

    def forget(self):
        """Forget which limits ended steps, and measured gaps: the next refresh is a full one."""
        self.truncation.end_search()

    def refresh(self):
        """Update the closest points of all pairs, and the vertices on which they may act."""
        self.refreshing.run()

    def yield_to_kinematic(self):
        """Let the candidates of free vertices yield to kinematic motion."""
        self.truncation.yield_to_kinematic()

    def settle(self, first, last, together=False):
        """Move the vertices from `first` to `last` to their candidates, as far as truncation
        allows, and then the embedded points that have pairs. Rigid bodies may move `together`.
        """
        self.truncation.settle(first, last, together)
        if last > first:
            self.model.followers.listed(first, last)()
            self.truncation.turn(first, last)

    def settling(self, solve, first, last):
        """Return stages that `settle` behind the launch `solve` of the candidates of a color."""
        follow = self.model.followers.listed(first, last)
        turning = self.truncation.turning(first, last)
        stages = self.truncation.settling_behind(solve, first, last)
        return [*stages, [follow], *([launch] for launch in turning)]

    def follow(self):
        """Move all embedded points with their corners; `settle` skips those without pairs."""
        self.model.followers.follow(0, self.model.vertex_count)
