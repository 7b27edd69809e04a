"""Gives names, and attributes of `self`, other spellings."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst


class Renamer(cst.CSTTransformer):
    """Renames names that stand for themselves, `self.attribute`, and keywords of local calls."""

    def __init__(
        self,
        names: Mapping[str, str],
        attributes: Mapping[str, str] | None = None,
        keywords_of: frozenset[str] = frozenset(),
    ) -> None:
        self._names = names
        self._attributes = attributes or {}
        self._keywords_of = keywords_of

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(
            value=self._names.get(updated_node.value, updated_node.value)
        )

    def visit_Attribute_attr(self, node: cst.Attribute) -> None:
        """Attributes are no names; `leave_Attribute` puts back what was renamed."""

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        name = original_node.attr.value
        of_self = isinstance(original_node.value, cst.Name) and original_node.value.value == "self"
        return updated_node.with_changes(
            attr=cst.Name(self._attributes.get(name, name) if of_self else name)
        )

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Keywords keep their names, but in calls of functions whose parameters are renamed."""
        callee = original_node.func
        local = isinstance(callee, cst.Name) and callee.value in self._keywords_of
        args = [
            new if old.keyword is None or local else new.with_changes(keyword=old.keyword)
            for old, new in zip(original_node.args, updated_node.args, strict=True)
        ]
        return updated_node.with_changes(args=args)

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False
