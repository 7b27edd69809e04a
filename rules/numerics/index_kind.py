"""LT805: a value of a kind that an operation does not take, told by how it is written."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Combined
from lintorch.evaluator.values import Tensor, Value
from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT805",
    summary="an index, mask or sequence of the wrong kind",
    why="""
        Each of these raises whenever the line runs, measured on torch 2.13: a quotient as an
        index or the bound of a slice (`/` gives a float); a minus before or behind a mask,
        which is bool; chunk or split unpacked into another number of names than it was asked
        for pieces; cat or stack of tensors that are not in a list; a literal whose rows are of
        different length; item() on what has more than one element; numpy() of a parameter
        outside torch.no_grad().

        chunk(n) may also give fewer than n pieces where n does not divide the length
        (5 in 4: 3 pieces); tensor_split(n) always gives n. As the length is seldom written
        down, that is not reported. Neither are tensors on different devices.
    """,
    bad="""
        import torch


        def background(scores: torch.Tensor):
            mask = scores > 0.5
            return 1 - mask
    """,
    good="""
        import torch


        def background(scores: torch.Tensor):
            mask = scores > 0.5
            return ~mask
    """,
    proof="""
        assert background(torch.tensor([0.1, 0.9])).tolist() == [1, 0]
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

COMPARISONS = frozenset(
    {
        "gt", "lt", "ge", "le", "eq", "ne", "greater", "less", "isnan", "isinf", "isfinite",
        "logical_not", "logical_and", "logical_or", "logical_xor", "isin", "isclose", "bool",
    }
)  # fmt: skip
FLOATS = ("float", "half", "double", "bfloat16")
PIECES = ("chunk", "tensor_split", "split")
SEQUENCES = {"torch.cat": "cat", "torch.concat": "concat", "torch.stack": "stack"}
SIZED = ("torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.empty")
LOSSES = "torch.nn.functional."
NO_GRAD = ("no_grad", "inference_mode", "set_grad_enabled", "requires_grad", "enable_grad")


@rule.source(cst.UnaryOperation, needs=("torch",))
def in_sign(node: cst.UnaryOperation, source: Source) -> Iterator[Hit]:
    """`-mask`."""
    if isinstance(node.operator, cst.Minus) and is_mask(node.expression, source):
        yield Hit(node, "minus a mask, which is bool: this raises")


@rule.event(Combined)
def in_subtraction(event: Combined, source: Source) -> Iterator[Hit]:
    """`1 - mask`, `mask - 1`, `mask - other`."""
    left, right = (is_bool_tensor(each) for each in (event.left, event.right))
    if event.operator != "Sub" or not (left or right):
        return
    what = "two masks, which are bool" if left and right else "a mask, which is bool"
    node = source.node_at(event, cst.BinaryOperation)
    fix = None if node is None else inverted(node, right, source)
    yield Hit(event, f"subtraction with {what}: this raises, use ~, ^ or float()", fix)


