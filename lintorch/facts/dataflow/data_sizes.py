"""What is worked out from the data of a tensor: numbers, and tensors whose size the data decides."""

from __future__ import annotations

import libcst as cst

from lintorch.facts.dataflow.value_flow import HasFlows
from lintorch.facts.dataflow.values import Kind, Value
from lintorch.syntax.literals import literal

_FINDS = frozenset({"nonzero", "argwhere", "unique", "unique_consecutive", "masked_select"})
"""Functions and methods that give as many items as the data holds."""
_KEEPS = frozenset(
    {"squeeze", "flatten", "view", "reshape", "t", "to", "long", "int", "contiguous", "unsqueeze"}
)
_COMPARES = (
    cst.Equal, cst.NotEqual, cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual,
)  # fmt: skip


def is_data(value: Value) -> bool:
    """Whether a value surely is a tensor, or was read from one; what sizes make up does not count."""
    return value.kind in (Kind.TENSOR, Kind.HOST) and value.sure and not value.reads


def sized_by_data(node: cst.CSTNode, source: HasFlows) -> bool:
    """Whether an expression is a tensor with as many items as the data decides."""
    if isinstance(node, cst.Name):
        given = source.classes.assigned(node)
        return bool(given) and all(is_search_result(value, source) for value in given)
    return is_search_result(node, source)


def is_search_result(node: cst.CSTNode, source: HasFlows) -> bool:
    """Whether an expression is itself such a search: `torch.nonzero(m)`, `x[m > 0]`, `where(m)[0]`."""
    if isinstance(node, cst.Subscript):
        return is_search_result(node.value, source) or is_masked(node, source)
    if not isinstance(node, cst.Call):
        return False
    if is_search(node, source):
        return True
    func = node.func
    kept = isinstance(func, cst.Attribute) and func.attr.value in _KEEPS
    return kept and isinstance(func, cst.Attribute) and is_search_result(func.value, source)


def is_search(call: cst.Call, source: HasFlows) -> bool:
    """`torch.nonzero(m)`, `x.unique()`, and torch.where with one argument."""
    name = source.names.name(call.func)
    if name == "torch.where":
        return len(call.args) == 1 and not call.args[0].star
    if name.startswith("torch."):
        return name.count(".") == 1 and name[6:] in _FINDS
    func = call.func
    return (
        isinstance(func, cst.Attribute)
        and not name
        and func.attr.value in _FINDS
        and source.flows.value(func.value).is_tensor
    )


def is_masked(node: cst.Subscript, source: HasFlows) -> bool:
    """`x[x > 0]`: a tensor indexed by a comparison of tensors, or by a name for one."""
    held = source.flows.value(node.value)
    if not held.is_tensor or not held.sure or len(node.slice) != 1:
        return False
    index = node.slice[0].slice
    return isinstance(index, cst.Index) and is_mask(index.value, source)


def is_mask(node: cst.CSTNode, source: HasFlows) -> bool:
    """Whether an expression surely is a tensor of booleans."""
    if isinstance(node, cst.Comparison):
        asked = all(isinstance(part.operator, _COMPARES) for part in node.comparisons)
        return asked and source.flows.value(node).is_tensor and is_data(source.flows.value(node))
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.BitInvert):
        return is_mask(node.expression, source)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.BitAnd, cst.BitOr)):
        return is_mask(node.left, source) or is_mask(node.right, source)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        return node.func.attr.value == "bool" and is_data(source.flows.value(node.func.value))
    if isinstance(node, cst.Name) and source.flows.value(node).is_tensor:
        given = source.classes.assigned(node)
        return bool(given) and all(
            not isinstance(value, cst.Name) and is_mask(value, source) for value in given
        )
    return False


