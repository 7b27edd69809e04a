"""Whether a model is a part of others of its project, so that no exporter is given it alone."""

from __future__ import annotations

from typing import Protocol, TypeVar

import libcst as cst

from lintorch.facts.classes.classes import Classes, ClassInfo
from lintorch.facts.names.scopes import dotted_text
from lintorch.facts.project.parts_elsewhere import (
    is_imported_beside,
    is_part_elsewhere,
    is_taken_by_models,
)

N = TypeVar("N", bound=cst.CSTNode)


class KnowsClasses(Protocol):
    """What knows the text and the classes of a file."""

    path: str
    consulted: set[str]

    @property
    def classes(self) -> Classes:
        """Its classes."""

    def code(self, node: cst.CSTNode) -> str:
        """A node as it is written."""

    def mentions_of(self, name: str) -> list[cst.Name]:
        """Where a name stands."""

    def enclosing(self, node: cst.CSTNode, *kinds: type[N]) -> N | None:
        """The innermost node of these kinds around another."""


def is_root_part(name: str, source: KnowsClasses) -> bool:
    """Whether what was evaluated as a model is a part of others, here or in another file."""
    mentions = source.mentions_of(name)
    own = [info for info in source.classes.all.values() if info.name == name]
    if any(is_part(e, source) or is_registered(e, source) or is_taken(e, source) for e in own):
        return True
    if not own and any(source.classes.around(each) for each in mentions):
        return True
    return is_made_elsewhere(name, source)


def is_made_elsewhere(name: str, source: KnowsClasses) -> bool:
    """Whether models of other files speak of a class, or of a function of this file that builds it, by name too."""
    by_name = [each for word in ("eval", "globals") for each in source.mentions_of(word)]
    mentions = [*source.mentions_of(name), *by_name]
    around = (source.enclosing(each, cst.FunctionDef) for each in mentions)
    makers = [each for each in around if each and source.classes.around(each) is None]
    if is_part_elsewhere(name, source.path, source.consulted):
        return True
    return any(
        is_imported_beside(each, frozenset({"forward"}), source.path, source.consulted)
        and is_part_elsewhere(each, source.path, source.consulted)
        for each in dict.fromkeys(each.name.value for each in makers)
    )


def is_registered(info: ClassInfo, source: KnowsClasses) -> bool:
    """Whether a decorator puts the class, or a function that makes one, into a table from which it may be taken for a part."""
    around = (source.enclosing(each, cst.FunctionDef) for each in source.mentions_of(info.name))
    makers = [each for each in around if each and source.classes.around(each) is None]
    decorators = [*info.node.decorators, *(e for maker in makers for e in maker.decorators)]
    return any("register" in source.code(each.decorator) for each in decorators)


def is_taken(info: ClassInfo, source: KnowsClasses) -> bool:
    """Whether a model of the project takes what derives from its base: `backbone: Backbone`."""
    bases = (dotted_text(each.value).rpartition(".")[2] for each in info.node.bases)
    return any(
        is_taken_by_models(base, source.path, source.consulted)
        for base in bases
        if base and base != "Module"
    )


def is_part(info: ClassInfo, source: KnowsClasses) -> bool:
    """Whether another class of the file speaks of this one: builds it, or derives from it."""
    speakers = {source.classes.around(mention) for mention in source.mentions_of(info.name)}
    outer = source.classes.around(info.node)
    return bool(speakers - {None, outer, info}) or bool(derived(info, source))


def derived(info: ClassInfo, source: KnowsClasses) -> list[ClassInfo]:
    """The classes of the file that derive from this one."""
    others = (one for one in source.classes.all.values() if one is not info)
    return [one for one in others if info in source.classes.lineage(one)]
