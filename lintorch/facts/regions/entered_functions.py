"""Calls that lead out of a file: which functions of the project run in the forward passes of this one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lintorch.facts.project.files import home, locate, outline

if TYPE_CHECKING:
    from lintorch.source import Source

Function = tuple[str, str]
"""The file (a path as `os.path.abspath` gives it) and the name of a function at its top level."""


def entered(source: Source) -> frozenset[Function]:
    """The functions of other files of the project that a forward pass of this file calls."""
    roots = home(source.path).roots
    found: set[Function] = set()
    for dotted in {source.name(func) for func in source.regions.outside()}:
        module, _, name = dotted.rpartition(".")
        if not module or module.startswith(("torch", "numpy", "math")) or name[:1].isupper():
            continue
        path = locate(module, roots, source.consulted)
        if path is not None and name in outline(path).functions:
            found.add((os.path.abspath(path), name))
    return frozenset(found)
