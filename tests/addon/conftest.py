# SPDX-License-Identifier: GPL-3.0-or-later
"""All tests in this folder need Blender: `bpy` from pip, or Blender's own Python."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed")


@pytest.fixture(scope="session", autouse=True)
def addon():
    """The add-on, registered for the whole session unless other tests have done so; classes left
    behind crash bpy at its end.
    """
    import vbd

    if hasattr(bpy.types.Scene, "vbd"):
        yield vbd
        return
    vbd.register()
    yield vbd
    vbd.unregister()


@pytest.fixture
def scene():
    """The scene of a fresh, empty file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return bpy.context.scene


@pytest.fixture
def user_scripts(tmp_path, monkeypatch):
    """An empty folder in place of the user's scripts."""
    monkeypatch.setenv("BLENDER_USER_SCRIPTS", str(tmp_path))
    return tmp_path


@pytest.fixture
def cube(scene):
    """A cube, selected and active, in a fresh file."""
    bpy.ops.mesh.primitive_cube_add()
    return bpy.context.object
