"""The nodes of a file that TorchScript compiles, and whether the file itself asks for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.syntax.parsed_file import ParsedFile

N = TypeVar("N", bound=cst.CSTNode)


@dataclass(frozen=True)
class CompiledCode:
    """The compiled functions of a file, and whether the file itself scripts each."""

    file: ParsedFile
    table: Mapping[cst.FunctionDef, bool]

    def nodes(self, *kinds: type[N]) -> Iterator[N]:
        """The nodes of these classes in compiled functions, whatever the branch."""
        for kind in kinds:
            yield from (n for n in self.file.nodes(kind) if self.home(n) in self.table)

    def home(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function whose body a node stands in."""
        inner = node
        for outer in self.file.ancestors(node):
            if isinstance(outer, cst.FunctionDef) and inner is outer.body:
                return outer
            inner = outer
        return None

    def tell(self, hit: Hit, function: cst.FunctionDef | None) -> Hit:
        """A hit; in what the file scripts itself it is one whatever the project exports with."""
        return Hit(hit.node, hit.message, hit.fix) if function and self.table[function] else hit
