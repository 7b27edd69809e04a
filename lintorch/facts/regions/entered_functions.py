"""Calls that lead out of a file: which functions of the project run in the forward passes of this one."""

from __future__ import annotations

import os

from lintorch.facts.names.lookup import Lookup
from lintorch.facts.project.module_homes import Project
from lintorch.facts.project.outlines import outline_file
from lintorch.facts.regions.forward_region import Regions

ProjectFunction = tuple[str, str]
"""The file (a path as `os.path.abspath` gives it) and the name of a function at its top level."""


def find_entered(regions: Regions, names: Lookup, project: Project) -> frozenset[ProjectFunction]:
    """The functions of other files of the project that the forward passes of one file call."""
    found: set[ProjectFunction] = set()
    for dotted in {names.name(func) for func in regions.calls_outside()}:
        module, _, name = dotted.rpartition(".")
        if not module or module.startswith(("torch", "numpy", "math")) or name[:1].isupper():
            continue
        path = project.find_module(module)
        if path is not None and name in outline_file(path).functions:
            found.add((os.path.abspath(path), name))
    return frozenset(found)
