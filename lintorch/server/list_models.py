"""The classes of a file that may be run as models, told without running or parsing much."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.facts.classes.model_classes import is_module_class
from lintorch.facts.project.module_homes import Project, module_home
from lintorch.server.jobs import ModelClass
from lintorch.syntax.python_ast import parse_or_empty


def list_models(path: str, text: str) -> Iterator[ModelClass]:
    """The classes at the top of a file that are nn.Modules, as far as the project tells."""
    project = Project(path, set())
    module = module_home(path).module
    for node in parse_or_empty(text).body if "class" in text else ():
        if isinstance(node, ast.ClassDef) and is_module_class(f"{module}.{node.name}", project):
            yield ModelClass(node.name, node.lineno)
