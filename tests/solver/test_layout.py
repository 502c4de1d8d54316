# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the source tree, checked on the text of the files."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("addon", "solver", "presets", "tests", "examples", "benchmarks", ".ci")
SOURCES = sorted([*ROOT.glob("*.py"), *(p for part in PARTS for p in (ROOT / part).rglob("*.py"))])
SOLVER = [p for p in SOURCES if p.is_relative_to(ROOT / "solver")]
ADDON = [p for p in SOURCES if p.is_relative_to(ROOT / "addon")]
BLENDER = {"bpy", "bmesh", "mathutils", "bpy_extras", "bl_ui", "gpu", "blf"}
KERNELS_MAY_IMPORT = {"warp", "numpy", "math", "dataclasses", "functools"}


def name(path):
    return path.relative_to(ROOT).as_posix()


def imports(path):
    """(level, module) of every import of a file, at any depth; level counts the leading dots."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""


def folders_below(path, top):
    """How many folders lie between a file and the folder `top`, that folder included."""
    return len(path.relative_to(ROOT / top).parts)


every_file = pytest.mark.parametrize("path", SOURCES, ids=name)
every_solver_file = pytest.mark.parametrize("path", SOLVER, ids=name)
every_package_file = pytest.mark.parametrize("path", SOLVER + ADDON, ids=name)


@every_file
def test_a_file_starts_with_its_license_and_says_what_it_is(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# SPDX-License-Identifier: GPL-3.0-or-later\n")
    if not path.is_relative_to(ROOT / "presets"):  # Blender writes those without a docstring
        assert ast.get_docstring(ast.parse(text))


@every_file
def test_a_file_stays_under_600_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


@every_solver_file
def test_the_solver_knows_nothing_of_blender(path):
    assert not {module.split(".")[0] for _, module in imports(path)} & BLENDER


@every_solver_file
def test_the_solver_does_not_climb_above_itself(path):
    assert all(level <= folders_below(path, "solver") for level, _ in imports(path))


@every_package_file
def test_our_own_code_is_imported_with_dots(path):
    outside = {module.split(".")[0] for level, module in imports(path) if level == 0}
    assert not outside & {"vbd", "solver", "addon"}


@pytest.mark.parametrize("path", sorted((ROOT / "solver" / "kernels").rglob("*.py")), ids=name)
def test_kernels_import_only_kernels(path):
    for level, module in imports(path):
        own = 1 <= level <= folders_below(path, "solver/kernels")
        assert own or (level == 0 and module.split(".")[0] in KERNELS_MAY_IMPORT), module


def test_the_root_imports_nothing_at_load_time():
    body = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8")).body
    assert not [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]


def test_manifest_and_project_agree():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert manifest["version"] == project["version"]
    assert manifest["id"] == project["name"]
    assert manifest["license"] == [f"SPDX:{project['license']}"]


def test_the_packages_list_names_every_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = {
        ".".join(("vbd", *path.parent.relative_to(ROOT).parts))
        for part in ("addon", "solver")
        for path in (ROOT / part).rglob("__init__.py")
    }
    assert set(project["tool"]["setuptools"]["packages"]) == found | {"vbd"}


def test_every_platform_has_one_wheel_of_the_same_warp():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    versions = [re.search(r"warp_lang-([\d.]+)-py3-none-", w).group(1) for w in manifest["wheels"]]
    assert len(versions) == len(manifest["platforms"])
    assert len(set(versions)) == 1
