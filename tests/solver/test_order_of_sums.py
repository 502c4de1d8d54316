# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums have a fixed order, but for one on the GPU, which the page on the method names.

Threads that add to the same number add whole ones, in any order, or else in their own turn.
Checked on the text of the kernels.
"""

import ast
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "solver" / "kernels"
# Who adds to what others may add to: counts, and on the GPU the one sum without an order.
COUNTING = {
    "count_marked",
    "measure_energy",
    "count_entries",
    "place_entries",
    "count_suspects",
    "count_capped",
}
WITHOUT_ORDER = {"add_block"}
# Launched with a single thread.
ALONE = {"number_groups"}


def root_of(target):
    """The name that an element or a field belongs to."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id


def is_shared(target, function):
    """Whether a target is an element of an array that the function was given."""
    if not isinstance(target, ast.Subscript):
        return False
    kinds = {a.arg: ast.unparse(a.annotation) for a in function.args.args if a.annotation}
    kind = kinds.get(root_of(target), "")
    return "array" in kind or (isinstance(target.value, ast.Attribute) and bool(kind))


def adds(node, function):
    """Whether a piece of code adds to an array that others may add to."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        return name in {"atomic_add", "atomic_sub", "tile_atomic_add", "count_together"}
    if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add | ast.Sub):
        return False
    return is_shared(node.target, function)


def adding(text):
    """Names of the functions that add to what others may add to."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            inner = [n for n in ast.walk(function) if isinstance(n, ast.FunctionDef)]
            if len(inner) == 1 and any(adds(node, function) for node in ast.walk(function)):
                yield function.name


def test_only_the_stiffness_of_contacts_and_attachments_is_added_in_any_order():
    found = {name for path in KERNELS.rglob("*.py") for name in adding(path.read_text("utf-8"))}
    assert found == COUNTING | WITHOUT_ORDER | ALONE


def test_a_sum_that_races_is_found():
    head = "@wp.kernel\ndef f(values: wp.array[float], s: Sums, v: wp.vec3):\n    "
    assert list(adding(head + "values[0] += 1.0")) == ["f"]
    assert list(adding(head + "s.total[0] -= 1.0")) == ["f"]
    assert list(adding(head + "wp.atomic_add(values, 0, 1.0)")) == ["f"]
    assert not list(adding(head + "v[0] += 1.0"))