def counted_tensor(node: cst.CSTNode, source: HasFlows) -> cst.CSTNode | None:
    """The tensor that `len(i)`, `i.numel()`, `i.size(0)` and `i.shape[0]` count the items of."""
    if isinstance(node, cst.Call):
        if source.names.name(node.func) == "len" and len(node.args) == 1:
            return node.args[0].value
        func = node.func
        if isinstance(func, cst.Attribute) and func.attr.value in ("numel", "nelement", "size"):
            return func.value
    if isinstance(node, cst.Subscript) and literal(_index(node)) == 0:
        shape = node.value
        if isinstance(shape, cst.Attribute) and shape.attr.value == "shape":
            return shape.value
    return None


def _index(node: cst.Subscript) -> cst.BaseExpression | None:
    part = node.slice[0].slice if len(node.slice) == 1 else None
    return part.value if isinstance(part, cst.Index) else None


_FACTORIES = frozenset(
    f"torch.{name}"
    for name in (
        "tensor", "as_tensor", "arange", "linspace", "logspace", "ones", "zeros", "full", "eye",
        "empty", "rand", "randn", "randint", "randperm", "Tensor", "LongTensor", "FloatTensor",
        "from_numpy",
    )
)  # fmt: skip


def is_input_free(
    node: cst.CSTNode, source: HasFlows, names: dict[str, bool] | None = None
) -> bool:
    """Whether data comes from no input: `torch.rand(1)`, what is worked out from it, or a name for it.

    `names` are those that were looked at before; one that is made of itself counts as made.
    """
    names = {} if names is None else names
    while isinstance(node, (cst.Subscript, cst.Attribute)):
        node = node.value
    if isinstance(node, cst.Name):
        if node.value not in names:
            names[node.value] = True
            names[node.value] = _is_made_name(node, source, names)
        return names[node.value]
    if isinstance(node, cst.Call):
        return _makes(node, source, names)
    if isinstance(node, (cst.List, cst.Tuple)):
        return _all_made([element.value for element in node.elements], source, names)
    if isinstance(node, (cst.BinaryOperation, cst.Comparison, cst.UnaryOperation)):
        return _all_made(_operands(node), source, names)
    return False


def _is_made_name(node: cst.Name, source: HasFlows, names: dict[str, bool]) -> bool:
    given = source.classes.assigned(node)
    return bool(given) and all(
        not isinstance(value, (cst.Name, cst.Subscript)) and is_input_free(value, source, names)
        for value in given
    )


def _makes(call: cst.Call, source: HasFlows, names: dict[str, bool]) -> bool:
    func, given = call.func, [arg.value for arg in call.args]
    if source.names.name(func) in _FACTORIES:
        return not any(_holds_tensors(source.flows.value(value)) for value in given)
    if isinstance(func, cst.Attribute) and not source.names.name(func):
        return is_input_free(func.value, source, names) and not _from_elsewhere(
            given, source, names
        )
    return _all_made(given, source, names)


def _all_made(parts: list[cst.BaseExpression], source: HasFlows, names: dict[str, bool]) -> bool:
    """Whether some part was made on the spot, and none is data of another kind."""
    made = [part for part in parts if is_input_free(part, source, names)]
    return bool(made) and not any(
        _holds_tensors(source.flows.value(part)) for part in parts if part not in made
    )


def _from_elsewhere(
    parts: list[cst.BaseExpression], source: HasFlows, names: dict[str, bool]
) -> bool:
    return any(
        _holds_tensors(source.flows.value(part)) and not is_input_free(part, source, names)
        for part in parts
    )


def _holds_tensors(value: Value) -> bool:
    return value.kind in (Kind.TENSOR, Kind.HOST, Kind.TENSORS) or any(
        _holds_tensors(item) for item in value.items
    )


def _operands(
    node: cst.BinaryOperation | cst.Comparison | cst.UnaryOperation,
) -> list[cst.BaseExpression]:
    if isinstance(node, cst.UnaryOperation):
        return [node.expression]
    if isinstance(node, cst.BinaryOperation):
        return [node.left, node.right]
    return [node.left, *(part.comparator for part in node.comparisons)]
