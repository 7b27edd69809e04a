"""What rules ask of sizes: may one vary, was it only read, or worked out with floats."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.dataflow.value_flow import HasFlows
from lintorch.facts.dataflow.values import Kind, Value, is_fixed_name
from lintorch.syntax.parsed_file import HasFile
from lintorch.syntax.tree import offspring

_LAST = -1


def may_vary(value: Value) -> bool:
    """Whether a size, or a part of a shape, is not known to be the same at every call."""
    if value.kind is Kind.SHAPE:
        return not value.fixed and value.first != _LAST
    return value.may_vary or any(may_vary(item) for item in value.items)


def has_fixed_name(node: cst.CSTNode) -> bool:
    """Whether a name says that what it stands for never varies: `self.num_channels`."""
    if isinstance(node, cst.BinaryOperation):
        return has_fixed_name(node.left) or has_fixed_name(node.right)
    if isinstance(node, cst.Attribute):
        return is_fixed_name(node.attr.value)
    return isinstance(node, cst.Name) and is_fixed_name(node.value)


def goes_by_fixed_name(node: cst.CSTNode, source: HasFile) -> bool:
    """Whether a size is given such a name: `channels = int(x.shape[i])`."""
    outer = source.file.parent(node)
    return isinstance(outer, cst.Assign) and any(has_fixed_name(t.target) for t in outer.targets)


def is_read(node: cst.CSTNode) -> bool:
    """Whether an expression is a size as it was read: `h`, `x.size(0)`, `x.shape[2]`."""
    return isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))


def is_ratio(node: cst.CSTNode, source: HasFlows) -> bool:
    """`fine_h // coarse_h` and `(tokens // length) ** 0.5`: mostly the same for every input."""
    match node:
        case cst.BinaryOperation(operator=cst.Power(), left=rooted):
            return is_ratio(rooted, source) or _by_name(rooted)
        case cst.BinaryOperation(operator=cst.FloorDivide()):
            return all(
                source.flows.value(side).kind is Kind.SIZE for side in (node.left, node.right)
            )
    return False


def _by_name(node: cst.CSTNode) -> bool:
    match node:
        case cst.BinaryOperation(operator=cst.FloorDivide(), right=cst.Name()):
            return True
    return False


def is_scaled(node: cst.CSTNode, source: HasFlows) -> bool:
    """Whether a size went through a float, or was multiplied by what may be one."""
    value = source.flows.value(node)
    if value.kind is not Kind.SIZE or value.whole:
        return False
    return value.whole is False or _multiplies(node)


def _multiplies(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        return True
    return any(_multiplies(part) for part in offspring(node))
