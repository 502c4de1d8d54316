# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of caches: one per scene, which follows its file and scene.

A cache is identified by the id of its bake, which objects and header share; so a file stays valid
when its cache moves.
"""

from contextlib import contextmanager, suppress
from pathlib import Path

import bpy

from ...solver import cache
from ...solver.cache import Cache
from ...solver.cache_lock import locked
from ...solver.messages import message
from ..playing.baked import baked_here

NAME = "vbd_cache"


def cache_root(blend):
    """The folder of all caches beside a .blend, or in this session if unsaved."""
    if blend:
        return Path(blend).parent / NAME
    # The next file must not find the cache of an unsaved file that was closed.
    return Path(bpy.app.tempdir) / f"{NAME}_{Session.files}"


def _prefix(blend):
    """The common prefix of the names of all folders of a .blend."""
    return f"{bpy.path.clean_name(Path(blend).stem)}_" if blend else ""


def cache_folder(scene, blend=None):
    """The folder for the frames of a scene: beside its .blend, or in the session if unsaved."""
    blend = blend or bpy.data.filepath
    return cache_root(blend) / (_prefix(blend) + bpy.path.clean_name(scene.name))


def coarse_folder(scene):
    """The folder for the frames of the coarse preview, which no bake continues."""
    folder = cache_folder(scene)
    return folder.with_name(f"{folder.name}.coarse")


def bake_of(folder):
    """Id of the bake whose cache is in a folder: "" by version 0.1, None without a cache."""
    try:
        return Cache.open(folder).header.bake
    except ValueError:
        return None


def find_cache(bake, scene, before=""):
    """The folder with the cache of a bake, or None.

    It is that of the scene, or one that this file, or the file `before`, or the session made when
    the scene or the file had another name.
    """
    wanted = cache_folder(scene)
    if bake_of(wanted) == bake:
        return wanted
    if not bake:  # caches of version 0.1 have no id
        return None
    for blend in dict.fromkeys((before, bpy.data.filepath, "")):
        for header in sorted(cache_root(blend).glob(f"{_prefix(blend)}*/{cache.HEADER}")):
            if bake_of(header.parent) == bake:
                return header.parent
    return None


def remove_unused(bakes, scene):
    """Delete the caches of those `bakes`, and of what `scene` left, that no object plays, and the
    coarse preview, unless another Blender shows that now.
    """
    used = {ob.vbd.bake_id for ob in bpy.data.objects if ob.vbd.baked}
    left = bake_of(cache_folder(scene))  # perhaps of a bake that was undone or never saved
    for bake in {*bakes, left} - used - {None}:
        folder = find_cache(bake, scene)
        if folder is not None:
            _remove(folder)
    with suppress(BlockingIOError):
        _remove(coarse_folder(scene))


def _remove(folder):
    cache.remove(folder)
    root = folder.parent
    if root.is_dir() and not any(root.iterdir()):
        root.rmdir()


def follow(before):
    """Move the caches of all scenes to their new folders, now that the file was `before`. At the
    end, BlockingIOError tells of a folder into which a bake writes.

    Caches of a file that stays in place are shared with it.
    """
    refused = None
    for scene in bpy.data.scenes:
        try:
            _follow(scene, before)
        except BlockingIOError as error:
            refused = error
    if refused is not None:
        raise refused


def _follow(scene, before):
    """Move the caches of a scene."""
    wanted, blend = cache_folder(scene), bpy.data.filepath
    for bake in {ob.vbd.bake_id for ob in baked_here(scene)} - {""}:
        folder = find_cache(bake, scene, before)
        if folder in (None, wanted) or _plays(bake_of(wanted)):
            continue
        keep = before not in ("", blend) and folder.parent == cache_root(before)
        cache.transfer(folder, wanted, keep)
        if not keep:
            _remove(folder)


@contextmanager
def writing(scene, coarse=False):
    """Context in which this process alone writes frames of a scene, or of its coarse preview; its
    value is their folder. BlockingIOError, an OSError, if another bake writes there.
    """
    with suppress(BlockingIOError):  # what another bake writes stays where it is
        follow(bpy.data.filepath)
    folder = coarse_folder(scene) if coarse else cache_folder(scene)
    with locked(folder):
        yield folder


def move_to_open_file(folder, scene):
    """Move the frames that a bake wrote into a folder to the folder of the open file: the file may
    have been saved under another name during the bake.
    """
    wanted = cache_folder(scene)
    if Path(folder) != wanted:
        cache.transfer(folder, wanted, keep=True)


def _plays(bake):
    """Return whether an object of this file plays a bake."""
    return bool(bake) and any(ob.vbd.bake_id == bake for ob in bpy.data.objects)


class Session:
    """Number of files opened so far."""

    files = 0


@bpy.app.handlers.persistent
def _after_loading(*_):
    Session.files += 1


class Saving:
    """The file that was open before the one that is being saved."""

    before = ""


@bpy.app.handlers.persistent
def _before_saving(*_):
    Saving.before = bpy.data.filepath


@bpy.app.handlers.persistent
def _after_saving(*_):
    try:
        follow(Saving.before)
    except OSError as error:
        print(message("cache.not_moved", error=error))


def register():
    bpy.app.handlers.save_pre.append(_before_saving)
    bpy.app.handlers.save_post.append(_after_saving)
    bpy.app.handlers.load_post.append(_after_loading)


def unregister():
    bpy.app.handlers.save_pre.remove(_before_saving)
    bpy.app.handlers.save_post.remove(_after_saving)
    bpy.app.handlers.load_post.remove(_after_loading)
