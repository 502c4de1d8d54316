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
KERNELS_MAY_IMPORT = {"warp", "numpy", "typing", "math", "dataclasses", "functools"}
MOST_LINES, MOST_ARGUMENTS = 300, 6
# Folders of the solver and files beside them, the highest first: each imports from itself and from
# lower ones.
LAYERS = (
    "__main__",
    "preparing",
    "simulate",
    "cache",
    "cache_files",
    "fingerprint",
    "attachments",
    "bounds",
    "descent",
    "report",
    "coarse",
    "contact",
    "model",
    "elements",
    "scene",
    "bodies",
    "settings",
    "files",
    "device",
    "topology",
    "kernels",
)

# The same of the add-on.
ADDON_LAYERS = (
    "__init__",
    "headless",
    "panels",
    "properties",
    "viewport",
    "files",
    "baking",
    "gathering",
    "playing",
    "values",
    "objects",
)


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


def module_name(path):
    """Dotted name of a file below the root; that of its folder for `__init__.py`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in SOLVER + ADDON}


def at_load_time(tree):
    """Nodes that run when a file is imported: all but the insides of functions."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)


def modules_imported(path):
    """Modules of the package that a file imports with dots at load time."""
    package = path.parent.relative_to(ROOT).parts
    for node in at_load_time(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
            for alias in node.names:
                for parts in ((*base, alias.name), base):
                    if ".".join(parts) in MODULES:
                        yield ".".join(parts)
                        break


def layer(module):
    """Folder of the solver that a module is in, or its own name beside the folders."""
    return (*module.split("."), "simulate")[1]


def addon_layer(module):
    """Folder of the add-on that a module is in, or its own name beside the folders."""
    return (*module.split("."), "__init__")[1]


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


@every_package_file
def test_a_file_of_the_package_is_not_long(path):
    length = len(path.read_text(encoding="utf-8").splitlines())
    assert length <= MOST_LINES, length


@every_package_file
def test_constructors_take_few_arguments(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = node.args
            count = len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs) - 1
            assert count <= MOST_ARGUMENTS, f"line {node.lineno}: {count} arguments"


def test_no_modules_import_each_other_in_a_circle():
    leads_to = {module: set(modules_imported(path)) for module, path in MODULES.items()}
    while True:  # take away what imports nothing that is left
        done = {module for module, others in leads_to.items() if not others & leads_to.keys()}
        if not done:
            break
        leads_to = {m: others - done for m, others in leads_to.items() if m not in done}
    assert not leads_to


@every_solver_file
def test_folders_of_the_solver_import_only_lower_ones(path):
    own = layer(module_name(path))
    for module in modules_imported(path):
        assert LAYERS.index(own) <= LAYERS.index(layer(module)), module


@pytest.mark.parametrize("path", ADDON, ids=name)
def test_folders_of_the_add_on_import_only_lower_ones(path):
    own = ADDON_LAYERS.index(addon_layer(module_name(path)))
    for module in modules_imported(path):
        if module.startswith("addon."):
            assert own <= ADDON_LAYERS.index(addon_layer(module)), module


@every_solver_file
def test_contact_and_the_coarse_correction_do_not_import_each_other(path):
    for one, other in (("contact", "coarse"), ("coarse", "contact")):
        if one in path.relative_to(ROOT).parts:
            assert not [m for m in modules_imported(path) if other in m.split(".")]


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
