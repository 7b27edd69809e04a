"""What the calls of a model return, told by name: a table, and the few that need a look at their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lintorch.facts.dataflow.values import (
    INTEGER,
    NUMBER,
    OTHER,
    PRESUMED,
    TENSOR,
    UNKNOWN_VALUE,
    Kind,
    Value,
    size,
)

VIEWS = frozenset(
    {
        "view", "reshape", "view_as", "reshape_as", "flatten", "unflatten", "squeeze", "unsqueeze",
        "transpose", "swapaxes", "swapdims", "permute", "t", "movedim", "moveaxis", "narrow",
        "select", "expand", "expand_as", "detach", "contiguous", "diagonal", "unfold", "ravel",
        "requires_grad_", "float", "double", "half", "bfloat16", "long", "int", "bool", "to",
        "type", "type_as", "cpu", "cuda", "data", "as_strided", "positive", "alias",
    }
)  # fmt: skip
"""Tensor methods whose result shares, or may share, the memory of their receiver."""
_CONVERSIONS = frozenset(
    {
        "float", "double", "half", "bfloat16", "long", "int", "bool", "to", "type", "type_as",
        "cpu", "cuda",
    }
)  # fmt: skip
"""Those of them that copy wherever something is to be converted."""
_MOVES = frozenset(
    {
        "transpose", "swapaxes", "swapdims", "permute", "t", "movedim", "moveaxis", "expand",
        "expand_as", "select", "unfold",
    }
)  # fmt: skip
_ORDERED = frozenset({"contiguous", "reshape", "reshape_as", "flatten", "ravel"})
SPLITS = frozenset({"chunk", "split", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit"})
_QUESTIONS = frozenset(
    {
        "dim", "ndimension", "stride", "storage_offset", "is_contiguous", "is_floating_point",
        "is_complex", "get_device", "data_ptr", "element_size", "type", "has_names", "is_pinned",
    }
)  # fmt: skip
_HOST = frozenset({"item", "tolist", "equal", "allclose", "is_nonzero"})
_TELLING = frozenset(
    {
        "any", "all", "sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "norm",
        "std", "var", "prod", "abs", "exp", "sqrt", "pow", "gt", "ge", "lt", "le", "eq", "ne",
        "isnan", "isinf", "isfinite", "nonzero", "softmax", "sigmoid", "clamp", "unique", "clone",
        "masked_fill", "masked_select", "cumsum", "topk", "sort", "argsort", "logical_not",
    }
)  # fmt: skip
"""Methods that hardly anything else than a tensor has: what has them was rightly presumed one."""
_ARITHMETIC = frozenset({"int", "float", "round", "abs", "divmod", "pow", "sum"})
_WHOLE = frozenset({"int", "math.ceil", "math.floor", "math.trunc", "math.isqrt"})
_WHOLENESS = {"abs": None, "sum": None, "pow": None, "divmod": None, "math.prod": None}
_NOT_TENSORS = frozenset(
    {
        "torch.Size", "torch.device", "torch.Generator", "torch.is_tensor", "torch.numel",
        "torch.get_default_dtype", "torch.is_grad_enabled", "torch.is_autocast_enabled",
        "torch.is_floating_point", "torch.finfo", "torch.iinfo", "torch.no_grad", "torch.autocast",
        "torch.promote_types", "torch.result_type", "torch.broadcast_shapes", "torch.save",
        "torch.manual_seed", "torch.seed", "torch.compile", "torch.typename",
        "torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence", "torch.can_cast",
        "torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled", "isinstance",
        "hasattr", "callable", "issubclass", "str", "repr", "print", "type", "id",
    }
)  # fmt: skip
_STATE = ("torch.is_", "torch.get_", "torch.set_", "torch.are_", "torch.use_")
_VERDICTS = frozenset({"torch.equal", "torch.allclose", "torch.is_nonzero", "bool"})
"""What gives a Python bool worked out from the data of its arguments."""
_ANYTHING = frozenset({"torch.load", "torch.compile", "torch.cond", "torch.vmap"})
_NAMESPACES = (
    "torch.nn.functional.",
    "torch.special.",
    "torch.linalg.",
    "torch.fft.",
    "torch.ops.",
)


def method(receiver: Value, name: str, args: Sequence[Value]) -> Value:
    """The value of `receiver.name(*args)` on a tensor; of `size`, see the expressions."""
    if name in ("numel", "nelement"):
        read = size(None, not receiver.fixed)
        return replace(read, detached=receiver.detached, given=bool(receiver.roots))
    if name in _HOST:
        return Value(Kind.HOST, reads=receiver.reads)
    if name.startswith("is_"):
        return OTHER
    if name == "numpy":
        return Value(Kind.NDARRAY, roots=receiver.roots)
    if name in SPLITS:
        return Value(Kind.TENSORS, roots=receiver.roots, sure=receiver.sure)
    if name in _QUESTIONS and not (name == "type" and args):
        return OTHER
    if name in VIEWS:
        detached = receiver.detached and name == "data"
        copied = name in _CONVERSIONS or (name in _ORDERED and receiver.moved)
        return replace(
            receiver,
            reads=frozenset(),
            detached=detached,
            copied=receiver.copied or copied,
            moved=receiver.moved or name in _MOVES,
            fixed=receiver.fixed and not name.startswith("expand"),
        )
    if name.endswith("_") and not name.endswith("__"):
        return replace(receiver, detached=False)
    return TENSOR if receiver.sure or name in _TELLING else PRESUMED


def shape_of(tensor: Value) -> Value:
    """The Size of a tensor."""
    return Value(Kind.SHAPE, detached=tensor.detached, fixed=tensor.fixed, given=bool(tensor.roots))


def function(name: str, args: Sequence[Value], in_region: bool) -> Value:
    """The value of a call of a named function with these arguments."""
    first = args[0] if args else UNKNOWN_VALUE
    if name == "len":
        return _length(first)
    if name in ("tuple", "list", "sorted", "reversed"):
        return first if first.kind in (Kind.SHAPE, Kind.TENSORS) else replace(UNKNOWN_VALUE)
    if name in _ARITHMETIC or name.startswith("math."):
        whole = name in _WHOLE or (name == "round" and len(args) == 1)
        return replace(number(args), whole=True if whole else _WHOLENESS.get(name, False))
    if name in ("max", "min"):
        return bounded(args, name)
    if name.startswith("numpy."):
        sizes = frozenset(read for a in args for read in a.reads)
        return Value(Kind.NDARRAY, reads=sizes)
    if name in _VERDICTS:
        return _verdict(args)
    if name in _NOT_TENSORS or name.startswith(
        ("torch.jit.", "torch.onnx.", "torch.compiler.", "torch.cuda.", *_STATE)
    ):
        return OTHER
    if name in _ANYTHING:
        return UNKNOWN_VALUE
    if name.startswith("torch.nn.init."):
        return first
    if name.startswith(_NAMESPACES) or (
        name.startswith("torch.") and name.count(".") == 1 and name[6:7].islower()
    ):
        return _torch(name.rpartition(".")[2], args)
    return presumed(args) if in_region else UNKNOWN_VALUE


def _verdict(args: Sequence[Value]) -> Value:
    """bool(x), torch.equal(x, y): read from the data of a tensor, if one is given."""
    data = [a for a in args if a.is_tensor or a.kind is Kind.HOST]
    return Value(Kind.HOST, sure=any(a.sure for a in data)) if data else OTHER


def _length(value: Value) -> Value:
    """Of what may as well be a list of tensors nothing is known."""
    if value.is_tensor:
        return replace(size(0, True), given=bool(value.roots)) if value.sure else UNKNOWN_VALUE
    return INTEGER


def _torch(last: str, args: Sequence[Value]) -> Value:
    if last in ("tensor", "as_tensor", "IntTensor", "LongTensor"):
        given = [item for a in args for item in (a.items or (a,))]
        return Value(Kind.TENSOR, reads=frozenset(read for v in given for read in v.reads))
    receiver = args[0] if args else UNKNOWN_VALUE
    if last in SPLITS:
        return Value(Kind.TENSORS, roots=receiver.roots)
    if last in VIEWS and receiver.is_tensor:
        return replace(receiver, reads=frozenset(), detached=False)
    return TENSOR


def presumed(args: Sequence[Value]) -> Value:
    """What an unknown layer or helper gives: presumably a tensor if it was given one."""
    return PRESUMED if any(a.kind in (Kind.TENSOR, Kind.TENSORS) for a in args) else UNKNOWN_VALUE


def number(args: Sequence[Value]) -> Value:
    """A Python number worked out from others."""
    data = [a for a in args if a.kind is Kind.HOST or (a.is_tensor and not a.reads)]
    if data:
        return Value(Kind.HOST, sure=any(a.sure for a in data))
    reads = frozenset(read for a in args for read in a.reads)
    if reads:
        given = any(a.given for a in args)
        return Value(
            Kind.SIZE, reads=reads, negative=sign(args), whole=wholeness(args), given=given
        )
    if all(a.kind is Kind.NUMBER for a in args):
        return replace(NUMBER, whole=wholeness(args))
    return UNKNOWN_VALUE


def bounded(args: Sequence[Value], name: str) -> Value:
    """max and min: a maximum with a number is not below zero."""
    if len(args) == 1 and args[0].kind is Kind.SHAPE:
        return replace(size(None, True), given=args[0].given)
    if args and args[0].is_tensor and not args[0].reads:
        return UNKNOWN_VALUE
    result = number(args)
    floor = name == "max" and any(a.kind is Kind.NUMBER for a in args)
    return replace(result, negative=False) if floor and result.kind is Kind.SIZE else result


def sign(args: Sequence[Value]) -> bool | None:
    """Whether a number worked out from others is below zero."""
    signs = {a.negative for a in args if a.kind is Kind.SIZE}
    return signs.pop() if len(signs) == 1 else None


def wholeness(args: Sequence[Value]) -> bool | None:
    """Whether numbers added or multiplied give an int: not if one is a float."""
    kinds = {a.whole for a in args}
    return False if False in kinds else None if None in kinds else True
