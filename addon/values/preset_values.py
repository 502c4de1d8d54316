# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that a preset file sets, read without running it."""

import ast
import math
import operator
from functools import lru_cache
from pathlib import Path

# float32 keeps seven digits.
SAME = 1e-6

# Presets are not larger than this [bytes].
LARGEST = 1 << 16

OWNERS = ("bpy.context.scene.vbd", "bpy.context.object.vbd")

ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}


def preset_values(file):
    """The values of a preset, by name; None if it does more than set values of `vbd`."""
    path = Path(file)
    try:
        stat = path.stat()
    except OSError:
        return None
    return _parsed(path, stat.st_mtime_ns) if stat.st_size <= LARGEST else None


@lru_cache(maxsize=256)
def _parsed(path, _changed):
    values = {}
    try:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            _read(statement, values)
    except (SyntaxError, ValueError, LookupError, ArithmeticError, TypeError, OSError):
        return None
    except (RecursionError, MemoryError):  # of the parser, by thousands of parentheses
        return None
    return values


def _read(statement, values):
    """Add the value set by a line like `vbd.density = 2.0 * vbd.thickness` to `values`."""
    if isinstance(statement, ast.Assign):
        (target,) = statement.targets if len(statement.targets) == 1 else (None,)
        if isinstance(target, ast.Attribute):
            values[target.attr] = _value(statement.value, values)
        elif ast.unparse(statement.value) not in (
            "bpy.context.scene.vbd",
            "bpy.context.object.vbd",
        ):
            raise LookupError(ast.unparse(statement))
    elif not (isinstance(statement, ast.Import) or _is_docstring(statement)):
        raise LookupError(ast.unparse(statement))


def _is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _value(node, values):
    """The value of a number, a word, a value set before, or sums and products of these."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        return values[node.attr]
    if isinstance(node, ast.UnaryOp):
        return ARITHMETIC[type(node.op)](_value(node.operand, values))
    if isinstance(node, ast.BinOp):
        # As floats: words and whole numbers could be multiplied beyond all memory.
        left, right = (_value(part, values) for part in (node.left, node.right))
        if isinstance(left, int | float) and isinstance(right, int | float):
            return ARITHMETIC[type(node.op)](float(left), float(right))
    raise LookupError(ast.unparse(node))


def has_values(group, values):
    """Return whether a property group has `values`, up to rounding, as far as it has properties."""
    return all(_same(getattr(group, name, value), value) for name, value in values.items())


def _same(a, b):
    if isinstance(a, float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=SAME, abs_tol=0.0)
    return a == b
