# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that pages name, as `tests/folder/file.py::test_name`."""

import ast
import re


def names_in(path):
    """Names of the tests in a file, with their classes."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{f.name}" for f in node.body if isinstance(f, ast.FunctionDef)}
    return found


def named_tests(evidence):
    """File and name of every test that a text names."""
    return re.findall(r"`(tests/[^`]*?\.py)::([^`]*)`", evidence)