def is_bool_tensor(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dtype == "bool"


@rule.source(cst.SubscriptElement, needs=("torch",))
def in_index(part: cst.SubscriptElement, source: Source) -> Iterator[Hit]:
    index, subscript = part.slice, source.parent(part)
    bounds: list[cst.BaseExpression | None] = []
    if isinstance(index, cst.Index):
        bounds = [index.value]
    elif isinstance(index, cst.Slice):
        bounds = [index.lower, index.upper, index.step]
    for bound in bounds:
        divided = bound if isinstance(bound, cst.BinaryOperation) else None
        divides = divided is not None and isinstance(divided.operator, cst.Divide)
        floated = made_float(bound) if isinstance(index, cst.Index) else None
        if not divides and floated is None:
            continue
        if not isinstance(subscript, cst.Subscript) or not is_tensor(subscript.value, source):
            continue
        if divided is not None:
            message = "a quotient is a float and cannot be an index: this raises"
            yield Hit(bound, message, without_rest(divided, source))
        elif floated is not None and is_tensor(floated, source):
            yield Hit(bound, "a float tensor cannot be an index: this raises")


@rule.source(cst.Assign, needs=("chunk(", "split("))
def in_unpacking(node: cst.Assign, source: Source) -> Iterator[Hit]:
    target, call = node.targets[0].target, node.value
    if len(node.targets) != 1 or not isinstance(target, (cst.Tuple, cst.List)):
        return
    starred = any(isinstance(e, cst.StarredElement) for e in target.elements)
    pieces = pieces_of(call, source) if isinstance(call, cst.Call) and not starred else 0
    if pieces and pieces != len(target.elements):
        message = f"{pieces} pieces are unpacked into {len(target.elements)} names: this raises"
        yield Hit(node, message)


@rule.source(cst.Call, needs=("torch",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in SEQUENCES:
        given = source.arguments(call, "tensors", "dim")
        tensors, dim = given.get("tensors"), given.get("dim")
        apart = dim is not None and source.value(dim).is_tensor and source.value(dim).sure
        if tensors is not None and apart and source.value(tensors).is_tensor:
            yield Hit(call, f"{SEQUENCES[name]} takes a list or tuple of tensors: this raises")
    elif name == "torch.tensor" and call.args and is_ragged(call.args[0].value):
        yield Hit(call, "the rows of this literal are of different length: this raises")
    elif isinstance(call.func, cst.Attribute) and not name and not call.args:
        yield from in_method(call, call.func, source)


def in_method(call: cst.Call, func: cst.Attribute, source: Source) -> Iterator[Hit]:
    """`.item()` on many elements, `.numpy()` on a parameter."""
    inner = func.value
    if func.attr.value == "item" and isinstance(inner, cst.Call) and has_many(inner, source):
        yield Hit(call, "item() on more than one element raises; tolist() gives them all")
    if func.attr.value == "numpy" and not source.mentions(NO_GRAD):
        while isinstance(inner, cst.Call) and isinstance(inner.func, cst.Attribute):
            if inner.func.attr.value not in ("cpu", "float", "to", "clone"):
                return
            inner = inner.func.value
        if is_parameter(inner, source):
            edit = source.replace(func.value, f"{source.code(func.value)}.detach()")
            fix = Fix("detach it first", (edit,), Applicability.SAFE)
            yield Hit(call, "numpy() of a parameter, which requires grad: this raises", fix)


def is_mask(node: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression is surely a tensor of bool."""
    if isinstance(node, cst.Name):
        values = [definition.value for definition in reaching_definitions(node, source)]
        whole = all(d.index is None for d in reaching_definitions(node, source))
        known = [v for v in values if v is not None and not isinstance(v, cst.Name)]
        return (
            bool(values)
            and whole
            and len(known) == len(values)
            and all(is_mask(v, source) for v in known)
        )
    if isinstance(node, cst.Comparison):
        plain = (cst.Is, cst.IsNot, cst.In, cst.NotIn)
        if len(node.comparisons) != 1 or isinstance(node.comparisons[0].operator, plain):
            return False
        return any(is_tensor(side, source) for side in (node.left, node.comparisons[0].comparator))
    if not isinstance(node, cst.Call):
        return False
    name = source.name(node.func)
    if name:
        return name.startswith("torch.") and name.removeprefix("torch.") in COMPARISONS
    func = node.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in COMPARISONS:
        return False
    return is_tensor(func.value, source)


def is_tensor(node: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression is surely a tensor that was not worked out by unknown code."""
    value = source.value(node)
    return value.is_tensor and value.sure


def inverted(node: cst.BinaryOperation, right: bool, source: Source) -> Fix | None:
    """`~mask` of `1 - mask`."""
    if literal(node.left) != 1 or not right:
        return None
    text = source.code(node.right)
    bare = isinstance(node.right, (cst.Name, cst.Call)) or bool(node.right.lpar)
    edit = source.replace(node, f"~{text}" if bare else f"~({text})")
    return Fix("invert the mask", (edit,), Applicability.UNSAFE)


def without_rest(quotient: cst.BinaryOperation, source: Source) -> Fix | None:
    """`n // 2` of `n / 2`."""
    plain = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer)
    if quotient.lpar or not all(isinstance(n, plain) for n in (quotient.left, quotient.right)):
        return None
    text = f"{source.code(quotient.left)} // {source.code(quotient.right)}"
    return Fix("divide without a rest", (source.replace(quotient, text),), Applicability.UNSAFE)


def made_float(node: cst.CSTNode | None) -> cst.BaseExpression | None:
    """`i` of `i.float()`, written as an index."""
    func = node.func if isinstance(node, cst.Call) and not node.args else None
    return func.value if isinstance(func, cst.Attribute) and func.attr.value in FLOATS else None


def pieces_of(call: cst.Call, source: Source) -> int:
    """How many pieces chunk or split is asked for; 0 where that cannot be told."""
    func, name = call.func, source.name(call.func)
    owner = func.value if isinstance(func, cst.Attribute) else None
    method = func.attr.value if isinstance(func, cst.Attribute) else ""
    function = name.removeprefix("torch.") if name.startswith("torch.") else ""
    if function in PIECES:
        given = source.arguments(call, "input", "pieces").by_name
    elif method in PIECES and not name and owner is not None and is_tensor(owner, source):
        given = source.arguments(call, "pieces").by_name
    else:
        return 0
    words = ("pieces", "chunks", "split_size_or_sections", "indices_or_sections", "split_size")
    arg = next((given[word] for word in words if word in given), None)
    asked = arg.value if arg else None
    if (function or method) == "split":
        listed = asked.elements if isinstance(asked, (cst.List, cst.Tuple)) else ()
        return 0 if any(isinstance(e, cst.StarredElement) for e in listed) else len(listed)
    pieces = literal(asked)
    return pieces if type(pieces) is int else 0


def is_ragged(node: cst.CSTNode) -> bool:
    """Whether the rows of a nested literal differ in length."""
    if not isinstance(node, (cst.List, cst.Tuple)):
        return False
    rows = [element.value for element in node.elements]
    inner = [row for row in rows if isinstance(row, (cst.List, cst.Tuple))]
    elements = [*node.elements, *(e for row in inner for e in row.elements)]
    if any(isinstance(e, cst.StarredElement) for e in elements) or len(inner) != len(rows):
        return False
    return len({len(row.elements) for row in inner}) > 1 or any(is_ragged(row) for row in inner)


def has_many(call: cst.Call, source: Source) -> bool:
    """Whether what a call gives surely has more than one element by its literal sizes."""
    name = source.name(call.func)
    sizes = [literal(arg.value) for arg in call.args if arg.keyword is None]
    if name in SIZED and len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = list(sizes[0])
    if name in SIZED:
        return bool(sizes) and all(type(n) is int for n in sizes) and any(n > 1 for n in sizes)
    if name == "torch.tensor":
        return bool(sizes) and isinstance(sizes[0], (list, tuple)) and len(sizes[0]) > 1
    loss = name.startswith(LOSSES) and name.endswith(("loss", "entropy", "kl_div"))
    return loss and source.arguments(call).value("reduction") == "none"


def is_parameter(node: cst.BaseExpression, source: Source) -> bool:
    """`self.w` made as nn.Parameter(...), or the weight of a layer of torch.nn."""
    if isinstance(node, cst.Attribute) and node.attr.value in ("weight", "bias"):
        made = source.built(node.value)
        names = [source.name(call.func) for call in made]
        return bool(names) and all(name in LAYERS for name in names)
    names = [source.name(call.func) for call in source.built(node)]
    return bool(names) and all(name == "torch.nn.Parameter" for name in names)


LAYERS = {f"torch.nn.{name}" for name in ("Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding")}
