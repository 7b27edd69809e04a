"""LT608: a name out of torch's private modules that has a public one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT608",
    summary="a private name of torch that has a public one",
    why="""
        A module whose name begins with an underscore may be moved or changed in any release.
        torch.utils.data offers default_collate and default_convert by public names since torch
        1.11: they are the very functions of torch.utils.data._utils.collate.
    """,
    bad="""
        from torch.utils.data._utils.collate import default_collate


        def join(samples):
            return default_collate([sample["image"] for sample in samples])
    """,
    good="""
        from torch.utils.data import default_collate


        def join(samples):
            return default_collate([sample["image"] for sample in samples])
    """,
    unproven="private names work until a release moves them, which none of those tried does",
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

_PRIVATE = "torch.utils.data._utils.collate"
_PUBLIC = "torch.utils.data"
_NAMES = ("default_collate", "default_convert")
_SINCE = (1, 11)

_MESSAGE = f"{_PRIVATE} is private to torch"


@rule.source(cst.Attribute, needs=_NAMES)
def by_attribute(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    name = node.attr.value
    if name not in _NAMES or source.name(node) != f"{_PRIVATE}.{name}" or _is_early(source):
        return
    if not source.enclosing(node, cst.Import, cst.ImportFrom):
        written, imports = source.reach(f"{_PUBLIC}.{name}", node)
        edits = (source.replace(node, written), *imports)
        fix = Fix(f"use {written}", edits) if written else None
        yield Hit(node, _MESSAGE, fix, remedy=f"use {_PUBLIC}.{name}")


@rule.source(cst.ImportFrom, needs=_NAMES)
def by_import(node: cst.ImportFrom, source: Source) -> Iterator[Hit]:
    if node.module is None or isinstance(node.names, cst.ImportStar) or _is_early(source):
        return
    names = [alias.evaluated_name for alias in node.names]
    found = [name for name in names if name in _NAMES]
    if found and not node.relative and source.code(node.module) == _PRIVATE:
        edits = (source.replace(node.module, _PUBLIC),)
        fix = Fix(f"import it from {_PUBLIC}", edits) if found == names else None
        yield Hit(node, _MESSAGE, fix, remedy=f"use {_PUBLIC}.{found[0]}")


def _is_early(source: Source) -> bool:
    """Whether the public name is not there yet, or the file is torch's own, which may use its names."""
    return source.profile.torch < _SINCE or "torch" in Path(source.path).parts[:-1]
