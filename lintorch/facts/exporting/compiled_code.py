"""The nodes of a file that TorchScript compiles, and whether the file itself asks for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol, TypeVar

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.facts.exporting.scripted import HasScripts, find_scripted
from lintorch.syntax.parsed_file import ParsedFile

N = TypeVar("N", bound=cst.CSTNode)
S = TypeVar("S", bound=HasScripts, contravariant=True)


class Find(Protocol[S]):
    """Finds hazards in compiled code."""

    def __call__(self, here: CompiledCode, source: S, /) -> Iterator[Hit]:
        """Hits on nodes of the file."""


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
        return replace(hit, harm=None) if function and self.table[function] else hit


@lru_cache(maxsize=1)
def find_compiled(source: HasScripts) -> CompiledCode:
    """What of a file TorchScript compiles; the same for all rules that ask one after the other."""
    return CompiledCode(source.file, find_scripted(source))


def report_compiled(source: S, *finders: Find[S]) -> Iterator[Hit]:
    """What is found in the bodies of compiled functions, as what the file itself scripts is told."""
    here = find_compiled(source)
    for find in finders if here.table else ():
        for hit in find(here, source):
            assert isinstance(hit.node, cst.CSTNode)
            yield here.tell(hit, here.home(hit.node))
