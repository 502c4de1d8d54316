# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that a kernel or its functions write stand behind `# out` or `# in and out`.

Checked on the text of the files: assignments to elements and fields of arguments, and atomic
operations, followed through the calls of Warp functions.
"""

import ast
from dataclasses import dataclass, field
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "solver" / "kernels"
OUT = ("# out", "# in and out")
# Names of Warp functions that write to their first argument.
WRITING = ("atomic_", "tile_store", "tile_atomic_add", "tile_scatter")
# Native code is not checked.
WRAPPERS = {"kernel", "func"}


@dataclass
class Source:
    """One file: its functions by name, and its imports, as name -> (file, name there)."""

    path: Path
    lines: list[str]
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    kernels: list[ast.FunctionDef] = field(default_factory=list)
    imported: dict[str, tuple[Path, str]] = field(default_factory=dict)


def decorator(node):
    """ "kernel", "func" or another name behind the @ of a function; None without."""
    for one in node.decorator_list:
        one = one.func if isinstance(one, ast.Call) else one
        if isinstance(one, ast.Attribute) and one.attr in WRAPPERS:
            return one.attr
    return None


def read(path):
    text = path.read_text(encoding="utf-8")
    source = Source(path, text.splitlines())
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            if decorator(node) == "kernel":
                source.kernels.append(node)
            elif decorator(node) == "func":
                source.functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1]
            there = folder.joinpath(*(node.module or "").split("."))
            for alias in node.names:
                name = alias.asname or alias.name
                source.imported[name] = (there.with_suffix(".py"), alias.name)
    return source


SOURCES = {path: read(path) for path in sorted(KERNELS.rglob("*.py"))}


def root(node):
    """The name that `name.field[...]...` begins with; None for others."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def targets(node):
    """Everything that a statement assigns to."""
    if isinstance(node, ast.Assign):
        places = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        places = [node.target]
    else:
        return
    for place in places:
        yield from place.elts if isinstance(place, ast.Tuple) else [place]


def called(node, source):
    """(file, function) of every Warp function that a call may mean.

    A member of a Python object, such as `surface.weight`, is any function of that name, or with
    more words before it, that takes as many arguments.
    """
    if isinstance(node.func, ast.Name):
        name = node.func.id
        if name in source.functions:
            return [(source, f) for f in source.functions[name]]
        there, name = source.imported.get(name, (None, None))
        if there in SOURCES:
            return [(SOURCES[there], f) for f in SOURCES[there].functions.get(name, [])]
        return []
    if isinstance(node.func, ast.Attribute) and root(node.func) != "wp":
        name = node.func.attr
        return [
            (other, f)
            for other in SOURCES.values()
            for known, some in other.functions.items()
            for f in some
            if f"_{known}".endswith(f"_{name}") and len(f.args.args) == len(node.args)
        ]
    return []


def written(node, source, seen=()):
    """Names of the arguments of a function that it, or one it calls, writes through."""
    names = [argument.arg for argument in node.args.args]
    found = set()
    for inner in ast.walk(node):
        for target in targets(inner):
            if isinstance(target, ast.Attribute | ast.Subscript):
                found.add(root(target))
        if not isinstance(inner, ast.Call):
            continue
        if isinstance(inner.func, ast.Attribute) and inner.func.attr.startswith(WRITING):
            found.add(root(inner.args[0]))
        for other, function in called(inner, source):
            if function in seen:
                continue
            inside = written(function, other, (*seen, node))
            passed = zip(function.args.args, inner.args, strict=False)
            found.update(root(value) for parameter, value in passed if parameter.arg in inside)
    return found.intersection(names)


def inputs(kernel, source):
    """Names of a kernel's arguments before the comment that marks its outputs."""
    begin, end = kernel.lineno, kernel.body[0].lineno
    out = [n for n in range(begin, end) if source.lines[n - 1].strip() in OUT]
    first = out[0] if out else end
    return {argument.arg for argument in kernel.args.args if argument.lineno < first}


def offenders(offends):
    """File and name of every kernel that offends a rule, of all that there are."""
    every = [(kernel, source) for source in SOURCES.values() for kernel in source.kernels]
    assert len(every) > 80
    return [(source.path, kernel.name) for kernel, source in every if offends(kernel, source)]


def test_every_member_that_is_called_is_found():
    for source in SOURCES.values():
        for node in [*source.kernels, *(f for some in source.functions.values() for f in some)]:
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                    found = root(call.func) == "wp" or called(call, source)
                    assert found, f"{source.path}:{call.lineno}"


def test_a_kernel_writes_only_what_it_says_comes_out():
    assert not offenders(lambda kernel, source: written(kernel, source) & inputs(kernel, source))


def test_a_kernel_says_what_comes_out_of_it():
    assert not offenders(
        lambda kernel, source: inputs(kernel, source) == {a.arg for a in kernel.args.args}
    )


PLANTED = """
@wp.func
def keep(k: int, kept: wp.array[float], value: float):
    kept[k] = value


@wp.kernel
def plain(values: wp.array[float], sums: Sums, total: wp.array[float]):
    # out
    values[0] = 1.0


@wp.kernel
def hidden(
    values: wp.array[float],
    sums: Sums,
    # out
    total: wp.array[float],
):
    k = wp.tid()
    keep(k, sums.part, values[k])
    wp.atomic_add(total, 0, values[k])
"""


def test_a_write_that_a_function_hides_is_found(tmp_path):
    path = tmp_path / "planted.py"
    path.write_text(PLANTED)
    source = read(path)
    plain, hidden = source.kernels
    assert written(plain, source) == {"values"}
    assert written(hidden, source) == {"sums", "total"}
    assert inputs(hidden, source) == {"values", "sums"}
