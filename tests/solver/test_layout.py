# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the source tree, checked on the text of the files."""

import ast
import functools
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
KERNEL_LINES, KERNEL_ARGUMENTS = 60, 12
# Folders of the solver and files beside them, the highest first: each imports from itself and from
# lower ones.
LAYERS = (
    "__main__",
    "preparing",
    "simulate",
    "editing",
    "rest_shapes",
    "cache",
    "cache_header",
    "cache_lock",
    "cache_files",
    "fingerprint",
    "attachments",
    "bounds",
    "descent",
    "groups",
    "report",
    "coarse",
    "contact",
    "model",
    "elements",
    "scene",
    "lattice",
    "bodies",
    "settings",
    "files",
    "device",
    "topology",
    "kernels",
    "messages",
)

# Layers of the add-on, in this order, too.
ADDON_LAYERS = (
    "__init__",
    "headless",
    "panels",
    "properties",
    "viewport",
    "files",
    "live",
    "baking",
    "gathering",
    "playing",
    "values",
    "objects",
)


def name(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path):
    """(level, module) of every import of a file, at any depth; level counts the leading dots."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""


def folders_below(path, top):
    """Number of folders between a file and the folder `top`, that folder included."""
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
    for node in at_load_time(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
            for alias in node.names:
                for parts in ((*base, alias.name), base):
                    if ".".join(parts) in MODULES:
                        yield ".".join(parts)
                        break


def line_count(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def offenders(paths, offends):
    """Names of the files that break a rule, each with the complaint of `offends`."""
    return {name(path): what for path in paths if (what := offends(path))}


def test_a_file_starts_with_its_license_and_says_what_it_is():
    def offends(path):
        text = path.read_text(encoding="utf-8")
        # Blender writes presets without a docstring.
        says = path.is_relative_to(ROOT / "presets") or ast.get_docstring(ast.parse(text))
        return not (text.startswith("# SPDX-License-Identifier: GPL-3.0-or-later\n") and says)

    assert not offenders(SOURCES, offends)


def test_no_file_is_long():
    assert not offenders(SOURCES, lambda path: line_count(path) > 600)
    assert not offenders(SOLVER + ADDON, lambda path: line_count(path) > MOST_LINES)


def test_kernels_are_short_and_take_few_arguments():
    """The number of the first thread is filled in by whoever launches them."""

    def offends(path):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(decorator).startswith("wp.kernel") for decorator in node.decorator_list
            ):
                lines = node.end_lineno - node.lineno + 1
                count = len([a for a in node.args.args if a.arg != "first"])
                if lines > KERNEL_LINES or count > KERNEL_ARGUMENTS:
                    return f"{node.name}: {lines} lines, {count} arguments"

    assert not offenders(SOLVER, offends)


def test_constructors_take_few_arguments():
    def offends(path):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                arguments = node.args
                count = len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs) - 1
                if count > MOST_ARGUMENTS:
                    return f"line {node.lineno}: {count} arguments"

    assert not offenders(SOLVER + ADDON, offends)


def test_no_modules_import_each_other_in_a_circle():
    leads_to = {module: set(modules_imported(path)) for module, path in MODULES.items()}
    while True:  # remove modules that import nothing that is left
        done = {module for module, others in leads_to.items() if not others & leads_to.keys()}
        if not done:
            break
        leads_to = {m: others - done for m, others in leads_to.items() if m not in done}
    assert not leads_to


@pytest.mark.parametrize(
    ("top", "layers"), [("solver", LAYERS), ("addon", ADDON_LAYERS)], ids=["solver", "addon"]
)
def test_folders_import_only_lower_ones(top, layers):
    def height(module):
        """Place of the folder that a module is in, or of a file beside the folders."""
        return layers.index((*module.split("."), layers[0] if top == "addon" else "simulate")[1])

    def offends(path):
        own = height(module_name(path))
        mine = (module for module in modules_imported(path) if module.split(".")[0] == top)
        return [module for module in mine if height(module) < own]

    assert not offenders(SOLVER if top == "solver" else ADDON, offends)


def test_contact_and_the_coarse_correction_do_not_import_each_other():
    """Kernels of the coarse correction read contact pairs."""

    def offends(path):
        folders = path.relative_to(ROOT / "solver").parts
        own = {"contact", "coarse"} & set(folders)
        others = {"contact", "coarse"} - own if own else set()
        if folders[:2] == ("kernels", "coarse"):
            others = set()
        return [module for module in modules_imported(path) if others & set(module.split("."))]

    assert not offenders(SOLVER, offends)


def test_the_solver_knows_nothing_of_blender_and_does_not_climb_above_itself():
    def offends(path):
        above = folders_below(path, "solver")
        return [m for level, m in imports(path) if m.split(".")[0] in BLENDER or level > above]

    assert not offenders(SOLVER, offends)


def test_our_own_code_is_imported_with_dots():
    own = {"vbd", "solver", "addon"}

    def offends(path):
        return [m for level, m in imports(path) if level == 0 and m.split(".")[0] in own]

    assert not offenders(SOLVER + ADDON, offends)


def test_kernels_import_only_kernels():
    def offends(path):
        own = folders_below(path, "solver/kernels")
        return [
            module
            for level, module in imports(path)
            if level > own or (level == 0 and module.split(".")[0] not in KERNELS_MAY_IMPORT)
        ]

    assert not offenders((ROOT / "solver" / "kernels").rglob("*.py"), offends)


def test_the_root_imports_nothing_at_load_time():
    body = tree(ROOT / "__init__.py").body
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


# A docstring says what a thing is or does; these begin a clause without a subject.
CLAUSES = ("What ", "Whether ", "The same ", "How ", "Where ", "Which ", "That ", "Those ", "Who ")
# Words that no field has, in names and texts of the solver and the add-on.
PRIVATE = re.compile(
    r"linkage|\bclasp|crowd|glance|\balarm|keeper|bring_?back|brought_?back|crew|sunk|\bfreer"
    r"|\bis_led\b|\bled\b|leads? out|\bsought\b|\banew\b|\btold\b|in turns, |since then"
)
# A key of stored states; "in turns, " and others are words of texts.
STORED = '"clasped"'


def docstrings(path):
    """Docstrings of a file, of its classes and functions, and of attributes of classes."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for part in node.body:
                value = getattr(part, "value", None) if isinstance(part, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def test_docstrings_have_a_subject():
    def offends(path):
        return [text[:60] for text in docstrings(path) if text.lstrip().startswith(CLAUSES)]

    assert not offenders(SOURCES, offends)


def test_words_of_the_field_are_used():
    def offends(path):
        text = path.read_text(encoding="utf-8").replace(STORED, "")
        return PRIVATE.findall(text)

    texts = sorted((ROOT / "solver" / "messages").glob("*.toml"))
    assert not offenders([*SOLVER, *ADDON, *texts], offends)


def test_no_public_class_name_stands_for_two_things():
    known = {}
    for path in SOLVER + ADDON:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                known.setdefault(node.name, []).append(name(path))
    # Bodies, and elements of bodies: what a user gives, and what the solver makes of it.
    assert not {word: paths for word, paths in known.items() if len(paths) > 1}
