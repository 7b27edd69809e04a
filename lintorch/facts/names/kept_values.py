"""What a name is worth that is given a list or dictionary once, and never adds to it."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.names.lookup import HasNames

_READS = frozenset({"items", "keys", "values", "get", "copy", "index", "count", "run"})
_TAKERS = frozenset({"torch.onnx.export", "print", "len", "list", "tuple", "set", "sorted", "zip"})


def find_kept_value(node: cst.CSTNode | None, source: HasNames) -> cst.BaseExpression | None:
    """The expression itself, or the only value of a name; None where something may change that value."""
    if not isinstance(node, cst.Name):
        return node if isinstance(node, cst.BaseExpression) else None
    bindings = source.names.bound(node)
    only = bindings[0] if len(bindings) == 1 and bindings[0].kind == "assign" else None
    if only is None or not isinstance(only.node, cst.BaseExpression):
        return None
    if isinstance(only.node, cst.SimpleString):
        return only.node
    mentions = source.file.mentions_of(node.value)
    own = [each for each in mentions if source.names.bound(each)[:1] == bindings]
    return only.node if all(_only_reads(each, source) for each in own) else None


def _only_reads(mention: cst.Name, source: HasNames) -> bool:
    """Whether the value is what it was after something was done with a name."""
    above = source.file.parent(mention)
    if isinstance(above, cst.Attribute):
        return above.attr.value in _READS
    if isinstance(above, cst.Subscript):
        beyond = source.file.parent(above)
        return not isinstance(beyond, (cst.AssignTarget, cst.AugAssign, cst.Del))
    if isinstance(above, cst.Arg):
        return _is_taken(source.file.parent(above), source)
    binds = isinstance(above, (cst.AssignTarget, cst.AnnAssign, cst.NamedExpr))
    reads = (cst.For, cst.CompFor, cst.ComparisonTarget, cst.FormattedStringExpression)
    return binds or isinstance(above, reads)


def _is_taken(call: cst.CSTNode | None, source: HasNames) -> bool:
    if not isinstance(call, cst.Call):
        return False
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _READS:
        return True
    return source.names.name(call.func) in _TAKERS
