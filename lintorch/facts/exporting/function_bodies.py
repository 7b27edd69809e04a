"""What stands in the body of a function itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import libcst as cst

from lintorch.syntax.parsed_file import HasFile

N = TypeVar("N", bound=cst.CSTNode)


def nodes_in_body(function: cst.FunctionDef, kind: type[N], source: HasFile) -> Iterator[N]:
    """The nodes of a class in a function's body, not in functions and lambdas within it."""
    for node in source.file.nodes(kind):
        if source.file.enclosing(node, cst.FunctionDef, cst.Lambda) is function:
            yield node
