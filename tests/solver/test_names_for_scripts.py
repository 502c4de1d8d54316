# SPDX-License-Identifier: GPL-3.0-or-later
"""Names used by scripts of users stay importable."""

import importlib

import pytest

from vbd.solver.descent import checkpoints
from vbd.solver.lattice import lattice
from vbd.solver.scene import analytic_colliders, attachments


@pytest.mark.parametrize(
    ("module", "name", "home"),
    [
        ("bounds", "Plane", analytic_colliders),
        ("bounds", "Box", analytic_colliders),
        ("bounds", "Sphere", analytic_colliders),
        ("attachments", "Attachment", attachments),
        ("scene.lattice", "lattice", lattice),
        ("scene.lattice", "embed", lattice),
        ("descent.keeping", "Restart", checkpoints),
    ],
)
def test_a_module_for_scripts_has_the_class(module, name, home):
    known = importlib.import_module(f"vbd.solver.{module}")
    assert getattr(known, name) is getattr(home, name)
