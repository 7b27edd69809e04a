"""Names that a plain module reads of itself and has not, and the names it has that they are slips of."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.facts.classes.classes import ClassInfo, HasClasses, is_self

_PLAIN = ("torch.nn.Module",)
_DYNAMIC = re.compile(r"setattr|__getattr__|__dict__|add_module|register_|getattr\(|exec\(|vars\(")
"""Words of classes that may give themselves attributes by name."""
_NO_DIGIT = re.compile(r"\D")
_NEAR = 0.85
_SHORTEST = 4


def list_slips(source: HasClasses) -> Iterator[tuple[cst.Attribute, str]]:
    """`self.fc_1` of a class that has `fc1` alone."""
    plain = {
        info: _list_known(info) for info in source.classes.all.values() if _is_plain(info, source)
    }
    for node in source.file.nodes(cst.Attribute) if plain else ():
        info = source.classes.around(node) if is_self(node.value) else None
        known = plain.get(info) if info is not None else None
        if known and node.attr.value not in known:
            near = find_near(node.attr.value, known)
            if near and not isinstance(source.file.parent(node), cst.AssignTarget):
                yield node, near


def _is_plain(info: ClassInfo, source: HasClasses) -> bool:
    return info.bases == _PLAIN and not _DYNAMIC.search(source.file.code(info.node))


def _list_known(info: ClassInfo) -> set[str]:
    return {*info.attributes, *info.methods, *_list_bound(info.node)}


def find_near(name: str, known: set[str]) -> str:
    """The one name that another is a slip of: a letter or an underscore off, no number, not `encoder` of `decoder`."""
    if len(name) < _SHORTEST:
        return ""
    digits = _NO_DIGIT.sub("", name)
    alike = [e for e in known if e[:1] == name[:1] and _NO_DIGIT.sub("", e) == digits]
    near = difflib.get_close_matches(name, alike, 2, _NEAR)
    return near[0] if len(near) == 1 else ""


def find_forward(info: ClassInfo) -> cst.FunctionDef | None:
    """`def foward(self, x)` of a plain module that has no forward."""
    if info.bases != _PLAIN or "forward" in info.methods or "__call__" in info.methods:
        return None
    slips = {"foward", "forwrad", "froward", "forwad", "forard", "forwar", "farward", "forwward", "fordward", "Forward", "forward_"}  # fmt: skip
    return next((info.methods[name] for name in info.methods if name in slips), None)


def _list_bound(node: cst.ClassDef) -> Iterator[str]:
    """Names that the body of a class binds."""
    for line in node.body.body:
        small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
        for each in small:
            if isinstance(each, cst.Assign):
                yield from (t.target.value for t in each.targets if isinstance(t.target, cst.Name))
            elif isinstance(each, cst.AnnAssign) and isinstance(each.target, cst.Name):
                yield each.target.value
        if isinstance(line, cst.ClassDef):
            yield line.name.value
