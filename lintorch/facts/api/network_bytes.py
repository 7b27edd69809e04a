"""Whether bytes come by network."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.facts.classes.classes import HasClasses

_NETWORK = ("urllib.", "requests.", "urllib3.", "httpx.", "socket.")


def list_opened(name: str, call: cst.CSTNode, source: HasClasses) -> Iterator[cst.BaseExpression]:
    """`with open(path) as f` around a call, or `f = open(path)` in its function."""
    for outer in source.file.ancestors(call):
        for item in outer.items if isinstance(outer, cst.With) else ():
            target = item.asname.name if item.asname is not None else None
            if isinstance(target, cst.Name) and target.value == name:
                yield item.item
                return
    function = source.file.enclosing(call, cst.FunctionDef)
    for each in source.file.nodes(cst.Assign):
        given = each.targets[0].target
        mine = source.file.enclosing(each, cst.FunctionDef) is function
        if mine and isinstance(given, cst.Name) and given.value == name:
            yield each.value


def comes_by_network(value: cst.BaseExpression, source: HasClasses) -> bool:
    """`urlopen(url).read()`, `requests.get(url).content`, or a name that is given one of them."""
    if isinstance(value, cst.Name):
        bound = source.names.bound(value)
        opened = [*list_opened(value.value, value, source)]
        if (
            len(opened) == 1
            and isinstance(opened[0], cst.Call)
            and comes_by_network(opened[0], source)
        ):
            return True
        node = bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else None
        return isinstance(node, (cst.Call, cst.Attribute)) and comes_by_network(node, source)
    while isinstance(value, (cst.Call, cst.Attribute)):
        if isinstance(value, cst.Call):
            if source.names.name(value.func).startswith(_NETWORK):
                return True
            value = value.func
        else:
            value = value.value
        if isinstance(value, cst.Name):
            return bool(source.names.bound(value)) and comes_by_network(value, source)
    return False
