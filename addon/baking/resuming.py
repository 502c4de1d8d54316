# SPDX-License-Identifier: GPL-3.0-or-later
"""Saved frames of an earlier bake: the last frame, and the changes since."""

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...solver.cache import HEADER, Cache
from ...solver.fingerprint import MESH
from ...solver.messages import message
from ..gathering.gather import gather, participants, prepared
from .cache_place import cache_folder

# Resume after the last frame that exists.
EVERY_FRAME = 1 << 30
# The longest list of changes that a dialog shows.
MOST_CHANGES = 12
# The longest list of bodies in a sentence about the reason why a bake cannot resume.
MOST_TOLD = 3


@dataclass
class SavedFrames:
    """The frames of a cache up to `frame`, counted from 0, the last one to resume after."""

    cache: Cache
    frame: int
    last: int
    """The last existing frame, counted from 0."""

    @property
    def count(self):
        """Number of frames that the bake was to have."""
        return max(self.cache.header.frame_count, self.last)

    @property
    def is_partial(self):
        """Return whether the bake can resume and is not complete."""
        return 0 < self.frame < self.count

    @property
    def scene_frame(self):
        """The scene's number of the last frame to resume after."""
        return self.cache.header.frame_start + self.frame

    def restart(self):
        """The restart point for the solver; None for the input state."""
        return self.cache.restart(self.frame) if self.frame else None

    def span(self):
        """The range of saved frames, in words."""
        first = self.cache.header.frame_start
        return message("resume.span", first=first, last=first + self.last, end=first + self.count)


class Known:
    """The last result, since panels are drawn often, and folders change seldom."""

    key, found = None, None


def saved_frames(scene, folder=None):
    """The `SavedFrames` of the scene's bake up to its last restart point; None without frames."""
    folder = Path(folder or cache_folder(scene))
    try:
        key = folder, folder.stat().st_mtime_ns, (folder / HEADER).stat().st_mtime_ns
    except OSError:
        return None
    if Known.key != key:
        Known.key, Known.found = key, _read(folder)
    return Known.found


def _read(folder):
    try:
        cache = Cache.open(folder)
        last, points = cache.finished() - 1, [0, *cache.restart_points()]
        return SavedFrames(cache, points[-1], last) if last >= 0 else None
    except (OSError, ValueError):
        return None


def is_unfinished(kept):
    """Return whether a new bake would delete an unfinished bake, or the only copy of frames."""
    if kept is None or kept.last < 1:
        return False
    return kept.is_partial or not is_played(kept)


def is_played(kept):
    """Return whether an object of this file plays the `SavedFrames`."""
    bake = kept.cache.header.bake
    return any(ob.vbd.baked and ob.vbd.bake_id == bake for ob in bpy.data.objects)


def saved_until(scene, frame=None, folder=None):
    """`SavedFrames` up to a scene's frame, or as far as possible; ValueError without any.

    All frames are read as a check; those behind a broken one are left out.
    """
    cache = Cache.open(folder or cache_folder(scene))
    sound, points = cache.sound(), [0, *cache.restart_points()]
    most = sound - 1 if frame is None else min(frame - cache.header.frame_start, sound - 1)
    if sound < 1 or most < 0:
        raise ValueError(message("resume.folder_empty", folder=cache.folder))
    for point in sorted(points, reverse=True):
        if point <= most and _is_readable(cache, point):
            return SavedFrames(cache, point, sound - 1)
    raise ValueError(message("resume.folder_without_points", folder=cache.folder))


def _is_readable(cache, point):
    try:
        return point == 0 or bool(cache.restart(point).load())
    except (OSError, ValueError):
        return False


def nearest(kept, frame):
    """The scene frame after which a bake from a scene's frame resumes."""
    start = kept.cache.header.frame_start
    return start + max(p for p in (0, *kept.cache.restart_points()) if p <= max(frame - start, 0))


def refuse_unfit(kept, gathered):
    """Refuse frames of other objects, or of a bake with another first frame."""
    header = kept.cache.header
    if header.frame_start != gathered.frame_start:
        raise ValueError(
            message("resume.other_start", kept=header.frame_start, now=gathered.frame_start)
        )
    now = {t.name: len(p) for t, p in zip(gathered.targets, gathered.start(), strict=True)}
    before = dict(zip(header.names, header.vertex_counts, strict=True))
    for name in before:
        if name not in now:
            raise ValueError(message("resume.object_gone", name=name))
    for name in now:
        if name not in before:
            raise ValueError(message("resume.object_new", name=name))
        if before[name] != now[name]:
            raise ValueError(
                message("resume.vertices", name=name, now=now[name], before=before[name])
            )
    if list(now) != header.names:
        raise ValueError(message("resume.order"))


def saved_for(gathered, scene, frame, folder):
    """`SavedFrames` for a bake that resumes after a scene's frame, or before it."""
    kept = saved_until(scene, min(frame, gathered.frame_start + gathered.frame_count), folder)
    refuse_unfit(kept, gathered)
    return kept


def refuse_lost(cache, last):
    """Refuse a cache that has lost frames up to the last one since they were written, or that
    another bake has replaced.
    """
    cache.refuse_other_bake()
    sound = cache.sound()
    if sound <= last:
        raise OSError(
            message("cache.lost_frames", folder=cache.folder, count=sound, total=last + 1)
        )


def resume_error(error, kept, gathered):
    """A ValueError that explains why a bake cannot continue: the `error`, behind the bodies that
    are not what they were if it is that the checkpoint does not fit.
    """
    # Warp takes half a second to import; not while Blender starts.
    from ...solver.descent.checkpoints import UnfitError

    if not isinstance(error, UnfitError):
        return error
    found = kept.cache.changes(gathered.settings, gathered.bodies)
    # Numbers of a material, such as its stiffness, may change.
    found = [str(c) for c in found if c.of and c.what in ("", MESH)]
    if not found:
        return error
    left = len(found) - MOST_TOLD
    more = [message("resume.and_more", count=left)] if left > 0 else []
    return ValueError(
        message("resume.unfit", changes="; ".join([*found[:MOST_TOLD], *more]), error=error)
    )


def changes(context, kept):
    """Sentences about the changes since the bake; ValueError where it cannot resume."""
    objects = participants(context.scene)
    with prepared(context.scene, objects):
        gathered = gather(context, objects)
    refuse_unfit(kept, gathered)
    return [str(change) for change in kept.cache.changes(gathered.settings, gathered.bodies)]
