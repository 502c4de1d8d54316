# SPDX-License-Identifier: GPL-3.0-or-later
"""These scenes are built in Blender: `bpy` from pip, or Blender's own Python."""

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed")


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The add-on, for the rest of the session unless other tests have registered it."""
    import vbd

    if hasattr(bpy.types.Scene, "vbd"):
        yield
        return
    vbd.register()
    yield
    vbd.unregister()
